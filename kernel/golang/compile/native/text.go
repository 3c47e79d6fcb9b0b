package native

import (
	"fmt"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// texts are the functions that return a text of any arguments, which are the last one, a list. They are called so often
// that they have steps without reflection.
var texts = map[string]func(p *bridge.Printer, args []any) string{
	"fmt.Sprint":   (*bridge.Printer).Text,
	"fmt.Sprintln": func(p *bridge.Printer, args []any) string { return fmt.Sprintln(p.Args(args)...) },
}

// textStep returns the step of such a function, nil for other ones.
func (s *Session) textStep(name string, a, r []uintptr) run.Instr {
	if name == "fmt.Sprintf" {
		format, list, d := a[0], a[1], r[0]
		return func(f unsafe.Pointer) {
			*slot.At[string](f, d) = s.printer().Formatted(*slot.At[string](f, format), *slot.At[[]any](f, list))
		}
	}
	text := texts[name]
	if text == nil {
		return nil
	}
	list, d := a[0], r[0]
	return func(f unsafe.Pointer) { *slot.At[string](f, d) = text(s.printer(), *slot.At[[]any](f, list)) }
}

// isText reports whether a function has such a step.
func isText(name string) bool { return texts[name] != nil || name == "fmt.Sprintf" }

// Prints reports whether a function prints the elements of a list, its last argument, and does not keep the list.
func Prints(name string) bool {
	switch name {
	case "fmt.Print", "fmt.Println", "fmt.Printf", "fmt.Fprint", "fmt.Fprintln", "fmt.Fprintf", "fmt.Errorf":
		return true
	}
	return isText(name)
}
