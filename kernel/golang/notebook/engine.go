// Package notebook implements the kernel's engine with package cell.
package notebook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/assist"
	"github.com/spherelab/spherelab/kernel/command"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/module"
)

// Import is a package and the name that cells use for it; "" is the package's own name.
type Import struct{ Name, Path string }

// Options are what cells can use.
type Options struct {
	// Linked opens the packages that cells can import.
	Linked func() (cell.Library, error)
	// Prelude is imported before the first cell, in this order.
	Prelude []Import
	// Offered are packages that cells can use without an import, by name, and that are loaded when a cell does.
	Offered map[string]string
	// Render shows values of compiled types, and takes precedence over their own methods. May be nil.
	Render func(v any) (display.Data, bool)
	// Magics are the cell magics besides those of package command, by name without the %%.
	Magics map[string]command.Magic
	// Doc returns the documentation of a package ("" as name), of a package's name or, as "Type.Method", of a method;
	// "" where there is none. May be nil.
	Doc func(pkg, name string) string
	// Words returns the possible contents of a string literal that is an argument of a call. May be nil.
	Words assist.Words
	// Dir is the folder whose go.mod names the modules that cells can import; "" is the working folder.
	Dir string
	// Version is reported to front ends as the version of the implementation.
	Version string
}

// Engine implements kernel.Engine.
type Engine struct {
	options Options
	io      kernel.IO
	session *cell.Session
	ctx     context.Context                 // of the running cell, as cells see it
	last    atomic.Pointer[context.Context] // of the cell that runs or ran last

	modules   *module.Folder
	assistant *assist.Assistant
	stdin     *kernel.Stdin

	stdout, stderr       *kernel.Capture
	oldStdout, oldStderr *os.File
	oldLog               io.Writer

	mu      sync.Mutex
	sources map[string]string      // the text of cells, by the name of the cell
	number  int                    // the greatest number of a cell
	current atomic.Pointer[func()] // ends the running cell
}

var _ kernel.Engine = (*Engine)(nil)

// New returns an engine that is ready to be started.
func New(o Options) *Engine {
	e := &Engine{options: o, sources: map[string]string{}, ctx: context.Background()}
	e.last.Store(&e.ctx)
	e.stdin = kernel.NewStdin(e.readLine)
	return e
}

// Checker returns a session that knows what an engine's cells do, to check cells that do not run.
func Checker(o Options) (*cell.Session, error) {
	e := New(o)
	err := e.open()
	return e.session, err
}

// Start creates the session, takes over the process's standard output and error, and imports the prelude.
func (e *Engine) Start(out kernel.IO) (err error) {
	e.io = out
	e.oldStdout, e.oldStderr, e.oldLog = os.Stdout, os.Stderr, log.Writer()
	defer func() {
		if err != nil {
			_ = e.Close()
		}
	}()
	if err := e.capture(); err != nil {
		return err
	}
	return e.open()
}

// open creates the session and imports the prelude.
func (e *Engine) open() error {
	linked, err := e.options.Linked()
	if err != nil {
		return err
	}
	packages := &library{Library: linked, own: e.predeclared(), stdin: e.stdin, args: os.Args[:1:1]}
	if e.session, err = cell.New(packages); err != nil {
		return err
	}
	if e.modules, err = openModules(e.options.Dir, packages.Paths()); err != nil {
		return err
	}
	e.session.UseModules(e.findModule, e.modules.Provides)
	e.session.Failed = e.goroutinePanic
	e.session.Doc = e.options.Doc
	var magics []string
	for name := range e.options.Magics {
		magics = append(magics, "%%"+name)
	}
	e.assistant = assist.New(e.session, magics, e.options.Words)
	imports := append([]Import{{".", cell.SessionPath}, {"", "display"}}, e.options.Prelude...)
	for _, i := range append(imports, Import{cell.InputName, cell.InputPath}) {
		if err := e.session.Import(i.Name, i.Path); err != nil {
			return fmt.Errorf("prelude: %w", err)
		}
	}
	for name, path := range e.options.Offered {
		e.session.Offer(name, path)
	}
	e.session.Begin()
	return nil
}

// predeclared are ctx and the functions by which cells show things at once.
func (e *Engine) predeclared() map[string]reflect.Value {
	return map[string]reflect.Value{
		"ctx":           reflect.ValueOf(&e.ctx).Elem(),
		"Display":       reflect.ValueOf(e.display),
		"UpdateDisplay": reflect.ValueOf(func(d display.Data) error { e.flush(); return e.here().Update(d) }),
		"ClearOutput":   reflect.ValueOf(func(wait bool) error { e.flush(); return e.here().ClearOutput(wait) }),
	}
}

// capture takes over standard output and error, again where a cell has closed them.
func (e *Engine) capture() (err error) {
	if e.stdout == nil || e.stdout.Closed() {
		if e.stdout, err = kernel.NewCapture(e.io.Stdout()); err != nil {
			return err
		}
		os.Stdout = e.stdout.File
	}
	if lost(os.Stdout) {
		os.Stdout = e.stdout.File
	}
	if e.stderr == nil || e.stderr.Closed() {
		if e.stderr, err = kernel.NewCapture(e.io.Stderr()); err != nil {
			return err
		}
		os.Stderr = e.stderr.File
		log.SetOutput(logs{e.stderr.File})
	}
	if lost(os.Stderr) {
		os.Stderr = e.stderr.File
	}
	return nil
}

// lost reports whether a cell has replaced standard output by something that accepts no more output.
func lost(f *os.File) bool {
	if f == nil {
		return true
	}
	_, err := f.Stat() // a write would wait for one that is blocked
	return errors.Is(err, os.ErrClosed)
}

// flush passes on everything printed so far.
func (e *Engine) flush() {
	e.stdout.Sync()
	e.stderr.Sync()
}

// Declared lists the variables, functions and types of cells.
func (e *Engine) Declared() []string { return e.session.Declared() }

// Source returns the text of the cells that ran, in the order of their numbers, each below a comment with its name.
func (e *Engine) Source() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	for n, left := 0, len(e.sources); left > 0 && n <= e.number; n++ {
		if text, ok := e.sources[cellName(n)]; ok {
			fmt.Fprintf(&b, "// %s\n%s\n\n", cellName(n), strings.TrimSpace(text))
			left--
		}
	}
	return b.String()
}

// Close restores standard output and error.
func (e *Engine) Close() error {
	if e.oldStdout != nil {
		os.Stdout, os.Stderr = e.oldStdout, e.oldStderr
		log.SetOutput(e.oldLog)
		e.oldStdout, e.oldStderr = nil, nil
	}
	for _, c := range []*kernel.Capture{e.stdout, e.stderr} {
		if c != nil {
			c.Close()
		}
	}
	return nil
}

// Interrupt ends the running cell.
func (e *Engine) Interrupt() {
	if end := e.current.Load(); end != nil {
		(*end)()
	}
}

// Info describes the language.
func (e *Engine) Info() kernel.LanguageInfo {
	return kernel.LanguageInfo{
		Name: "go", Version: strings.TrimPrefix(runtime.Version(), "go"), MIMEType: "text/x-go", FileExtension: ".go",
		PygmentsLexer: "go", CodeMirrorMode: "go", Implementation: "spherelab", ImplVersion: e.options.Version,
		Banner: "Go in Jupyter. %help lists commands; ?name documents a name.",
		HelpLinks: []kernel.HelpLink{
			{Text: "The Go Programming Language Specification", URL: "https://go.dev/ref/spec"},
			{Text: "Standard library", URL: "https://pkg.go.dev/std"},
		},
	}
}
