package interp

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"reflect"
	"runtime"
	"sync"
	"unicode/utf8"

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
		panic(stopped{namePanic, "runtime.Goexit would end the kernel's own goroutine; return instead"})
	}
	runtime.Goexit()
}

// stdin is os.Stdin of cells: reading asks the front end for a line.
type stdin struct {
	engine *Engine
	mu     sync.Mutex
	rest   []byte // of the last line
	last   int    // size of what ReadRune read last, for UnreadRune; 0 if nothing
	before []byte // rest before the last ReadRune
}

// fill asks for a line when none is left.
func (s *stdin) fill() error {
	if len(s.rest) > 0 {
		return nil
	}
	e := s.engine
	x := e.last.Load()
	e.stdout.Sync() // a printed prompt comes before the input field
	e.stderr.Sync()
	line, err := e.io.ReadLine(x.ctx, "", false)
	if err != nil {
		if e.onSession() && x.interrupted.Load() {
			panic(base.SigInterrupt)
		}
		if e.onSession() && errors.Is(err, kernel.ErrNoStdin) {
			panic(stopped{"NoInput", err.Error()})
		}
		return err
	}
	s.rest = []byte(line + "\n")
	return nil
}

// forget drops what the last cell left of its last line.
func (s *stdin) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest, s.before, s.last = nil, nil, 0
}

// Read reads at most to the end of the line.
func (s *stdin) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	if err := s.fill(); err != nil {
		return 0, err
	}
	n := copy(p, s.rest)
	s.rest, s.last = s.rest[n:], 0
	return n, nil
}

// ReadRune and UnreadRune let fmt.Scan and its relatives stop exactly where they should.
func (s *stdin) ReadRune() (rune, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fill(); err != nil {
		return 0, 0, err
	}
	r, n := utf8.DecodeRune(s.rest)
	s.before, s.rest, s.last = s.rest, s.rest[n:], n
	return r, n, nil
}

// UnreadRune takes the last ReadRune back.
func (s *stdin) UnreadRune() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == 0 {
		return errors.New("nothing to unread")
	}
	s.rest, s.last = s.before, 0
	return nil
}

// Close does nothing: the input is the front end's.
func (s *stdin) Close() error { return nil }

// Name is that of os.Stdin.
func (s *stdin) Name() string { return "/dev/stdin" }

var _ io.RuneScanner = (*stdin)(nil)
