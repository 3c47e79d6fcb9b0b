package cell

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile"
	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/guard"
	"github.com/spherelab/spherelab/kernel/golang/compile/lock"
	"github.com/spherelab/spherelab/kernel/golang/forge"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Session is what cells have declared so far. Its methods are called by one goroutine at a time.
type Session struct {
	fset     *token.FileSet
	importer *importer
	program  *ssa.Program
	compiler *compile.Compiler
	objects  map[string]types.Object // the latest declaration of each name
	imports  map[string]string       // paths, by the name that cells use
	shown    *types.Package          // holds the function that takes the value of a last expression
	docs     map[string]doc
	again    map[string]bool // types that were declared again
	generics map[string]generic
	missed   map[string]string // cells that ended before they declared a name
	packages packages
	start    scope                          // what every session starts with
	values   atomic.Pointer[map[string]any] // see keepValues
	serial   int
	ending   Ending
	mu       sync.Mutex // guards all but the running cell: completion asks while a cell runs
	// Failed is called with a panic that ended a goroutine of a cell.
	Failed func(*Panic)
	// Doc returns the documentation of a package ("" as name), of a package's name or, as "Type.Method", of a method;
	// "" where there is none. May be nil.
	Doc func(pkg, name string) string
}

// Names of what is not a cell's: the function that takes the value of a last expression, and the beginning of the names
// of the functions that cells become.
const (
	show        = "show·"
	ownFunction = "cell·"
)

// SessionPath is the package of what cells have without an import.
const SessionPath = "session·"

// New starts a session. It returns an error if this program cannot interpret Go.
func New(library Library) (*Session, error) {
	if err := cmp.Or(layout.Check(), forge.Check(), fault.Check(), guard.Check(), lock.Check()); err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	program := ssa.NewProgram(fset, ssa.InstantiateGenerics|ssa.BareInits|ssa.BuildSerially)
	table := layout.New(library)
	s := &Session{
		fset: fset, program: program, objects: map[string]types.Object{}, imports: map[string]string{},
		docs: map[string]doc{}, again: map[string]bool{}, missed: map[string]string{},
		generics: map[string]generic{},
		importer: &importer{library: library, fset: fset, program: program, known: map[string]*types.Package{},
			whole: map[string]bool{}, modules: modules{files: map[string]string{}, failed: map[string]error{}}},
		compiler: compile.New(program, table, library),
	}
	s.importer.reflection = &reflection{m: s.importer, named: map[reflect.Type]*types.Named{}}
	s.importer.learn, s.importer.locked = table.Learn, s.compiler.WithLock
	for _, path := range []string{"cmp", "iter"} { // others refer to their types
		if _, err := s.importer.Import(path); err != nil {
			return nil, err
		}
	}
	s.shown = types.NewPackage(show, show)
	s.shown.Scope().Insert(types.NewVar(token.NoPos, s.shown, reached, types.Typ[types.Int]))
	values := types.NewVar(token.NoPos, s.shown, "values", types.NewSlice(types.NewInterfaceType(nil, nil)))
	sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(values), nil, true)
	s.shown.Scope().Insert(types.NewFunc(token.NoPos, s.shown, show, sig))
	program.CreatePackage(s.shown, nil, nil, false)
	return s, nil
}

// Run runs one cell and returns the values of its last expression. Errors in its text are *Error, panics *Panic;
// anything else that ended it is run.Interrupted.
func (s *Session) Run(name, code string, execution *run.Execution) ([]any, error) {
	function, pkg, checked, err := s.prepareNext(name, code)
	if err != nil {
		return nil, err
	}
	values, err := s.execute(pkg, function, checked, execution)
	s.compiler.Finish(pkg.Func(function), execution.IsLeftBehind())
	if err != nil {
		s.forgetUnreached(name, checked.before)
	}
	s.keepValues()
	return values, err
}

// Prepare compiles a cell once. The function runs it.
func (s *Session) Prepare(name, code string) (func(execution *run.Execution) error, error) {
	function, pkg, checked, err := s.prepareNext(name, code)
	if err != nil {
		return nil, err
	}
	return func(x *run.Execution) error {
		_, err := s.execute(pkg, function, checked, x)
		return err
	}, nil
}

// prepareNext compiles a cell as a function of its own.
func (s *Session) prepareNext(name, code string) (function string, pkg *ssa.Package, c *checked, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	function = ownFunction + strconv.Itoa(s.serial)
	pkg, c, err = s.prepare(name, function, code)
	return function, pkg, c, err
}

