package native

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"go/types"
	"hash"
	"hash/maphash"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unique"
	"unsafe"
	"weak"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// instance makes an instance of a generic function of a compiled package, whose body is not in export data. results are
// the layouts of its results.
type instance func(s *Session, f *ssa.Function, args []reflect.Value, results []reflect.Type) []reflect.Value

// instances are found by the name of the generic function.
var instances = map[string]instance{
	"errors.AsType": func(s *Session, _ *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
		err, _ := a[0].Interface().(error)
		found := reflect.New(out[0])
		return []reflect.Value{found.Elem(), reflect.ValueOf(s.as(err, found.Interface()))}
	},
	"reflect.TypeFor": func(s *Session, f *ssa.Function, _ []reflect.Value, _ []reflect.Type) []reflect.Value {
		rt := s.Types.Of(f.TypeArgs()[0])
		return []reflect.Value{reflect.ValueOf(&rt).Elem()}
	},
	"math/rand/v2.N": func(_ *Session, _ *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
		limit := dynamic.Plain(out[0], dynamic.Place(a[0]))
		result := reflect.New(out[0])
		to := dynamic.Plain(out[0], result.UnsafePointer())
		if limit.CanInt() {
			if limit.Int() <= 0 {
				panic("invalid argument to N")
			}
			to.SetInt(rand.Int64N(limit.Int()))
		} else {
			if limit.Uint() == 0 {
				panic("invalid argument to N")
			}
			to.SetUint(rand.Uint64N(limit.Uint()))
		}
		return []reflect.Value{result.Elem()}
	},
	"reflect.TypeAssert": typeAssert,
	"hash/maphash.Comparable": func(s *Session, _ *ssa.Function, a []reflect.Value, _ []reflect.Type) []reflect.Value {
		seed := a[0].Interface().(maphash.Seed)
		return []reflect.Value{reflect.ValueOf(maphash.Comparable(seed, s.Unwrap(a[1].Interface())))}
	},
	"hash/maphash.WriteComparable": func(s *Session, _ *ssa.Function, a []reflect.Value,
		_ []reflect.Type) []reflect.Value {
		maphash.WriteComparable(a[0].Interface().(*maphash.Hash), s.Unwrap(a[1].Interface()))
		return nil
	},
	"crypto/hkdf.Expand":       withHash(hkdf.Expand[hash.Hash]),
	"crypto/hkdf.Extract":      withHash(hkdf.Extract[hash.Hash]),
	"crypto/hkdf.Key":          withHash(hkdf.Key[hash.Hash]),
	"crypto/pbkdf2.Key":        withHash(pbkdf2.Key[hash.Hash]),
	"unique.Make":              makeUnique,
	"(unique.Handle[T]).Value": uniqueValue,
	"weak.Make": func(_ *Session, _ *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
		p := weak.Make((*byte)(a[0].UnsafePointer()))
		return []reflect.Value{reflect.NewAt(out[0], unsafe.Pointer(&p)).Elem()}
	},
	"(weak.Pointer[T]).Value": func(_ *Session, _ *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
		p := *(*weak.Pointer[byte])(dynamic.Place(a[0]))
		return pointerResult(out[0], unsafe.Pointer(p.Value()))
	},
	"runtime.AddCleanup": addCleanup,
	"sync.OnceValue":     once,
	"sync.OnceValues":    once,
	"(*sync/atomic.Pointer[T]).Load": func(_ *Session, _ *ssa.Function, a []reflect.Value,
		out []reflect.Type) []reflect.Value {
		return pointerResult(out[0], atomic.LoadPointer(atomicPlace(a[0])))
	},
	"(*sync/atomic.Pointer[T]).Store": func(_ *Session, _ *ssa.Function, a []reflect.Value,
		_ []reflect.Type) []reflect.Value {
		atomic.StorePointer(atomicPlace(a[0]), a[1].UnsafePointer())
		return nil
	},
	"(*sync/atomic.Pointer[T]).Swap": func(_ *Session, _ *ssa.Function, a []reflect.Value,
		out []reflect.Type) []reflect.Value {
		return pointerResult(out[0], atomic.SwapPointer(atomicPlace(a[0]), a[1].UnsafePointer()))
	},
	"(*sync/atomic.Pointer[T]).CompareAndSwap": func(_ *Session, _ *ssa.Function, a []reflect.Value,
		_ []reflect.Type) []reflect.Value {
		ok := atomic.CompareAndSwapPointer(atomicPlace(a[0]), a[1].UnsafePointer(), a[2].UnsafePointer())
		return []reflect.Value{reflect.ValueOf(ok)}
	},
}

// instanceOf finds the Go function that takes the place of an instance.
func instanceOf(f *ssa.Function, results []reflect.Type) (function, bool) {
	origin := f.Origin()
	if origin == nil {
		return nil, false
	}
	made, ok := instances[origin.String()]
	return func(s *Session, _ unsafe.Pointer, args []reflect.Value) []reflect.Value {
		return made(s, f, args, results)
	}, ok
}

