package notebook

import (
	"strings"
	"unicode"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/display"
)

// Complete offers names, and fields and methods behind a dot.
func (e *Engine) Complete(code string, cursor int) kernel.Completion {
	runes := []rune(code)
	cursor = max(0, min(cursor, len(runes)))
	path := pathBefore(runes, cursor)
	operand, prefix := "", path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		operand, prefix = path[:i], path[i+1:]
	}
	c := kernel.Completion{Start: cursor - len([]rune(prefix)), End: cursor}
	if operand == "" && prefix != path { // what stands before the dot is more than names
		return c
	}
	for _, m := range e.session.Members(operand) {
		if strings.HasPrefix(m.Name, prefix) {
			c.Matches, c.Types = append(c.Matches, m.Name), append(c.Types, m.Kind)
		}
	}
	return c
}

// pathBefore is the name before the cursor, with what stands before its dots.
func pathBefore(runes []rune, cursor int) string {
	begin := cursor
	for begin > 0 && inPath(runes[begin-1]) {
		begin--
	}
	return string(runes[begin:cursor])
}

func inPath(r rune) bool { return r == '.' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// Inspect gives the declaration of the name at the cursor.
func (e *Engine) Inspect(code string, cursor, detail int) (display.Data, bool) {
	runes := []rune(code)
	cursor = max(0, min(cursor, len(runes)))
	for cursor < len(runes) && inPath(runes[cursor]) && runes[cursor] != '.' {
		cursor++
	}
	text, ok := e.session.Describe(pathBefore(runes, cursor))
	return display.MakeData(display.MIMETypeText, text), ok
}

// IsComplete tells whether the code can be run as it is.
func (e *Engine) IsComplete(code string) (status, indent string) { return e.session.Complete(code) }
