// Package interp is the Go language of the kernel: it evaluates cells with the gomacro interpreter, with what users of today's Go and of notebooks expect
// added before evaluation.
//
// gomacro understands about Go 1.17. A cell is parsed by gomacro, its syntax tree is rewritten (range over int, goroutines whose panic must not end the
// kernel, printing of types defined in cells, ...) and compiled as a whole, so a cell that does not compile changes nothing; then its statements run one
// after the other.
//
// Packages that cells import are bindings that were linked into the program (Options.Bindings, and gomacro's own of the standard library). Nothing is ever
// downloaded or built.
package interp

import (
	"context"
	"fmt"
	"go/build"
	"io"
	"log"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/go/types"
	"github.com/cosmos72/gomacro/imports"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/assist"
	"github.com/spherelab/spherelab/kernel/command"
	"github.com/spherelab/spherelab/kernel/display"
)

// Import is a package and the name that cells use for it; "" is the package's own name, "." declares all of its names.
type Import struct{ Name, Path string }

// Options say what cells can use.
type Options struct {
	// Bindings are the packages that cells can import, by path. They go before gomacro's own bindings of the standard library.
	Bindings imports.PackageMap
	// Prelude is imported before the first cell, in this order.
	Prelude []Import
	// Magics are the cell magics besides those of this package, by name without the %%.
	Magics map[string]command.Magic
	// Linked names what an import that is not linked can be replaced by; empty means all paths of Bindings that are not of the standard library.
	Linked []string
	// Doc gives the documentation of a package ("" as name), of a package's name or, as "Type.Method", of a method; "" where there is none. May be nil.
	Doc func(pkg, name string) string
	// Render shows values of compiled types, before what their types say themselves. May be nil.
	Render func(v interface{}) (display.Data, bool)
	// Words lists what a string literal may say that is an argument of a call. May be nil.
	Words assist.Words
	// Version is reported to front ends as the version of the implementation.
	Version string
}

// method is a method of a type that a cell declares.
type method struct {
	owner types.Type
	name  string
}

// Engine implements kernel.Engine.
type Engine struct {
	options Options
	io      kernel.IO
	ir      *fast.Interp
	run     *fast.Run // what gomacro keeps for the evaluating goroutine
	session uintptr   // the evaluating goroutine, as gomacro tells goroutines apart

	// code guards everything that gomacro's compiler reads and writes: completion runs while a cell does.
	code exclusive

	predeclared map[string]*fast.Bind // names that are not the user's
	sources     sources
	typeTexts   map[string]string      // the declarations of the session's types, by name
	docs        map[string]declaredDoc // of the session's functions, methods and types
	conversions sync.Map               // conversion -> function, for types of cells
	printing    sync.Map               // types.Type -> *how
	printDepth  atomic.Int64           // calls of printing methods that have not returned
	unmade      map[method]bool        // methods that were declared but did not compile
	ctxBind     *fast.Bind

	values    atomic.Pointer[map[string]interface{}] // see keepValues
	assistant *assist.Assistant

	stdout, stderr       *kernel.Capture
	oldStdout, oldStderr *os.File
	oldLog               io.Writer
	stdin                *kernel.Stdin

	current atomic.Pointer[execution] // the cell that runs, nil between cells
	last    atomic.Pointer[execution] // the cell that runs or ran last
}

var _ kernel.Engine = (*Engine)(nil)

// New returns an engine that is ready to be started.
func New(o Options) *Engine {
	e := &Engine{options: o}
	var magics []string
	for name := range o.Magics {
		magics = append(magics, "%%"+name)
	}
	e.assistant = assist.New(e, magics, o.Words)
	return e
}

// creating guards build.Default, which is changed for a moment while an interpreter is created.
var creating sync.Mutex

// newInterp creates the interpreter on the calling goroutine, the only one whose evaluation it can interrupt. While it loads its universe gomacro asks go/types'
// importer for compiled packages, which panics on what today's toolchain writes; without a toolchain it falls back to reflection, which is all that is needed here.
func newInterp() *fast.Interp {
	creating.Lock()
	defer creating.Unlock()
	root, path := build.Default.GOROOT, build.Default.GOPATH
	build.Default.GOROOT, build.Default.GOPATH = "", ""
	defer func() { build.Default.GOROOT, build.Default.GOPATH = root, path }()
	ir := fast.New()
	ir.Comp.Universe.Importer = &xreflect.Importer{}
	return ir
}

