package native

import (
	"fmt"
	"log"
	"maps"
	"os"
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// exitNatives are the functions that would end the process: they end the cell. Those of package log print values of
// cells too.
func exitNatives() map[string]function {
	all := map[string]function{
		"os.Exit": func(_ *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			panic(run.Exited{Code: int(a[0].Int())})
		},
	}
	standard := func(a []reflect.Value) (*log.Logger, []reflect.Value) { return log.Default(), a }
	own := func(a []reflect.Value) (*log.Logger, []reflect.Value) { return a[0].Interface().(*log.Logger), a[1:] }
	maps.Copy(all, logNatives("log.", standard))
	maps.Copy(all, logNatives("(*log.Logger).", own))
	return all
}

func logNatives(prefix string, split func([]reflect.Value) (*log.Logger, []reflect.Value)) map[string]function {
	all := map[string]function{}
	const callers = 4 // of Output
	for name, text := range map[string]func(p *bridge.Printer, args []any) string{
		"":   (*bridge.Printer).Text,
		"ln": func(p *bridge.Printer, args []any) string { return fmt.Sprintln(p.Args(args)...) },
		"f":  func(p *bridge.Printer, args []any) string { return p.Formatted(args[0].(string), args[1:]) },
	} {
		make := func(after func(text string)) function {
			return func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
				logger, rest := split(a)
				args := rest[len(rest)-1].Interface().([]any)
				if name == "f" {
					args = append([]any{rest[0].String()}, args...)
				}
				line := text(s.printer(), args)
				if err := logger.Output(callers, line); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
				after(line)
				return nil
			}
		}
		all[prefix+"Print"+name] = make(func(string) {})
		all[prefix+"Fatal"+name] = make(func(string) { panic(run.Exited{Code: 1}) })
		all[prefix+"Panic"+name] = make(func(s string) { panic(s) })
	}
	return all
}
