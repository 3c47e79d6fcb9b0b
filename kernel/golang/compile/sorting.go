package compile

import (
	"go/types"
	"reflect"
	"sort"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// sorter sorts a list by a function of a cell, whose frame serves all calls. Package sort is called in place of slices,
// too: both have the same algorithms, from one source, which look at elements and swap them by their numbers.
type sorter struct {
	length int
	swap   func(i, j int)
	frame  unsafe.Pointer // of the call
	callee unsafe.Pointer
	less   func(callee unsafe.Pointer, i, j int) bool
}

func (s *sorter) Len() int      { return s.length }
func (s *sorter) Swap(i, j int) { s.swap(i, j) }

func (s *sorter) Less(i, j int) bool {
	run.Check(s.frame)
	return s.less(s.callee, i, j)
}

// sortStep returns a step that sorts, nil for calls of other functions. It makes the ordinary call of what it cannot
// sort.
func (b *body) sortStep(i *ssa.Call, f *ssa.Function, ordinary run.Instr) run.Instr {
	name := f.String()
	if f.Origin() != nil {
		name = f.Origin().String()
	}
	sorted := sort.Sort
	switch name {
	case "sort.Slice", "slices.SortFunc":
	case "sort.SliceStable", "slices.SortStableFunc":
		sorted = sort.Stable
	default:
		return nil
	}
	by := i.Call.Args[1]
	sig := by.Type().Underlying().(*types.Signature)
	plan, shape := slot.PlanOf(b.Types, sig), b.shapeOf(b.Types.Of(sig), sig)
	x, y, pos := b.operand(i.Call.Args[0]), b.operand(by), i.Pos()
	prepare := byNumbers(plan)
	if f.Origin() != nil {
		prepare = byElements(plan, b.Types.Plain(i.Call.Args[0].Type()))
	}
	return func(frame unsafe.Pointer) {
		run.HeadOf(frame).Site = pos
		s := sorter{frame: frame}
		if !prepare(unsafe.Add(frame, x), &s) {
			ordinary(frame)
			return
		}
		if s.length < 2 {
			return
		}
		value := *slot.At[unsafe.Pointer](frame, y)
		if value == nil {
			fault.NilPointer(frame, pos)
		}
		closure := shape.closureOf(value)
		if closure == nil {
			ordinary(frame)
			return
		}
		s.callee = closure.Fn.Enter(frame)
		run.CountOuter(s.callee)
		closure.bind(s.callee)
		sorted(&s)
		run.Leave(s.callee)
	}
}

// byNumbers compares what package sort does, elements by their numbers, of a slice in an `any`.
func byNumbers(plan slot.Plan) func(list unsafe.Pointer, s *sorter) bool {
	return func(list unsafe.Pointer, s *sorter) bool {
		v := *(*any)(list)
		if v == nil {
			return false
		}
		rt := layout.Unwrapped(reflect.TypeOf(v))
		if rt.Kind() != reflect.Slice {
			return false
		}
		elements := reflect.NewAt(rt, (*layout.Eface)(unsafe.Pointer(&v)).Data).Elem()
		s.length, s.swap = elements.Len(), reflect.Swapper(elements.Interface())
		x, y, result := plan.Params[0], plan.Params[1], plan.Results[0]
		s.less = func(q unsafe.Pointer, i, j int) bool {
			*slot.At[int](q, x), *slot.At[int](q, y) = i, j
			run.Run(q)
			return *slot.At[bool](q, result)
		}
		return true
	}
}

// byElements compares what package slices does, copies of elements.
func byElements(plan slot.Plan, rt reflect.Type) func(list unsafe.Pointer, s *sorter) bool {
	move, size := slot.MoverOf(rt.Elem()), rt.Elem().Size()
	x, y, result := plan.Params[0], plan.Params[1], plan.Results[0]
	return func(list unsafe.Pointer, s *sorter) bool {
		elements := reflect.NewAt(rt, list).Elem()
		s.length = elements.Len()
		if size == 0 {
			return false
		}
		data := elements.UnsafePointer()
		s.swap = reflect.Swapper(elements.Interface())
		s.less = func(q unsafe.Pointer, i, j int) bool {
			move(unsafe.Add(q, x), unsafe.Add(data, uintptr(i)*size))
			move(unsafe.Add(q, y), unsafe.Add(data, uintptr(j)*size))
			run.Run(q)
			return *slot.At[int](q, result) < 0
		}
		return true
	}
}
