// Package compile turns functions in SSA form into closures over frames.
//
// Every SSA value has a place in the frame, in native layout; constants have one too, set when the frame is made, so a
// step reads all its operands in the same way. What a step needs is captured when it is compiled.
package compile

import (
	"go/types"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/native"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Library returns functions and variables of linked packages.
type Library interface {
	layout.Compiled
	// Value returns a function, or a variable that can be set.
	Value(path, name string) (reflect.Value, bool)
}

// Table is what a linked package declares: functions and typed constants by value, variables that can be set, types,
// and untyped constants as "kind:value". Generic are the names that the package declares and the table cannot have.
type Table struct {
	Name      string
	Values    map[string]reflect.Value
	Types     map[string]reflect.Type
	Constants map[string]string
	Generic   []string
}

// Compiler holds what the functions of a session share.
type Compiler struct {
	*native.Session
	library Library
	// Current is the execution that callbacks from compiled code belong to.
	Current atomic.Pointer[run.Execution]
	// Selected has, by the position of a call of unsafe.Offsetof in generic code, how many fields its selector steps
	// through.
	Selected sync.Map

	// translate makes the code of a function.
	translate func(f *ssa.Function) *run.Code

	mu        sync.Mutex
	functions map[*ssa.Function]*run.Func
	globals   map[weak.Pointer[ssa.Global]]unsafe.Pointer // of variables that a session or code still knows
	methods   sync.Map                                    // methodKey -> *method
	callbacks sync.Pool
	adapters  sync.Map // reflect.Type of a signature -> *adapter
	count     int      // of functions
	shapes    sync.Map // reflect.Type of a function -> *shape
}

// Run makes an execution the one that callbacks from compiled code belong to.
func (c *Compiler) Run(x *run.Execution) {
	x.Crowd = c.Crowd
	c.Current.Store(x)
}

// Func returns the function that runs a body. It is compiled when it is first called.
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
	made := c.newNumberedFunc(of.String(), func() *run.Code { return c.translate(f) })
	made.Hidden = of.Synthetic != ""
	c.functions[f] = made
	return made
}

func (c *Compiler) newFunc(name string, compile func() *run.Code) *run.Func {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newNumberedFunc(name, compile)
}

func (c *Compiler) newNumberedFunc(name string, compile func() *run.Code) *run.Func {
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
			c.retireFunc(f)
		}
	}
}

func (c *Compiler) retireFunc(f *ssa.Function) {
	delete(c.functions, f)
	for _, inner := range f.AnonFuncs {
		c.retireFunc(inner)
	}
}

// Global returns the memory of a variable.
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
