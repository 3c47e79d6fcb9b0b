package compile

import (
	"container/heap"
	"reflect"
	"sort"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// container is a value of a cell that compiled algorithms work on. It serves one call, and the frames of its methods
// serve all their calls.
type container struct {
	caller unsafe.Pointer
	held   any
	of     *containerType
	frames [len(containerMethods)]unsafe.Pointer
}

// containerType has the methods of a type.
type containerType struct {
	word    unsafe.Pointer
	methods [len(containerMethods)]*method
}

// containerMethods are those of sort.Interface, then those that heap.Interface adds.
var containerMethods = [...]string{"Len", "Less", "Swap", "Push", "Pop"}

var containerLayouts = [...]reflect.Type{reflect.TypeFor[func() int](), reflect.TypeFor[func(i, j int) bool](),
	reflect.TypeFor[func(i, j int)](), reflect.TypeFor[func(any)](), reflect.TypeFor[func() any]()}

const (
	lenMethod = iota
	lessMethod
	swapMethod
	pushMethod
	popMethod
)

// enter returns the frame of a method.
func (c *container) enter(number int) (unsafe.Pointer, *method) {
	m, q := c.of.methods[number], c.frames[number]
	if q != nil {
		run.Check(c.caller)
		return q, m
	}
	q = m.fn.Enter(c.caller)
	run.CountOuter(q)
	if e := (*layout.Eface)(unsafe.Pointer(&c.held)); m.isDirect {
		*slot.At[unsafe.Pointer](q, m.recv) = e.Data
	} else if reflect.TypeOf(c.held).Size() > 0 {
		m.move(unsafe.Add(q, m.recv), e.Data)
	}
	c.frames[number] = q
	return q, m
}

// leave frees the frames of all methods.
func (c *container) leave() {
	for _, q := range c.frames {
		if q != nil {
			run.Leave(q)
		}
	}
}

func (c *container) Len() int {
	q, m := c.enter(lenMethod)
	run.Run(q)
	return *slot.At[int](q, m.plan.Results[0])
}

func (c *container) Less(i, j int) bool {
	q, m := c.enter(lessMethod)
	*slot.At[int](q, m.plan.Params[0]), *slot.At[int](q, m.plan.Params[1]) = i, j
	run.Run(q)
	return *slot.At[bool](q, m.plan.Results[0])
}

func (c *container) Swap(i, j int) {
	q, m := c.enter(swapMethod)
	*slot.At[int](q, m.plan.Params[0]), *slot.At[int](q, m.plan.Params[1]) = i, j
	run.Run(q)
}

func (c *container) Push(x any) {
	q, m := c.enter(pushMethod)
	*slot.At[any](q, m.plan.Params[0]) = x
	run.Run(q)
}

func (c *container) Pop() any {
	q, m := c.enter(popMethod)
	run.Run(q)
	return *slot.At[any](q, m.plan.Results[0])
}

// containerSteps are the functions that work on a container. a and r are the places of their further arguments and of
// their result.
var containerSteps = map[string]func(c *container, f unsafe.Pointer, a, r []uintptr){
	"sort.Sort":           func(c *container, _ unsafe.Pointer, _, _ []uintptr) { sort.Sort(c) },
	"sort.Stable":         func(c *container, _ unsafe.Pointer, _, _ []uintptr) { sort.Stable(c) },
	"container/heap.Init": func(c *container, _ unsafe.Pointer, _, _ []uintptr) { heap.Init(c) },
	"container/heap.Push": func(c *container, f unsafe.Pointer, a, _ []uintptr) { heap.Push(c, *slot.At[any](f, a[0])) },
	"container/heap.Pop":  func(c *container, f unsafe.Pointer, _, r []uintptr) { *slot.At[any](f, r[0]) = heap.Pop(c) },
	"container/heap.Fix":  func(c *container, f unsafe.Pointer, a, _ []uintptr) { heap.Fix(c, *slot.At[int](f, a[0])) },
	"container/heap.Remove": func(c *container, f unsafe.Pointer, a, r []uintptr) {
		*slot.At[any](f, r[0]) = heap.Remove(c, *slot.At[int](f, a[0]))
	},
}

// containerStep returns a step of such a function, nil for calls of other functions. It makes the ordinary call for
// values whose methods no cell declares.
func (b *body) containerStep(i *ssa.Call, f *ssa.Function, ordinary run.Instr, results []uintptr) run.Instr {
	work := containerSteps[f.String()]
	if work == nil {
		return nil
	}
	first := i.Call.Args[0]
	x, read, pos := b.operand(first), b.AsAny(first.Type()), i.Pos()
	var args []uintptr
	for _, v := range i.Call.Args[1:] {
		args = append(args, b.operand(v))
	}
	var known atomic.Pointer[containerType]
	return func(frame unsafe.Pointer) {
		run.HeadOf(frame).Site = pos
		run.Check(frame)
		v := read(unsafe.Add(frame, x))
		c := container{caller: frame, held: v, of: known.Load()}
		if e := (*layout.Eface)(unsafe.Pointer(&v)); c.of == nil || c.of.word != e.Type {
			c.of = b.containerType(v)
			if c.of == nil {
				ordinary(frame)
				return
			}
			known.Store(c.of)
		}
		work(&c, frame, args, results)
		c.leave()
	}
}

// containerType finds the methods of a value's type. It returns nil if a cell does not declare them.
func (b *body) containerType(v any) *containerType {
	if v == nil {
		return nil
	}
	t := &containerType{word: (*layout.Eface)(unsafe.Pointer(&v)).Type}
	for i, name := range containerMethods {
		m, err := b.Method(reflect.TypeOf(v), name, nil)
		if err != nil && i > swapMethod {
			break
		}
		if err != nil || m.fn == nil || m.layout() != containerLayouts[i] {
			return nil
		}
		t.methods[i] = m
	}
	return t
}
