package compile

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// builtin emits a call of a predeclared function. i is nil where the result is not used.
func (b *body) builtin(f *ssa.Builtin, args []ssa.Value, i *ssa.Call) {
	slots := make([]uintptr, len(args))
	if !measures(f) {
		for n, v := range args {
			slots[n] = b.operand(v)
		}
	}
	var d uintptr
	if i != nil && b.Types.Of(i.Type()).Size() > 0 {
		d = b.slot(i)
	}
	b.emit(b.builtinStep(f, args, slots, d, i))
}

// later computes the arguments of a deferred or started predeclared function now; the call comes later.
func (b *body) later(f *ssa.Builtin, args []ssa.Value) func(frame unsafe.Pointer) func(frame unsafe.Pointer) {
	var p plan
	p.end = headSize
	slots := make([]uintptr, len(args))
	var list []argument
	for n, v := range args {
		rt := b.Types.Of(v.Type())
		slots[n] = p.add(rt)
		list = append(list, argument{slots[n], b.operand(v), rt})
	}
	d := p.add(reflect.TypeFor[[4]unsafe.Pointer]()) // room for a result that nobody reads
	step := b.builtinStep(f, args, slots, d, nil)
	rt, give := p.frame(), pass(list)
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
		return b.length(args[0].Type(), x[0], d)
	case "cap":
		return b.capacity(args[0].Type(), x[0], d)
	case "append":
		return b.appends(args, x, d, pos)
	case "copy":
		return b.copies(args, x, d)
	case "delete":
		return b.deletes(args, x, pos)
	case "clear":
		rt := b.plain(args[0].Type())
		step := func(f unsafe.Pointer) { reflect.NewAt(rt, unsafe.Add(f, x[0])).Elem().Clear() }
		if rt.Kind() != reflect.Map {
			return step
		}
		return guard{b.crowd, pos}.writes(x[0], step)
	case "close":
		rt := b.plain(args[0].Type())
		return func(f unsafe.Pointer) {
			site(f, pos)
			reflect.NewAt(rt, unsafe.Add(f, x[0])).Elem().Close()
		}
	case "print", "println":
		return b.prints(f.Name() == "println", args, x)
	case "real", "imag", "complex":
		return b.complexes(f.Name(), args, x, d)
	case "min", "max":
		return b.extreme(f.Name() == "min", args, x, d)
	case "panic":
		return func(f unsafe.Pointer) {
			site(f, pos)
			panic(*at[any](f, x[0]))
		}
	case "recover":
		return func(f unsafe.Pointer) {
			v := run.Recover(f)
			if d != 0 {
				*at[any](f, d) = b.unwrap(v)
			}
		}
	case "ssa:wrapnilchk":
		return func(f unsafe.Pointer) {
			p := *at[unsafe.Pointer](f, x[0])
			if p == nil {
				panic(message("value method " + *at[string](f, x[1]) + "." + *at[string](f, x[2]) +
					" called using nil *" + lastPart(*at[string](f, x[1])) + " pointer"))
			}
			*at[unsafe.Pointer](f, d) = p
		}
	case "ssa:deferstack":
		return func(f unsafe.Pointer) { *at[unsafe.Pointer](f, d) = f }
	case "Sizeof", "Alignof", "Offsetof":
		n := b.measure(f.Name(), args[0], pos)
		return func(f unsafe.Pointer) { *at[uintptr](f, d) = n }
	case "Add":
		n := b.integer(args[1])
		return func(f unsafe.Pointer) { *at[unsafe.Pointer](f, d) = unsafe.Add(*at[unsafe.Pointer](f, x[0]), n(f)) }
	case "SliceData", "StringData":
		return func(f unsafe.Pointer) { *at[unsafe.Pointer](f, d) = *at[unsafe.Pointer](f, x[0]) }
	case "Slice", "String":
		return b.unsafeSpan(f.Name(), args, x, d, pos)
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

// plainValue is a value with the layout of a cell's type taken off.
func plainValue(rt reflect.Type, p unsafe.Pointer) reflect.Value {
	return reflect.NewAt(under(rt), p).Elem()
}

func (b *body) length(t types.Type, x, d uintptr) run.Instr {
	rt := b.Types.Of(t)
	switch under(rt).Kind() {
	case reflect.String, reflect.Slice:
		return func(f unsafe.Pointer) { *at[int](f, d) = at[sliceHeader](f, x).length }
	case reflect.Pointer:
		n := under(under(rt).Elem()).Len()
		return func(f unsafe.Pointer) { *at[int](f, d) = n }
	}
	rt = b.plain(t)
	return func(f unsafe.Pointer) { *at[int](f, d) = reflect.NewAt(rt, unsafe.Add(f, x)).Elem().Len() }
}

func (b *body) capacity(t types.Type, x, d uintptr) run.Instr {
	rt := b.Types.Of(t)
	switch under(rt).Kind() {
	case reflect.Slice:
		return func(f unsafe.Pointer) { *at[int](f, d) = at[sliceHeader](f, x).capacity }
	case reflect.Pointer:
		n := under(under(rt).Elem()).Len()
		return func(f unsafe.Pointer) { *at[int](f, d) = n }
	}
	rt = b.plain(t)
	return func(f unsafe.Pointer) { *at[int](f, d) = reflect.NewAt(rt, unsafe.Add(f, x)).Elem().Cap() }
}

func (b *body) appends(args []ssa.Value, x []uintptr, d uintptr, pos token.Pos) run.Instr {
	rt := b.plain(args[0].Type())
	if len(args) == 1 {
		return copySlot[[]byte](d, x[0])
	}
	if under(b.Types.Of(args[1].Type())).Kind() == reflect.String {
		return func(f unsafe.Pointer) { *at[[]byte](f, d) = append(*at[[]byte](f, x[0]), *at[string](f, x[1])...) }
	}
	switch classOf(rt.Elem()) {
	case class8:
		return appendStep[uint8](x[0], x[1], d)
	case class16:
		return appendStep[uint16](x[0], x[1], d)
	case class32:
		return appendStep[uint32](x[0], x[1], d)
	case class64:
		return appendStep[uint64](x[0], x[1], d)
	case classPointer:
		return appendStep[unsafe.Pointer](x[0], x[1], d)
	case classString:
		return appendStep[string](x[0], x[1], d)
	case classSlice:
		return appendStep[[]byte](x[0], x[1], d)
	}
	return func(f unsafe.Pointer) {
		if at[sliceHeader](f, x[0]).length+at[sliceHeader](f, x[1]).length < 0 {
			fail(f, pos, "runtime error: growslice: len out of range")
		}
		s, more := reflect.NewAt(rt, unsafe.Add(f, x[0])).Elem(), reflect.NewAt(rt, unsafe.Add(f, x[1])).Elem()
		reflect.NewAt(rt, unsafe.Add(f, d)).Elem().Set(reflect.AppendSlice(s, more))
	}
}

func appendStep[T any](x, y, d uintptr) run.Instr {
	return func(f unsafe.Pointer) { *at[[]T](f, d) = append(*at[[]T](f, x), *at[[]T](f, y)...) }
}

func (b *body) copies(args []ssa.Value, x []uintptr, d uintptr) run.Instr {
	rt, from := b.plain(args[0].Type()), b.plain(args[1].Type())
	return func(f unsafe.Pointer) {
		to := reflect.NewAt(rt, unsafe.Add(f, x[0])).Elem()
		n := reflect.Copy(to, reflect.NewAt(from, unsafe.Add(f, x[1])).Elem())
		if d != 0 {
			*at[int](f, d) = n
		}
	}
}

func (b *body) complexes(name string, args []ssa.Value, x []uintptr, d uintptr) run.Instr {
	kind := under(b.Types.Of(args[0].Type())).Kind()
	switch {
	case name == "real" && kind == reflect.Complex64:
		return func(f unsafe.Pointer) { *at[float32](f, d) = real(*at[complex64](f, x[0])) }
	case name == "real":
		return func(f unsafe.Pointer) { *at[float64](f, d) = real(*at[complex128](f, x[0])) }
	case name == "imag" && kind == reflect.Complex64:
		return func(f unsafe.Pointer) { *at[float32](f, d) = imag(*at[complex64](f, x[0])) }
	case name == "imag":
		return func(f unsafe.Pointer) { *at[float64](f, d) = imag(*at[complex128](f, x[0])) }
	case kind == reflect.Float32:
		return func(f unsafe.Pointer) { *at[complex64](f, d) = complex(*at[float32](f, x[0]), *at[float32](f, x[1])) }
	}
	return func(f unsafe.Pointer) { *at[complex128](f, d) = complex(*at[float64](f, x[0]), *at[float64](f, x[1])) }
}

func (b *body) extreme(least bool, args []ssa.Value, x []uintptr, d uintptr) run.Instr {
	switch under(b.Types.Of(args[0].Type())).Kind() {
	case reflect.Int, reflect.Int64:
		return extremeOf[int](least, x, d)
	case reflect.Int8:
		return extremeOf[int8](least, x, d)
	case reflect.Int16:
		return extremeOf[int16](least, x, d)
	case reflect.Int32:
		return extremeOf[int32](least, x, d)
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return extremeOf[uint](least, x, d)
	case reflect.Uint8:
		return extremeOf[uint8](least, x, d)
	case reflect.Uint16:
		return extremeOf[uint16](least, x, d)
	case reflect.Uint32:
		return extremeOf[uint32](least, x, d)
	case reflect.Float32:
		return extremeOf[float32](least, x, d)
	case reflect.Float64:
		return extremeOf[float64](least, x, d)
	}
	return extremeOf[string](least, x, d)
}

func extremeOf[T cmp.Ordered](least bool, x []uintptr, d uintptr) run.Instr {
	return func(f unsafe.Pointer) {
		v := *at[T](f, x[0])
		for _, y := range x[1:] {
			if least {
				v = min(v, *at[T](f, y))
			} else {
				v = max(v, *at[T](f, y))
			}
		}
		*at[T](f, d) = v
	}
}

// prints writes to standard error, as the predeclared print does.
func (b *body) prints(line bool, args []ssa.Value, x []uintptr) run.Instr {
	texts := make([]func(unsafe.Pointer) string, len(args))
	for i, v := range args {
		if types.IsInterface(v.Type()) {
			texts[i] = func(p unsafe.Pointer) string {
				words := (*[2]uintptr)(p)
				return fmt.Sprintf("(%#x,%#x)", words[0], words[1])
			}
			continue
		}
		box := boxer(under(b.Types.Of(v.Type())))
		texts[i] = func(p unsafe.Pointer) string { return printed(box(p)) }
	}
	return func(f unsafe.Pointer) {
		text := ""
		for i, of := range texts {
			if line && i > 0 {
				text += " "
			}
			text += of(unsafe.Add(f, x[i]))
		}
		if line {
			text += "\n"
		}
		_, _ = os.Stderr.WriteString(text)
	}
}
