package compile

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// shape is what all function values of one signature share. Function values of cells are real ones, so compiled code
// can call them: they capture their Closure and nothing else.
type shape struct {
	c     *Compiler
	rt    reflect.Type
	sig   *types.Signature
	code  uintptr // the first word of function values of this shape
	inner uintptr // 0: the Closure is captured; otherwise the place of the function that captured it
	make  func(*Closure) unsafe.Pointer
}

func (c *Compiler) shapeOf(rt reflect.Type, sig *types.Signature) *shape {
	if s, ok := c.shapes.Load(rt); ok {
		return s.(*shape)
	}
	s := &shape{c: c, rt: rt, sig: sig}
	if direct, ok := directShapes[rt]; ok {
		s.make = direct
	} else {
		s.make = s.makeReflected
		s.inner = reflectedPlace
	}
	known, _ := c.shapes.LoadOrStore(rt, s)
	known.(*shape).code = codeOf(s.make(&Closure{}))
	return known.(*shape)
}

// valueOf returns a function value as a pointer.
func valueOf(f reflect.Value) unsafe.Pointer {
	v := f.Interface()
	return (*layout.Eface)(unsafe.Pointer(&v)).Data
}

func codeOf(value unsafe.Pointer) uintptr { return (*layout.Func)(value).Code }

// closureOf returns the Closure of a function value of a cell. It returns nil for a compiled function.
func (s *shape) closureOf(value unsafe.Pointer) *Closure {
	if codeOf(value) != s.code {
		return nil
	}
	if s.inner == 0 {
		return (*Closure)((*layout.Func)(value).Captured)
	}
	inner := *(*unsafe.Pointer)(unsafe.Add(value, s.inner))
	if codeOf(inner) != reflectedCode {
		return nil
	}
	return (*Closure)((*layout.Func)(inner).Captured)
}

// makeReflected makes a function value of any signature.
func (s *shape) makeReflected(cl *Closure) unsafe.Pointer {
	return valueOf(reflect.MakeFunc(s.rt, reflectedBody(cl)))
}

//go:noinline
func reflectedBody(cl *Closure) func([]reflect.Value) []reflect.Value {
	return func(args []reflect.Value) []reflect.Value { return cl.reflectCall(args) }
}

// reflectedPlace and reflectedCode tell how function values made by reflection hold ours.
var reflectedPlace, reflectedCode = findReflected()

func findReflected() (place, code uintptr) {
	body := reflectedBody(&Closure{})
	inner := *(*unsafe.Pointer)(unsafe.Pointer(&body))
	f := valueOf(reflect.MakeFunc(reflect.TypeFor[func(int8)](), body))
	const maxWords = 8
	for i := uintptr(1); i < maxWords; i++ {
		if *(*unsafe.Pointer)(unsafe.Add(f, i*unsafe.Sizeof(i))) == inner {
			return i * unsafe.Sizeof(i), codeOf(inner)
		}
	}
	panic("compile: function values made by reflection are not laid out in memory as this program expects")
}

// funcValue returns a declared function as a value.
func (c *Compiler) funcValue(f *ssa.Function) unsafe.Pointer {
	if f.Blocks == nil && !c.IsSpecial(f.String()) {
		if v, ok := c.Function(f); ok {
			return valueOf(v)
		}
	}
	sig := f.Signature
	if sig.Recv() != nil {
		panic("compile: a method without its receiver: " + f.String())
	}
	rt := c.Types.Of(sig)
	cl := c.newClosure(f)
	return c.shapeOf(rt, sig).make(&cl)
}

// directShapes make function values of the commonest signatures without reflection. Each captures the Closure alone.
var directShapes = map[reflect.Type]func(*Closure) unsafe.Pointer{
	reflect.TypeFor[func()]():                   makerOf(proc0),
	reflect.TypeFor[func() int]():               makerOf(func0[int]),
	reflect.TypeFor[func() string]():            makerOf(func0[string]),
	reflect.TypeFor[func() error]():             makerOf(func0[error]),
	reflect.TypeFor[func() bool]():              makerOf(func0[bool]),
	reflect.TypeFor[func(int)]():                makerOf(proc1[int]),
	reflect.TypeFor[func(int) bool]():           makerOf(func1[int, bool]),
	reflect.TypeFor[func(int) int]():            makerOf(func1[int, int]),
	reflect.TypeFor[func(rune) bool]():          makerOf(func1[rune, bool]),
	reflect.TypeFor[func(rune) rune]():          makerOf(func1[rune, rune]),
	reflect.TypeFor[func(byte) bool]():          makerOf(func1[byte, bool]),
	reflect.TypeFor[func(string)]():             makerOf(proc1[string]),
	reflect.TypeFor[func(string) int]():         makerOf(func1[string, int]),
	reflect.TypeFor[func(string) bool]():        makerOf(func1[string, bool]),
	reflect.TypeFor[func(string) string]():      makerOf(func1[string, string]),
	reflect.TypeFor[func(float64) float64]():    makerOf(func1[float64, float64]),
	reflect.TypeFor[func(int, int) bool]():      makerOf(func2[int, int, bool]),
	reflect.TypeFor[func(int, int) int]():       makerOf(func2[int, int, int]),
	reflect.TypeFor[func(string, int) bool]():   makerOf(func2[string, int, bool]),
	reflect.TypeFor[func(string, string) int](): makerOf(func2[string, string, int]),
}

// makerOf returns a function that makes function values as pointers.
func makerOf[F any](make func(*Closure) F) func(*Closure) unsafe.Pointer {
	return func(cl *Closure) unsafe.Pointer { return pointerOf(make(cl)) }
}

// pointerOf returns a function value as a pointer.
func pointerOf[F any](f F) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&f)) }

func proc0(cl *Closure) func() {
	return func() { cl.invoke(nil, nil) }
}

func func0[R any](cl *Closure) func() R {
	return func() (r R) {
		loan, ended := cl.c.borrow(), false
		defer loan.Finish(&ended)
		q := cl.Fn.Enter(loan.Root())
		cl.bind(q)
		run.Run(q)
		r = *slot.At[R](q, cl.plan.Results[0])
		ended = cl.leave(q, &loan)
		return r
	}
}

func proc1[A any](cl *Closure) func(A) {
	return func(a A) {
		loan, ended := cl.c.borrow(), false
		defer loan.Finish(&ended)
		q := cl.Fn.Enter(loan.Root())
		*slot.At[A](q, cl.plan.Params[0]) = a
		cl.bind(q)
		run.Run(q)
		ended = cl.leave(q, &loan)
	}
}

func func1[A, R any](cl *Closure) func(A) R {
	return func(a A) (r R) {
		loan, ended := cl.c.borrow(), false
		defer loan.Finish(&ended)
		q := cl.Fn.Enter(loan.Root())
		*slot.At[A](q, cl.plan.Params[0]) = a
		cl.bind(q)
		run.Run(q)
		r = *slot.At[R](q, cl.plan.Results[0])
		ended = cl.leave(q, &loan)
		return r
	}
}

func func2[A, B, R any](cl *Closure) func(A, B) R {
	return func(a A, b B) (r R) {
		loan, ended := cl.c.borrow(), false
		defer loan.Finish(&ended)
		q := cl.Fn.Enter(loan.Root())
		*slot.At[A](q, cl.plan.Params[0]) = a
		*slot.At[B](q, cl.plan.Params[1]) = b
		cl.bind(q)
		run.Run(q)
		r = *slot.At[R](q, cl.plan.Results[0])
		ended = cl.leave(q, &loan)
		return r
	}
}
