package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"io"
	"os"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/guard"
	"github.com/spherelab/spherelab/kernel/golang/compile/native"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/compile/step"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// emitBuiltin emits a call of a predeclared function. i is nil if the result is not used.
func (b *body) emitBuiltin(f *ssa.Builtin, args []ssa.Value, i *ssa.Call) {
	slots := make([]uintptr, len(args))
	if !measuresType(f) {
		for n, v := range args {
			if _, ok := b.spreads[v]; !ok {
				slots[n] = b.operand(v)
			}
		}
	}
	var d uintptr
	if i != nil && b.Types.Of(i.Type()).Size() > 0 {
		d = b.slot(i)
	}
	b.emit(b.builtinStep(f, args, slots, d, i))
}

// delayBuiltin splits the call of a predeclared function that is deferred or started: the outer function computes the
// arguments, the inner one makes the call.
func (b *body) delayBuiltin(f *ssa.Builtin, args []ssa.Value) func(frame unsafe.Pointer) func(frame unsafe.Pointer) {
	var p slot.Plan
	p.End = slot.HeadSize
	slots := make([]uintptr, len(args))
	var list []slot.Argument
	for n, v := range args {
		rt := b.Types.Of(v.Type())
		slots[n] = p.Add(rt)
		list = append(list, slot.Argument{To: slots[n], From: b.operand(v), Type: rt})
	}
	d := p.Add(reflect.TypeFor[[4]unsafe.Pointer]()) // room for a result that is not read
	step := b.builtinStep(f, args, slots, d, nil)
	rt, give := p.Frame(), slot.Pass(list)
	return func(frame unsafe.Pointer) func(unsafe.Pointer) {
		memory := reflect.New(rt).UnsafePointer()
		give(memory, frame)
		return func(frame unsafe.Pointer) {
			run.HeadOf(memory).G = run.HeadOf(frame).G
			step(memory)
		}
	}
}

func (b *body) builtinStep(f *ssa.Builtin, args []ssa.Value, x []uintptr, d uintptr, i *ssa.Call) run.Instr {
	pos := f.Pos()
	if i != nil {
		pos = i.Pos()
	}
	switch f.Name() {
	case "len":
		return b.lengthStep(args[0].Type(), x[0], d)
	case "cap":
		return b.capacityStep(args[0].Type(), x[0], d)
	case "append":
		return b.appendStep(args, x, d, pos)
	case "copy":
		return b.copyStep(args, x, d)
	case "delete":
		return b.deleteStep(args, x, pos)
	case "clear":
		rt := b.Types.Plain(args[0].Type())
		step := func(f unsafe.Pointer) { reflect.NewAt(rt, unsafe.Add(f, x[0])).Elem().Clear() }
		if rt.Kind() != reflect.Map {
			return step
		}
		return guard.Map{Crowd: b.Crowd, Pos: pos}.GuardWrite(x[0], step)
	case "close":
		rt := b.Types.Plain(args[0].Type())
		return func(f unsafe.Pointer) {
			fault.Site(f, pos)
			reflect.NewAt(rt, unsafe.Add(f, x[0])).Elem().Close()
		}
	case "print", "println":
		return b.printStep(f.Name() == "println", args, x)
	case "real", "imag", "complex":
		return step.Complex(f.Name(), b.kind(args[0]), x, d)
	case "min", "max":
		return step.Extreme(f.Name() == "min", b.kind(args[0]), x, d)
	case "panic":
		return func(f unsafe.Pointer) {
			fault.Site(f, pos)
			panic(*slot.At[any](f, x[0]))
		}
	case "recover":
		return func(f unsafe.Pointer) {
			v := run.Recover(f)
			if d != 0 {
				*slot.At[any](f, d) = b.Unwrap(v)
			}
		}
	case "ssa:wrapnilchk":
		return func(f unsafe.Pointer) {
			p := *slot.At[unsafe.Pointer](f, x[0])
			if p == nil {
				panic(fault.Message("value method " + *slot.At[string](f, x[1]) + "." + *slot.At[string](f, x[2]) +
					" called using nil *" + lastPart(*slot.At[string](f, x[1])) + " pointer"))
			}
			*slot.At[unsafe.Pointer](f, d) = p
		}
	case "ssa:deferstack":
		return func(f unsafe.Pointer) { *slot.At[unsafe.Pointer](f, d) = f }
	case "Sizeof", "Alignof", "Offsetof":
		n := b.measureType(f.Name(), args[0], pos)
		return func(f unsafe.Pointer) { *slot.At[uintptr](f, d) = n }
	case "Add":
		n := b.integer(args[1])
		return func(f unsafe.Pointer) {
			*slot.At[unsafe.Pointer](f, d) = unsafe.Add(*slot.At[unsafe.Pointer](f, x[0]), n(f))
		}
	case "SliceData", "StringData":
		return func(f unsafe.Pointer) { *slot.At[unsafe.Pointer](f, d) = *slot.At[unsafe.Pointer](f, x[0]) }
	case "Slice", "String":
		return b.unsafeSpanStep(f.Name(), args, x, d, pos)
	}
	panic("compile: no step for " + f.Name())
}

func lastPart(s string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return s[i+1:]
		}
	}
	return s
}

