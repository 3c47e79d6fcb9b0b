package native

import (
	"fmt"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// texts are functions that return a text of any arguments. They and a few others are called so often that they have
// steps without reflection.
var texts = map[string]func(p *bridge.Printer, args []any) string{
	"fmt.Sprint":   (*bridge.Printer).Text,
	"fmt.Sprintln": func(p *bridge.Printer, args []any) string { return fmt.Sprintln(p.Args(args)...) },
}

// quickStep returns the step of such a function, nil for other ones.
func (s *Session) quickStep(name string, a, r []uintptr) run.Instr {
	switch name {
	case "fmt.Sprintf":
		format, list, d := a[0], a[1], r[0]
		return func(f unsafe.Pointer) {
			*slot.At[string](f, d) = s.printer().Formatted(*slot.At[string](f, format), *slot.At[[]any](f, list))
		}
	case "fmt.Errorf":
		return func(f unsafe.Pointer) {
			format, list := s.printer().Format(*slot.At[string](f, a[0]), *slot.At[[]any](f, a[1]))
			*slot.At[error](f, r[0]) = fmt.Errorf(format, list...)
		}
	}
	text := texts[name]
	if text == nil {
		return nil
	}
	list, d := a[0], r[0]
	return func(f unsafe.Pointer) { *slot.At[string](f, d) = text(s.printer(), *slot.At[[]any](f, list)) }
}

// isQuick reports whether a function has such a step.
func isQuick(name string) bool {
	return texts[name] != nil || name == "fmt.Sprintf" || name == "fmt.Errorf"
}

// Prints reports whether a function prints the elements of a list, its last argument, and does not keep the list.
func Prints(name string) bool {
	switch name {
	case "fmt.Print", "fmt.Println", "fmt.Printf", "fmt.Fprint", "fmt.Fprintln", "fmt.Fprintf", "fmt.Errorf", "fmt.Sprintf":
		return true
	}
	return texts[name] != nil
}
