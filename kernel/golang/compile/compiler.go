// Package compile turns functions in SSA form into closures over frames.
//
// Every SSA value has a place in the frame, in native layout; constants have one too, set when the frame is made, so a
// step reads all its operands in the same way. What a step must know is captured when it is compiled.
package compile

import (
	"fmt"
	"go/types"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Library gives functions and variables of linked packages.
type Library interface {
	layout.Compiled
	// Value gives a function, or a variable that can be set.
	Value(path, name string) (reflect.Value, bool)
	// Proxy gives the struct that implements an interface of a linked package by a function for each method.
	Proxy(path, name string) (reflect.Type, bool)
}

// Table is what a linked package declares: functions and typed constants by value, variables that can be set, types,
// and untyped constants as "kind:value". A proxy is a struct that implements an interface by a function for each of its
// methods. Generic are the names that the package declares and the table cannot have.
type Table struct {
	Name      string
	Values    map[string]reflect.Value
	Types     map[string]reflect.Type
	Proxies   map[string]reflect.Type
	Constants map[string]string
	Generic   []string
}

// Compiler holds what the functions of a session share.
type Compiler struct {
	Types   *layout.Types
	Program *ssa.Program
	library Library
	// Current is the execution that callbacks from compiled code belong to.
	Current atomic.Pointer[run.Execution]
	// Show takes the value of a cell's last expression.
	Show func(values []any)

	// Selected has, by the position of a call of unsafe.Offsetof in generic code, how many fields its selector steps
	// through.
	Selected sync.Map

	mu         sync.Mutex
	functions  map[*ssa.Function]*run.Func
	globals    map[weak.Pointer[ssa.Global]]unsafe.Pointer // of variables that a session or code still knows
	natives    map[string]Native
	methods    sync.Map // methodKey -> *method
	names      sync.Map // reflect.Type -> map[string]string, exported methods with their signatures
	implements sync.Map // implementsKey -> name of the missing method
	build      sync.Mutex
	callbacks  sync.Pool
	adapters   sync.Map // reflect.Type of a signature -> *adapter
	count      int      // of functions
	generated  sync.Map // type words of generated proxies that were made
	generates  atomic.Bool
	proxies    sameProxies
	crowd      *run.Crowd
	shapes     sync.Map // reflect.Type of a function -> *shape
}

// Native is a Go function that takes the place of a function of a package. Arguments and results are in the layout of
// its signature.
type Native func(c *Compiler, frame unsafe.Pointer, args []reflect.Value) []reflect.Value

// New makes a compiler for a program.
func New(program *ssa.Program, t *layout.Types, library Library) *Compiler {
	c := &Compiler{
		Types: t, Program: program, library: library,
		functions: map[*ssa.Function]*run.Func{}, globals: map[weak.Pointer[ssa.Global]]unsafe.Pointer{},
		natives: natives(),
	}
	x := run.NewExecution(nil)
	c.crowd = x.Crowd
	c.Current.Store(x)
	return c
}

// Run makes an execution the one that callbacks from compiled code belong to.
func (c *Compiler) Run(x *run.Execution) {
	x.Crowd, x.Reword = c.crowd, c.Reword
	c.Current.Store(x)
}

// Func gives the function that runs a body. It is compiled when it is first called.
func (c *Compiler) Func(f *ssa.Function) *run.Func {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.functions[f]; ok {
		return known
	}
	of := f
	for loopOf(of) != nil { // the body of a loop is shown as a part of its function
		of = of.Parent()
	}
	made := c.number(of.String(), func() *run.Code { return c.compile(f) })
	made.Hidden = of.Synthetic != ""
	c.functions[f] = made
	return made
}

func (c *Compiler) newFunc(name string, compile func() *run.Code) *run.Func {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.number(name, compile)
}

func (c *Compiler) number(name string, compile func() *run.Code) *run.Func {
	c.count++
	return &run.Func{Name: name, Pool: c.count % run.Pools, Compile: compile}
}

// Replace makes all calls of a method calls of another one with the same signature.
func (c *Compiler) Replace(old, by *ssa.Function) { c.Func(old).Become(c.Func(by)) }

// Finish drops the body of a function that no code calls any more. One that was left behind still runs, and keeps it.
func (c *Compiler) Finish(f *ssa.Function, left bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.functions, f)
	if !left {
		f.Blocks, f.Locals = nil, nil
	}
}

// Retire forgets the functions of a package that no new code can name. Code that uses one compiles it again.
func (c *Compiler) Retire(pkg *ssa.Package) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range pkg.Members {
		if f, ok := m.(*ssa.Function); ok {
			c.retire(f)
		}
	}
}

func (c *Compiler) retire(f *ssa.Function) {
	delete(c.functions, f)
	for _, inner := range f.AnonFuncs {
		c.retire(inner)
	}
}