func (b *body) lengthStep(t types.Type, x, d uintptr) run.Instr {
	rt := b.Types.Of(t)
	switch layout.Unwrapped(rt).Kind() {
	case reflect.String, reflect.Slice:
		return func(f unsafe.Pointer) { *slot.At[int](f, d) = slot.At[slot.Slice](f, x).Length }
	case reflect.Pointer:
		n := layout.Unwrapped(layout.Unwrapped(rt).Elem()).Len()
		return func(f unsafe.Pointer) { *slot.At[int](f, d) = n }
	}
	rt = b.Types.Plain(t)
	return func(f unsafe.Pointer) { *slot.At[int](f, d) = reflect.NewAt(rt, unsafe.Add(f, x)).Elem().Len() }
}

func (b *body) capacityStep(t types.Type, x, d uintptr) run.Instr {
	rt := b.Types.Of(t)
	switch layout.Unwrapped(rt).Kind() {
	case reflect.Slice:
		return func(f unsafe.Pointer) { *slot.At[int](f, d) = slot.At[slot.Slice](f, x).Capacity }
	case reflect.Pointer:
		n := layout.Unwrapped(layout.Unwrapped(rt).Elem()).Len()
		return func(f unsafe.Pointer) { *slot.At[int](f, d) = n }
	}
	rt = b.Types.Plain(t)
	return func(f unsafe.Pointer) { *slot.At[int](f, d) = reflect.NewAt(rt, unsafe.Add(f, x)).Elem().Cap() }
}

func (b *body) appendStep(args []ssa.Value, x []uintptr, d uintptr, pos token.Pos) run.Instr {
	rt := b.Types.Plain(args[0].Type())
	if len(args) == 1 {
		return slot.CopyAs[[]byte](d, x[0])
	}
	if list, ok := b.spreads[args[1]]; ok {
		return appendSpreadStep(rt, x[0], list, d, pos)
	}
	if layout.Unwrapped(b.Types.Of(args[1].Type())).Kind() == reflect.String {
		return func(f unsafe.Pointer) {
			*slot.At[[]byte](f, d) = append(*slot.At[[]byte](f, x[0]), *slot.At[string](f, x[1])...)
		}
	}
	switch slot.ClassOf(rt.Elem()) {
	case slot.Class8:
		return appendStepOf[uint8](x[0], x[1], d)
	case slot.Class16:
		return appendStepOf[uint16](x[0], x[1], d)
	case slot.Class32:
		return appendStepOf[uint32](x[0], x[1], d)
	case slot.Class64:
		return appendStepOf[uint64](x[0], x[1], d)
	case slot.ClassPointer:
		return appendStepOf[unsafe.Pointer](x[0], x[1], d)
	case slot.ClassString:
		return appendStepOf[string](x[0], x[1], d)
	case slot.ClassSlice:
		return appendStepOf[[]byte](x[0], x[1], d)
	}
	return func(f unsafe.Pointer) {
		if slot.At[slot.Slice](f, x[0]).Length+slot.At[slot.Slice](f, x[1]).Length < 0 {
			fault.Fail(f, pos, "runtime error: growslice: len out of range")
		}
		s, more := reflect.NewAt(rt, unsafe.Add(f, x[0])).Elem(), reflect.NewAt(rt, unsafe.Add(f, x[1])).Elem()
		reflect.NewAt(rt, unsafe.Add(f, d)).Elem().Set(reflect.AppendSlice(s, more))
	}
}

//go:noinline
func appendStepOf[T any](x, y, d uintptr) run.Instr {
	return func(f unsafe.Pointer) { *slot.At[[]T](f, d) = append(*slot.At[[]T](f, x), *slot.At[[]T](f, y)...) }
}

func (b *body) copyStep(args []ssa.Value, x []uintptr, d uintptr) run.Instr {
	rt, from := b.Types.Plain(args[0].Type()), b.Types.Plain(args[1].Type())
	return func(f unsafe.Pointer) {
		to := reflect.NewAt(rt, unsafe.Add(f, x[0])).Elem()
		n := reflect.Copy(to, reflect.NewAt(from, unsafe.Add(f, x[1])).Elem())
		if d != 0 {
			*slot.At[int](f, d) = n
		}
	}
}

// printStep writes to standard error, as the predeclared print does.
func (b *body) printStep(isLine bool, args []ssa.Value, x []uintptr) run.Instr {
	texts := make([]func(unsafe.Pointer) string, len(args))
	for i, v := range args {
		if types.IsInterface(v.Type()) {
			texts[i] = func(p unsafe.Pointer) string {
				words := (*[2]uintptr)(p)
				return fmt.Sprintf("(%#x,%#x)", words[0], words[1])
			}
			continue
		}
		box := dynamic.BoxerOf(layout.Unwrapped(b.Types.Of(v.Type())))
		texts[i] = func(p unsafe.Pointer) string { return native.Printed(box(p)) }
	}
	return func(f unsafe.Pointer) {
		text := ""
		for i, of := range texts {
			if isLine && i > 0 {
				text += " "
			}
			text += of(unsafe.Add(f, x[i]))
		}
		if isLine {
			text += "\n"
		}
		_, _ = io.WriteString(run.HeadOf(f).G.Writer(os.Stderr), text)
	}
}