// once is a function that calls another one at its first call only.
func once(_ *Session, _ *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
	f := reflect.New(a[0].Type()).Elem()
	f.Set(a[0]) // the frame that holds the argument serves other calls
	call := sync.OnceValue(func() []reflect.Value { return f.Call(nil) })
	return []reflect.Value{reflect.MakeFunc(out[0], func([]reflect.Value) []reflect.Value { return call() })}
}

// withHash calls a function whose first argument makes a hash of a type that the cell chooses.
func withHash(call any) instance {
	return func(s *Session, _ *ssa.Function, a []reflect.Value, _ []reflect.Type) []reflect.Value {
		args := slices.Clone(a)
		args[0] = reflect.ValueOf(func() hash.Hash {
			return s.Implementing(reflect.TypeFor[hash.Hash](), a[0].Call(nil)[0].Interface()).(hash.Hash)
		})
		return reflect.ValueOf(call).Call(args)
	}
}

// distinct is what a unique.Handle of a cell points to in place of the value.
type distinct struct {
	of    reflect.Type // the handle's
	value any
}

func makeUnique(s *Session, _ *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
	h := unique.Make(distinct{out[0], s.Unwrap(a[0].Interface())})
	return []reflect.Value{reflect.NewAt(out[0], unsafe.Pointer(&h)).Elem()}
}

func uniqueValue(s *Session, f *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
	held := (*(*unique.Handle[distinct])(dynamic.Place(a[0]))).Value().value
	result := reflect.New(out[0])
	if typ := f.Signature.Results().At(0).Type(); !types.IsInterface(typ) {
		result.Elem().Set(reflect.ValueOf(held))
	} else if held != nil {
		s.Setter(typ)(result.UnsafePointer(), held)
	}
	return []reflect.Value{result.Elem()}
}

// typeAssert is v.Interface().(T).
func typeAssert(s *Session, f *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
	v, typ, result := a[0].Interface().(reflect.Value), f.TypeArgs()[0], reflect.New(out[0])
	switch {
	case !v.IsValid():
		panic(&reflect.ValueError{Method: "reflect.TypeAssert", Kind: reflect.Invalid})
	case !v.CanInterface():
		panic("reflect.TypeAssert: cannot return value obtained from unexported field or method")
	}
	held := v.Interface()
	if of, known := s.Types.CellType(v.Type()); known && types.IsInterface(of) {
		held = s.Dynamic(dynamic.Place(v), of)
	}
	held = s.Unwrap(held)
	ok := held != nil
	switch {
	case ok && types.IsInterface(typ):
		if ok = s.Missing(reflect.TypeOf(held), typ) == ""; ok {
			s.Setter(typ)(result.UnsafePointer(), held)
		}
	case ok:
		if ok = reflect.TypeOf(held) == out[0]; ok {
			result.Elem().Set(reflect.ValueOf(held))
		}
	}
	return []reflect.Value{result.Elem(), reflect.ValueOf(ok)}
}

// addCleanup is runtime.AddCleanup, which must not get the frame's own memory.
func addCleanup(_ *Session, _ *ssa.Function, a []reflect.Value, _ []reflect.Type) []reflect.Value {
	const tiny = 16 // bytes: smaller values may share memory, and are not checked
	p, size := a[0].UnsafePointer(), layout.Unwrapped(a[0].Type()).Elem().Size()
	call, arg := dynamic.Place(a[1]), dynamic.Place(a[2])
	plain := dynamic.Plain(a[2].Type(), arg)
	if plain.Kind() == reflect.Pointer || plain.Kind() == reflect.UnsafePointer {
		switch to := uintptr(plain.UnsafePointer()); {
		case p != nil && to == uintptr(p):
			panic("runtime.AddCleanup: ptr is equal to arg, cleanup will never run")
		case p != nil && size > tiny && to > uintptr(p) && to < uintptr(p)+size:
			panic("runtime.AddCleanup: ptr is within arg, cleanup will never run")
		}
	}
	fn, value := reflect.NewAt(a[1].Type(), call).Elem(), reflect.NewAt(a[2].Type(), arg).Elem()
	cleanup := runtime.AddCleanup((*byte)(p), func(v reflect.Value) { fn.Call([]reflect.Value{v}) }, value)
	return []reflect.Value{reflect.ValueOf(cleanup)}
}

// atomicPlace is where an atomic.Pointer holds its pointer.
func atomicPlace(p reflect.Value) *unsafe.Pointer {
	st := layout.Unwrapped(p.Type().Elem())
	field, _ := st.FieldByName("v")
	place := (*unsafe.Pointer)(unsafe.Add(p.UnsafePointer(), field.Offset))
	atomic.LoadPointer(place) // a nil pointer is a fault here; other goroutines may be writing
	return place
}

func pointerResult(rt reflect.Type, p unsafe.Pointer) []reflect.Value {
	return []reflect.Value{reflect.NewAt(rt, unsafe.Pointer(&p)).Elem()}
}
