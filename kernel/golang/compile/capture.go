package compile

import (
	"go/types"
	"reflect"
	"strconv"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
)

func (b *body) emitMakeClosure(i *ssa.MakeClosure) {
	f := i.Fn.(*ssa.Function)
	model := b.newClosure(f)
	env := slot.Plan{}
	at1 := model.plan.End
	if recv := f.Signature.Recv(); recv != nil {
		panic("compile: a closure with a receiver: " + f.String())
	}
	var capture []slot.Argument // from the frame into Env
	for n, v := range f.FreeVars {
		rt := b.Types.Of(v.Type())
		if rt.Size() == 0 {
			continue
		}
		offset := slot.Align(env.End, uintptr(rt.Align()))
		env.End = offset + rt.Size()
		env.Fields = append(env.Fields, slot.Field{Offset: offset, Type: rt})
		at1 = slot.Align(at1, uintptr(rt.Align()))
		model.binds = append(model.binds, slot.Argument{To: at1, From: offset, Type: rt})
		capture = append(capture, slot.Argument{To: offset, From: b.operand(i.Bindings[n]), Type: rt})
		at1 += rt.Size()
	}
	take, give := slot.Pass(capture), slot.Pass(model.binds)
	if len(capture) > 0 {
		model.give = give
	}
	fields := make([]reflect.StructField, len(env.Fields))
	for n, f := range env.Fields {
		fields[n] = reflect.StructField{Name: "F" + strconv.Itoa(n), Type: f.Type}
	}
	memory := reflect.StructOf(fields)
	sig := types.NewSignatureType(nil, nil, nil, f.Signature.Params(), f.Signature.Results(), f.Signature.Variadic())
	shape := b.shapeOf(b.Types.Of(sig), sig)
	d := b.slot(i)
	b.emit(func(frame unsafe.Pointer) {
		cl := new(Closure)
		*cl = model
		if len(capture) == 1 && slot.ClassOf(capture[0].Type) == slot.ClassPointer {
			p := new(unsafe.Pointer)
			*p = *slot.At[unsafe.Pointer](frame, capture[0].From)
			cl.Env = unsafe.Pointer(p)
		} else if len(capture) > 0 {
			cl.Env = reflect.New(memory).UnsafePointer()
			take(cl.Env, frame)
		}
		*slot.At[unsafe.Pointer](frame, d) = shape.make(cl)
	})
}
