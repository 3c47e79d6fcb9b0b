package notebook

import (
	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/assist"
	"github.com/spherelab/spherelab/kernel/command"
	"github.com/spherelab/spherelab/kernel/display"
)

// Complete offers names at the cursor.
func (e *Engine) Complete(code string, cursor int) kernel.Completion {
	return e.assistant.Complete(code, cursor)
}

// Inspect documents the name around the cursor.
func (e *Engine) Inspect(code string, cursor, detail int) (display.Data, bool) {
	runes := []rune(code)
	path, start := assist.PathAt(runes, cursor)
	if path == "" {
		return display.Data{}, false
	}
	base := ""
	if runes[start] == '.' { // behind a call or an index
		base = assist.Operand(runes[:start])
	}
	text, ok := e.session.Describe(base, path, string(runes[:start]))
	return display.MakeData(display.MIMETypeText, text), ok
}

// IsComplete reports whether the code can be run as it is.
func (e *Engine) IsComplete(code string) (status, indent string) {
	return command.Complete(code, e.session.CanParse)
}
