package native

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/lock"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Function finds the compiled function that a function without a body stands for. Of a method, the receiver is its
// first parameter.
func (s *Session) Function(f *ssa.Function) (reflect.Value, bool) {
	if recv := f.Signature.Recv(); recv != nil {
		m, ok := s.Types.Of(recv.Type()).MethodByName(f.Name())
		return m.Func, ok
	}
	if f.Pkg == nil {
		return reflect.Value{}, false
	}
	v, ok := s.library.Value(f.Pkg.Pkg.Path(), strings.TrimSuffix(f.Name(), "·"))
	return v, ok && v.Kind() == reflect.Func
}

// IsSpecial reports whether a compiled function, by its name in SSA, needs more than a call, also as a value and
// through an interface.
func (s *Session) IsSpecial(name string) bool {
	_, looksInto := s.natives[name]
	return looksInto || isQuick(name) || lock.HasStep(name)
}

// SpecialMethod finds a method of a compiled type that needs more than a call; nil for all others.
func (s *Session) SpecialMethod(rt reflect.Type, name string) *ssa.Function {
	if rt.Kind() != reflect.Pointer {
		return nil
	}
	path, typ := rt.Elem().PkgPath(), rt.Elem().Name()
	if !s.IsSpecial("(*" + path + "." + typ + ")." + name) {
		return nil
	}
	return s.PointerMethod(path, typ, name)
}

// Step returns a step that calls a compiled function. Its arguments and results are in the frame of the caller.
func (s *Session) Step(f *ssa.Function, args, results []uintptr) run.Instr {
	if IsOrdered(f) {
		return orderedSteps[elementKind(f)](f.Origin().String(), args, results)
	}
	var have []reflect.Type // layouts of the arguments
	if recv := f.Signature.Recv(); recv != nil {
		have = append(have, s.Types.Of(recv.Type()))
	}
	for v := range f.Signature.Params().Variables() {
		have = append(have, s.Types.Of(v.Type()))
	}
	var out []reflect.Type
	for v := range f.Signature.Results().Variables() {
		out = append(out, s.Types.Of(v.Type()))
	}
	if step := lock.WaitStep(f.String(), args); step != nil {
		return step
	}
	if step := lock.UnlockStep(s.Crowd, f.String(), args); step != nil {
		return step
	}
	if step := s.quickStep(f.String(), args, results); step != nil {
		return step
	}
	n, ok := s.natives[f.String()]
	if !ok {
		n, ok = instanceOf(f, out)
	}
	if ok {
		return func(frame unsafe.Pointer) {
			in := make([]reflect.Value, len(args))
			for i, rt := range have {
				in[i] = reflect.NewAt(rt, unsafe.Add(frame, args[i])).Elem()
			}
			for i, v := range n(s, frame, in) {
				to := reflect.NewAt(out[i], unsafe.Add(frame, results[i])).Elem()
				to.Set(v)
			}
		}
	}
	fv, ok := s.Function(f)
	if !ok {
		text := fmt.Sprintf("%s is not linked into this program", f)
		return func(frame unsafe.Pointer) { panic(fault.Message(text)) }
	}
	step := directStep(fv, args, results)
	if step == nil {
		step = func(frame unsafe.Pointer) { s.Call(fv, frame, args, results, have, out) }
	}
	return s.mapMethod(f, args, step)
}

// Call calls a compiled function by reflection. have and made are the layouts of its arguments and results in the
// frame.
func (s *Session) Call(fv reflect.Value, frame unsafe.Pointer, args, results []uintptr,
	have, made []reflect.Type) {
	ft := fv.Type()
	in := make([]reflect.Value, len(args))
	for i := range args {
		p, want := unsafe.Add(frame, args[i]), ft.In(i)
		if want.Kind() == reflect.Interface && want.NumMethod() > 0 && have[i].NumMethod() == 0 {
			in[i] = reflect.New(want).Elem() // an interface of cells becomes a compiled one
			if v := *(*any)(p); v != nil {
				in[i].Set(reflect.ValueOf(s.Implementing(want, v)))
			}
			continue
		}
		in[i] = reflect.NewAt(want, p).Elem()
		switch want {
		case writerType:
			in[i] = lateOf(in[i])
		case writersType:
			in[i] = allLate(in[i])
		}
	}
	var out []reflect.Value
	if ft.IsVariadic() {
		out = fv.CallSlice(in)
	} else {
		out = fv.Call(in)
	}
	for i, offset := range results {
		got := ft.Out(i)
		if got.Kind() == reflect.Interface && got.NumMethod() > 0 && made[i].NumMethod() == 0 {
			// a compiled interface becomes one of cells
			*(*any)(unsafe.Add(frame, offset)) = s.Unwrap(out[i].Interface())
			continue
		}
		to := reflect.NewAt(ft.Out(i), unsafe.Add(frame, offset)).Elem()
		to.Set(out[i])
		if ft.Out(i) == writerType {
			restoreFile(to.Addr().Interface().(*io.Writer))
		}
	}
}
