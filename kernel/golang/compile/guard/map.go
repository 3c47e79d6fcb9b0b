package guard

import (
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Update returns a step that sets the value in slot v for the key in slot k. If check is not nil, it is called first.
func (g Map) Update(rt reflect.Type, m, k, v uintptr, check run.Instr) run.Instr {
	if step := g.fastUpdate(rt, m, k, v); step != nil {
		return step
	}
	return g.GuardWrite(m, slowUpdate(rt, m, k, v, check))
}

func slowUpdate(rt reflect.Type, m, k, v uintptr, check run.Instr) run.Instr {
	kt, vt := rt.Key(), rt.Elem()
	return func(f unsafe.Pointer) {
		if check != nil {
			check(f)
		}
		reflect.NewAt(rt, unsafe.Add(f, m)).Elem().
			SetMapIndex(reflect.NewAt(kt, unsafe.Add(f, k)).Elem(), reflect.NewAt(vt, unsafe.Add(f, v)).Elem())
	}
}

// Delete returns a step that deletes the key in slot k.
func (g Map) Delete(rt reflect.Type, m, k uintptr, check run.Instr) run.Instr {
	return g.GuardWrite(m, func(f unsafe.Pointer) {
		if check != nil {
			check(f)
		}
		m := reflect.NewAt(rt, unsafe.Add(f, m)).Elem()
		if !m.IsNil() {
			m.SetMapIndex(reflect.NewAt(rt.Key(), unsafe.Add(f, k)).Elem(), reflect.Value{})
		}
	})
}

// Lookup returns a step that reads the value of the key in slot k into slot d, and into slot ok whether there is one. A
// slot ok of 0 is not written.
func (g Map) Lookup(rt reflect.Type, m, k, d, ok uintptr, check run.Instr) run.Instr {
	if step := g.fastLookup(rt, m, k, d, ok); step != nil {
		return step
	}
	return g.guardRead(m, slowLookup(rt, m, k, d, ok, check))
}

func slowLookup(rt reflect.Type, x, k, d, okAt uintptr, check run.Instr) run.Instr {
	kt, vt, clear := rt.Key(), rt.Elem(), slot.ClearerOf(rt.Elem())
	return func(f unsafe.Pointer) {
		if check != nil {
			check(f)
		}
		v := reflect.NewAt(rt, unsafe.Add(f, x)).Elem().MapIndex(reflect.NewAt(kt, unsafe.Add(f, k)).Elem())
		if v.IsValid() {
			reflect.NewAt(vt, unsafe.Add(f, d)).Elem().Set(v)
		} else {
			clear(unsafe.Add(f, d))
		}
		if okAt != 0 {
			*slot.At[bool](f, okAt) = v.IsValid()
		}
	}
}

// iterator walks through a map.
type iterator struct {
	*reflect.MapIter
	m unsafe.Pointer
}

// IteratorType is what a slot holds while a map is walked through.
var IteratorType = reflect.TypeFor[iterator]()

// Range returns a step that begins to walk through the map in slot m.
//
//go:noinline
func Range(rt reflect.Type, m, d uintptr) run.Instr {
	return func(f unsafe.Pointer) {
		it := reflect.NewAt(rt, unsafe.Add(f, m)).Elem().MapRange()
		*slot.At[iterator](f, d) = iterator{it, *slot.At[unsafe.Pointer](f, m)}
	}
}

// Next returns a step of the walk in slot x. It writes to slot d whether there is another entry, and returns nil if
// there is none.
//
//go:noinline
func (g Map) Next(x, d uintptr) func(unsafe.Pointer) *reflect.MapIter {
	return func(f unsafe.Pointer) *reflect.MapIter {
		it := slot.At[iterator](f, x)
		if g.Alone() {
			*slot.At[bool](f, d) = it.Next()
		} else {
			fault.Site(f, g.Pos)
			Read(g.Crowd, it.m, IteratesWritten, func() { *slot.At[bool](f, d) = it.Next() })
		}
		if !*slot.At[bool](f, d) {
			return nil
		}
		return it.MapIter
	}
}