// Global gives the memory of a variable.
func (c *Compiler) Global(g *ssa.Global) unsafe.Pointer {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := weak.Make(g)
	if p, ok := c.globals[key]; ok {
		return p
	}
	elem := g.Type().Underlying().(*types.Pointer).Elem()
	var p unsafe.Pointer
	if v, ok := c.library.Value(g.Pkg.Pkg.Path(), g.Name()); ok && v.CanAddr() && g.Pkg.Pkg.Path() != layout.CellPath {
		p = v.Addr().UnsafePointer()
	} else {
		p = reflect.New(c.Types.Of(elem)).UnsafePointer()
	}
	c.globals[key] = p
	runtime.AddCleanup(g, forget, forgotten{weak.Make(c), key})
	return p
}

// forgotten is a variable that nothing knows any more. It must not keep the compiler: what the compiler knows would
// never end.
type forgotten struct {
	of  weak.Pointer[Compiler]
	key weak.Pointer[ssa.Global]
}

func forget(f forgotten) {
	c := f.of.Value()
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.globals, f.key)
}

// compile makes the body of a function.
func (c *Compiler) compile(f *ssa.Function) *run.Code {
	if f.Blocks == nil {
		return c.external(f)
	}
	b := &body{Compiler: c, fn: f, slots: map[ssa.Value]uintptr{}, blocks: map[*ssa.BasicBlock]*run.Block{}}
	return b.compile()
}

// method finds what a dynamic type has under a name.
type methodKey struct {
	rt   reflect.Type
	name string
	pkg  string
}

// method is how a method of a dynamic type is called.
type method struct {
	fn       *run.Func // of a cell, else
	compiled int       // the index of a method of a compiled type
	recv     uintptr   // where the receiver goes in the callee's frame
	direct   bool      // the receiver is the data word itself
	move     mover
	plan     plan
	moves    []mover // of parameters, then of results
}

// Method finds a method of a dynamic type: a cell's or a compiled one. The package matters for unexported names only.
func (c *Compiler) Method(rt reflect.Type, name string, pkg *types.Package) (*method, error) {
	key := methodKey{rt: rt, name: name}
	if pkg != nil && !exported(name) {
		key.pkg = pkg.Path()
	}
	if m, ok := c.methods.Load(key); ok {
		return m.(*method), nil
	}
	m, err := c.findMethod(rt, name, pkg)
	if err != nil {
		return nil, err
	}
	c.methods.Store(key, m)
	return m, nil
}

func exported(name string) bool { return name[0] >= 'A' && name[0] <= 'Z' }

func (c *Compiler) findMethod(rt reflect.Type, name string, pkg *types.Package) (*method, error) {
	if typ, ok := c.Types.Back(rt); ok && c.hasCell(typ) {
		c.build.Lock()
		defer c.build.Unlock()
		sel := c.Program.MethodSets.MethodSet(typ).Lookup(pkg, name)
		if sel == nil {
			return nil, fmt.Errorf("%s has no method %s", c.TypeName(typ), name)
		}
		return c.methodOf(c.Program.MethodValue(sel), rt), nil
	}
	if f := c.specialMethod(rt, name); f != nil {
		return c.methodOf(f, rt), nil
	}
	m, ok := rt.MethodByName(name)
	if !ok {
		return nil, fmt.Errorf("%s has no method %s", rt, name)
	}
	return &method{compiled: m.Index}, nil
}

// methodOf is how a method in SSA form is called.
func (c *Compiler) methodOf(f *ssa.Function, rt reflect.Type) *method {
	plan := c.plan(f.Signature)
	recv := align(plan.end, uintptr(rt.Align()))
	m := &method{fn: c.Func(f), recv: recv, direct: layout.Direct(rt), move: moverOf(rt), plan: plan}
	for v := range f.Signature.Params().Variables() {
		m.moves = append(m.moves, moverOf(c.Types.Of(v.Type())))
	}
	for v := range f.Signature.Results().Variables() {
		m.moves = append(m.moves, moverOf(c.Types.Of(v.Type())))
	}
	return m
}

// hasCell tells whether the methods of a type are those of cells.
func (c *Compiler) hasCell(typ types.Type) bool {
	typ = types.Unalias(typ)
	if p, ok := typ.(*types.Pointer); ok {
		typ = types.Unalias(p.Elem())
	}
	if n, ok := typ.(*types.Named); ok {
		return c.Types.IsCell(n)
	}
	return true
}

// TypeName is a type as Go prints it.
func (c *Compiler) TypeName(typ types.Type) string { return layout.Name(typ) }

// DynamicName is the type of a value in an interface as Go prints it.
func (c *Compiler) DynamicName(rt reflect.Type) string {
	if typ, ok := c.Types.Back(rt); ok {
		return c.TypeName(typ)
	}
	return rt.String()
}

// Locked builds a part of the program while no method is looked up.
func (c *Compiler) Locked(build func()) {
	c.build.Lock()
	defer c.build.Unlock()
	build()
	c.implements.Clear()
	c.names.Clear()
}