// Start creates the interpreter, takes over the process's standard output and error, and imports the prelude.
func (e *Engine) Start(io kernel.IO) (err error) {
	e.io = io
	e.session = goroutine()
	e.stdin = kernel.NewStdin(e.readLine)
	e.oldStdout, e.oldStderr, e.oldLog = os.Stdout, os.Stderr, log.Writer()
	defer func() {
		if err != nil {
			_ = e.Close()
		}
	}()
	if err := e.capture(); err != nil {
		return err
	}
	e.last.Store(newExecution(context.Background(), 0))
	return e.create()
}

// capture takes over standard output and error, again where a cell has closed them.
func (e *Engine) capture() (err error) {
	if e.stdout == nil || e.stdout.Closed() {
		if e.stdout, err = kernel.NewCapture(e.io.Stdout()); err != nil {
			return err
		}
		os.Stdout = e.stdout.File
		if e.ir != nil {
			e.ir.Comp.Stdout = os.Stdout
		}
	}
	if e.stderr == nil || e.stderr.Closed() {
		if e.stderr, err = kernel.NewCapture(e.io.Stderr()); err != nil {
			return err
		}
		os.Stderr = e.stderr.File
		log.SetOutput(os.Stderr)
	}
	return nil
}

// create makes the interpreter and declares what every session starts with.
func (e *Engine) create() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("start of the interpreter: %v", r)
		}
	}()
	e.ir = newInterp()
	e.typeTexts = make(map[string]string)
	e.docs = make(map[string]declaredDoc)
	e.unmade = make(map[method]bool)
	e.run = e.ir.PrepareEnv().Run
	c := e.ir.Comp
	c.Stdout = e.stdout.File
	c.Stderr = io.Discard // warnings about names that are declared again: in a notebook that is what one does
	c.Filepath = fileName
	e.declareBuiltins()
	for _, path := range []string{"display", "fmt"} {
		if err := e.load(path); err != nil {
			return err
		}
	}
	if err := e.declareSession(); err != nil {
		return err
	}
	roomForVariables(e.ir)
	return nil
}

// declareSession declares the prelude, Display and ctx, and notes which names are not the user's.
func (e *Engine) declareSession() error {
	prelude := append([]Import{{Path: "display"}}, e.options.Prelude...)
	for _, p := range prelude {
		if err := e.load(p.Path); err != nil {
			return fmt.Errorf("prelude: %w", err)
		}
		e.ir.ImportPackage(fast.PackageName(p.Name), p.Path)
	}
	e.declareDisplay()
	e.declareContext()
	e.predeclared = make(map[string]*fast.Bind)
	for name, bind := range e.ir.Comp.Binds {
		e.predeclared[name] = bind
	}
	return nil
}

// roomForVariables makes space for a session's variables at once: while goroutines of earlier cells run, variables should not move.
func roomForVariables(ir *fast.Interp) {
	env := ir.PrepareEnv()
	const room = 4096
	env.Vals = append(make([]xreflect.Value, 0, len(env.Vals)+room), env.Vals...)
	env.Ints = append(make([]uint64, 0, len(env.Ints)+room), env.Ints...)
}

// Close gives standard output and error back.
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

// Info describes the language.
func (e *Engine) Info() kernel.LanguageInfo {
	return kernel.LanguageInfo{
		Name:           "go",
		Version:        strings.TrimPrefix(runtime.Version(), "go"),
		MIMEType:       "text/x-go",
		FileExtension:  ".go",
		PygmentsLexer:  "go",
		CodeMirrorMode: "go",
		Implementation: "spherelab",
		ImplVersion:    e.options.Version,
		Banner:         "Go in Jupyter, interpreted by gomacro. %help lists commands; ?name documents a name.",
		HelpLinks: []kernel.HelpLink{
			{Text: "The Go Programming Language Specification", URL: "https://go.dev/ref/spec"},
			{Text: "Standard library", URL: "https://pkg.go.dev/std"},
		},
	}
}