func (s *Session) prepare(name, function, code string) (_ *ssa.Package, _ *checked, err error) {
	s.ending = Ending{}
	clear(s.importer.modules.failed)
	waiting := len(s.importer.modules.waiting)
	defer func() {
		if err != nil {
			s.keepImports(name, code)
			s.importer.forgetFrom(waiting)
		}
	}()
	p, err := parse(s.fset, name, function, []byte(code))
	if err != nil {
		return nil, nil, err
	}
	checked, err := s.check(p)
	if err != nil {
		return nil, nil, err
	}
	pkg, err := s.build(checked)
	if err != nil {
		return nil, nil, err
	}
	s.notePackage(checked, pkg)
	s.replace(checked.late)
	checked.before = s.before(p)
	s.noteRedeclared(p.declared)
	s.keep(checked)
	s.noteGenerics(p, checked)
	s.noteDocs(p)
	s.ending = endingOf(s.fset, p, checked)
	return pkg, checked, nil
}

// keep makes the names of a cell known to later ones.
func (s *Session) keep(c *checked) {
	for _, name := range c.pkg.Scope().Names() {
		if obj := c.pkg.Scope().Lookup(name); obj.Pkg() == c.pkg && !strings.Contains(name, "·") {
			s.objects[name] = obj
			delete(s.imports, name)
		}
	}
	for name, path := range c.imports {
		if name == "." {
			s.open(path)
			continue
		}
		if strings.HasSuffix(name, early) { // a variable of the cell has its name
			continue
		}
		s.imports[name] = path
		delete(s.objects, name)
	}
}

// build makes SSA of a checked cell. A panic of the builder is a fault of this program, not of the cell.
func (s *Session) build(c *checked) (pkg *ssa.Package, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the compiler failed: %v", fault)
		}
	}()
	s.compiler.WithLock(func() {
		pkg = s.program.CreatePackage(c.pkg, []*ast.File{c.file}, c.info, false)
		pkg.Build()
	})
	return pkg, nil
}

func (s *Session) execute(pkg *ssa.Package, function string, c *checked, x *run.Execution) (values []any, err error) {
	s.compiler.Run(x)
	s.compiler.Show = func(v []any) { values = v }
	x.Failed = func(value any, trace []run.Call) {
		if s.Failed != nil {
			s.Failed(s.newPanic(value, trace))
		}
	}
	if err := s.startModules(x); err != nil {
		return nil, err
	}
	functions := []string{function}
	if c.hasInit {
		functions = append(functions, "init")
	}
	*s.reachedCount() = 0
	for _, name := range functions {
		if err := s.call(pkg.Func(name), x); err != nil {
			return nil, err
		}
	}
	return values, nil
}

var errExited = errors.New("runtime.Goexit ended the cell's goroutine")

// call runs a function on a goroutine of its own, so that nothing a cell does ends the caller's, and so that the caller
// can leave it behind.
func (s *Session) call(f *ssa.Function, x *run.Execution) error {
	ended := make(chan error, 1)
	go func() {
		var err error = &Panic{Value: errExited, Text: errExited.Error()}
		defer func() {
			if fault := recover(); fault != nil { // compiling the cell's function failed
				err = s.failure(fault, nil)
			}
			ended <- err
		}()
		g := run.NewG(x)
		g.Begin()
		defer g.End()
		value, trace, ok := run.Try(s.compiler.Func(f).Enter(g.Root()))
		switch {
		case ok:
			err = nil
		case value != nil:
			err = s.failure(value, trace)
		}
	}()
	return s.wait(x, ended)
}

// grace is how long a cell that a goroutine of compiled code ends may run before it is left behind.
const grace = 300 * time.Millisecond

// wait waits for the end of a cell, or leaves it.
func (s *Session) wait(x *run.Execution, ended <-chan error) (err error) {
	select {
	case err = <-ended:
	case <-x.Left():
		err = &Ended{Cause: run.Interrupted{}}
	case <-x.Broken():
		select {
		case <-ended:
		case <-x.Left():
		case <-time.After(grace):
			x.Leave()
		}
	}
	if value, trace, ok := x.Fault(); ok {
		return s.failure(value, trace)
	}
	return err
}

func (s *Session) failure(value any, trace []run.Call) error {
	switch end := value.(type) {
	case run.Interrupted:
		return &Ended{end, s.places(trace)}
	case run.Exited:
		return &Ended{end, s.places(trace)}
	}
	return s.newPanic(value, trace)
}

// Failure returns the error of a method of a cell's type that panicked while the value of a cell was shown.
func (s *Session) Failure(value any) error {
	return s.failure(value, run.Trace())
}

func (s *Session) newPanic(value any, trace []run.Call) *Panic {
	return &Panic{Value: value, Text: s.compiler.PanicText(value), Calls: s.places(trace)}
}

func (s *Session) places(trace []run.Call) (list []Place) {
	for _, call := range trace {
		at := s.fset.Position(call.Pos)
		list = append(list, Place{call.Name, at.Filename, at.Line, call.Omitted})
	}
	return list
}
