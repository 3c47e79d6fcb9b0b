package compile

import (
	"go/types"
	"hash/maphash"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// instance is a generic function of a compiled package, whose body export data do not have. results are the layouts of
// its results.
type instance func(c *Compiler, f *ssa.Function, args []reflect.Value, results []reflect.Type) []reflect.Value

// instances are found by the name of the generic function.
var instances = map[string]instance{
	"errors.AsType": func(c *Compiler, _ *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
		err, _ := a[0].Interface().(error)
		found := reflect.New(out[0])
		return []reflect.Value{found.Elem(), reflect.ValueOf(c.as(err, found.Interface()))}
	},
	"reflect.TypeFor": func(c *Compiler, f *ssa.Function, _ []reflect.Value, _ []reflect.Type) []reflect.Value {
		rt := c.Types.Of(f.TypeArgs()[0])
		return []reflect.Value{reflect.ValueOf(&rt).Elem()}
	},
	"math/rand/v2.N": func(_ *Compiler, _ *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
		most := plainValue(out[0], placedAt(a[0]))
		result := reflect.New(out[0])
		to := plainValue(out[0], result.UnsafePointer())
		if most.CanInt() {
			if most.Int() <= 0 {
				panic("invalid argument to N")
			}
			to.SetInt(rand.Int64N(most.Int()))
		} else {
			if most.Uint() == 0 {
				panic("invalid argument to N")
			}
			to.SetUint(rand.Uint64N(most.Uint()))
		}
		return []reflect.Value{result.Elem()}
	},
	"reflect.TypeAssert": typeAssert,
	"hash/maphash.Comparable": func(c *Compiler, _ *ssa.Function, a []reflect.Value, _ []reflect.Type) []reflect.Value {
		seed := a[0].Interface().(maphash.Seed)
		return []reflect.Value{reflect.ValueOf(maphash.Comparable(seed, c.unwrap(a[1].Interface())))}
	},
	"hash/maphash.WriteComparable": func(c *Compiler, _ *ssa.Function, a []reflect.Value,
		_ []reflect.Type) []reflect.Value {
		maphash.WriteComparable(a[0].Interface().(*maphash.Hash), c.unwrap(a[1].Interface()))
		return nil
	},
	"runtime.AddCleanup": addCleanup,
	"sync.OnceValue":     once,
	"sync.OnceValues":    once,
	"(*sync/atomic.Pointer[T]).Load": func(_ *Compiler, _ *ssa.Function, a []reflect.Value,
		out []reflect.Type) []reflect.Value {
		return pointerResult(out[0], atomic.LoadPointer(atomicPlace(a[0])))
	},
	"(*sync/atomic.Pointer[T]).Store": func(_ *Compiler, _ *ssa.Function, a []reflect.Value,
		_ []reflect.Type) []reflect.Value {
		atomic.StorePointer(atomicPlace(a[0]), a[1].UnsafePointer())
		return nil
	},
	"(*sync/atomic.Pointer[T]).Swap": func(_ *Compiler, _ *ssa.Function, a []reflect.Value,
		out []reflect.Type) []reflect.Value {
		return pointerResult(out[0], atomic.SwapPointer(atomicPlace(a[0]), a[1].UnsafePointer()))
	},
	"(*sync/atomic.Pointer[T]).CompareAndSwap": func(_ *Compiler, _ *ssa.Function, a []reflect.Value,
		_ []reflect.Type) []reflect.Value {
		ok := atomic.CompareAndSwapPointer(atomicPlace(a[0]), a[1].UnsafePointer(), a[2].UnsafePointer())
		return []reflect.Value{reflect.ValueOf(ok)}
	},
}

// instanceOf finds the Go function that takes the place of an instance.
func instanceOf(f *ssa.Function, results []reflect.Type) (Native, bool) {
	origin := f.Origin()
	if origin == nil {
		return nil, false
	}
	made, ok := instances[origin.String()]
	return func(c *Compiler, _ unsafe.Pointer, args []reflect.Value) []reflect.Value {
		return made(c, f, args, results)
	}, ok
}

// once is a function that calls another one at its first call only.
func once(_ *Compiler, _ *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
	f := reflect.New(a[0].Type()).Elem()
	f.Set(a[0]) // the frame that holds the argument serves other calls
	call := sync.OnceValue(func() []reflect.Value { return f.Call(nil) })
	return []reflect.Value{reflect.MakeFunc(out[0], func([]reflect.Value) []reflect.Value { return call() })}
}

// typeAssert is v.Interface().(T).
func typeAssert(c *Compiler, f *ssa.Function, a []reflect.Value, out []reflect.Type) []reflect.Value {
	v, typ, result := a[0].Interface().(reflect.Value), f.TypeArgs()[0], reflect.New(out[0])
	switch {
	case !v.IsValid():
		panic(&reflect.ValueError{Method: "reflect.TypeAssert", Kind: reflect.Invalid})
	case !v.CanInterface():
		panic("reflect.TypeAssert: cannot return value obtained from unexported field or method")
	}
	held := v.Interface()
	if of, known := c.Types.Back(v.Type()); known && types.IsInterface(of) {
		held = c.Dynamic(placedAt(v), of)
	}
	held = c.unwrap(held)
	ok := held != nil
	switch {
	case ok && types.IsInterface(typ):
		if ok = c.missing(reflect.TypeOf(held), typ) == ""; ok {
			c.setter(typ)(result.UnsafePointer(), held)
		}
	case ok:
		if ok = reflect.TypeOf(held) == out[0]; ok {
			result.Elem().Set(reflect.ValueOf(held))
		}
	}
	return []reflect.Value{result.Elem(), reflect.ValueOf(ok)}
}

// addCleanup is runtime.AddCleanup, which must not get the frame's own memory.
func addCleanup(_ *Compiler, _ *ssa.Function, a []reflect.Value, _ []reflect.Type) []reflect.Value {
	const tiny = 16 // bytes: smaller values may share memory, and are not checked
	p, size := a[0].UnsafePointer(), under(a[0].Type()).Elem().Size()
	call, arg := placedAt(a[1]), placedAt(a[2])
	if plain := plainValue(a[2].Type(), arg); plain.Kind() == reflect.Pointer || plain.Kind() == reflect.UnsafePointer {
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
	st := under(p.Type().Elem())
	field, _ := st.FieldByName("v")
	place := (*unsafe.Pointer)(unsafe.Add(p.UnsafePointer(), field.Offset))
	atomic.LoadPointer(place) // a nil pointer is a fault here; other goroutines may be writing
	return place
}

func pointerResult(rt reflect.Type, p unsafe.Pointer) []reflect.Value {
	return []reflect.Value{reflect.NewAt(rt, unsafe.Pointer(&p)).Elem()}
}

func placedAt(v reflect.Value) unsafe.Pointer {
	memory := reflect.New(v.Type())
	memory.Elem().Set(v)
	return memory.UnsafePointer()
}
