package interp

import (
	"errors"
	"fmt"
	"log"
	"os"
	"reflect"
	"runtime"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/imports"

	"github.com/spherelab/spherelab/kernel"
)

// override replaces what must behave differently in a cell: waiting that an interrupt ends, reading the front end's input, ending the program.
func (e *Engine) override(path string, pkg imports.Package) imports.Package {
	var binds map[string]interface{}
	switch path {
	case "time":
		binds = map[string]interface{}{"Sleep": e.sleep}
	case "fmt":
		binds = map[string]interface{}{
			"Scan":   func(a ...interface{}) (int, error) { return fmt.Fscan(e.stdin, a...) },
			"Scanln": func(a ...interface{}) (int, error) { return fmt.Fscanln(e.stdin, a...) },
			"Scanf":  func(format string, a ...interface{}) (int, error) { return fmt.Fscanf(e.stdin, format, a...) },
		}
	case "os":
		binds = map[string]interface{}{"Exit": e.exit}
	case "log":
		binds = map[string]interface{}{
			"Fatal":   func(a ...interface{}) { log.Print(a...); e.exit(1) },
			"Fatalf":  func(format string, a ...interface{}) { log.Printf(format, a...); e.exit(1) },
			"Fatalln": func(a ...interface{}) { log.Println(a...); e.exit(1) },
		}
	case "runtime":
		binds = map[string]interface{}{"Goexit": e.goexit}
	default:
		return pkg
	}
	changed := make(map[string]reflect.Value, len(pkg.Binds))
	for name, value := range pkg.Binds {
		changed[name] = value
	}
	for name, f := range binds {
		changed[name] = reflect.ValueOf(f)
	}
	if path == "os" {
		changed["Stdin"] = reflect.ValueOf(&e.stdin).Elem()
	}
	pkg.Binds = changed
	return pkg
}

// exit ends the cell instead of the kernel.
func (e *Engine) exit(code int) {
	if !e.onSession() {
		fmt.Fprintf(os.Stderr, "os.Exit(%d) in a goroutine: only the goroutine ends, the kernel continues\n", code)
		runtime.Goexit()
	}
	panic(exit{code})
}

// goexit ends a goroutine that a cell started; the evaluating goroutine is the kernel's.
func (e *Engine) goexit() {
	if e.onSession() {
		panic(stopped{kernel.NamePanic, "runtime.Goexit would end the kernel's own goroutine; return instead"})
	}
	runtime.Goexit()
}

// readLine asks the front end for a line, for os.Stdin of cells.
func (e *Engine) readLine() (string, error) {
	x := e.last.Load()
	e.flush() // a printed prompt comes before the input field
	line, err := e.io.ReadLine(x.ctx, "", false)
	if err != nil && e.onSession() {
		if x.interrupted.Load() {
			panic(base.SigInterrupt)
		}
		if errors.Is(err, kernel.ErrNoStdin) {
			panic(stopped{"NoInput", err.Error()})
		}
	}
	return line, err
}
