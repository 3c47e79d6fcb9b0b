package guard

import (
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Update returns a step that sets the value in slot v for the key in slot k.
func (g Map) Update(rt reflect.Type, m, k, v uintptr) run.Instr {
	if step := g.fastUpdate(rt, m, k, v); step != nil {
		return step
	}
	return g.GuardWrite(m, slowUpdate(rt, m, k, v))
}

func slowUpdate(rt reflect.Type, m, k, v uintptr) run.Instr {
	view, key, value := slot.ViewerOf(rt), slot.ViewerOf(rt.Key()), slot.ViewerOf(rt.Elem())
	return func(f unsafe.Pointer) {
		view(unsafe.Add(f, m)).SetMapIndex(key(unsafe.Add(f, k)), value(unsafe.Add(f, v)))
	}
}

// Delete returns a step that deletes the key in slot k.
func (g Map) Delete(rt reflect.Type, m, k uintptr) run.Instr {
	return g.GuardWrite(m, func(f unsafe.Pointer) {
		m, k := reflect.NewAt(rt, unsafe.Add(f, m)).Elem(), reflect.NewAt(rt.Key(), unsafe.Add(f, k)).Elem()
		m.SetMapIndex(k, reflect.Value{}) // also of a nil map: a key that cannot be hashed fails there too
	})
}

// Lookup returns a step that reads the value of the key in slot k into slot d, and into slot ok whether there is one. A
// slot ok of 0 is not written.
func (g Map) Lookup(rt reflect.Type, m, k, d, ok uintptr) run.Instr {
	if step := g.fastLookup(rt, m, k, d, ok); step != nil {
		return step
	}
	return g.guardRead(m, slowLookup(rt, m, k, d, ok))
}

func slowLookup(rt reflect.Type, x, k, d, okAt uintptr) run.Instr {
	view, key, value := slot.ViewerOf(rt), slot.ViewerOf(rt.Key()), slot.ViewerOf(rt.Elem())
	clear := slot.ClearerOf(rt.Elem())
	return func(f unsafe.Pointer) {
		v := view(unsafe.Add(f, x)).MapIndex(key(unsafe.Add(f, k)))
		if v.IsValid() {
			value(unsafe.Add(f, d)).Set(v)
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

// The places in a walk of pointers to the key and the value that it has reached.
var keyPlace, valuePlace = entryPlace("key"), entryPlace("elem")

// entryPlace finds such a place, 0 if there is none.
func entryPlace(name string) uintptr {
	inner, ok := reflect.TypeFor[reflect.MapIter]().FieldByName("hiter")
	if !ok || inner.Type.Kind() != reflect.Struct {
		return 0
	}
	field, ok := inner.Type.FieldByName(name)
	if !ok || field.Type.Kind() != reflect.UnsafePointer {
		return 0
	}
	return inner.Offset + field.Offset
}

// Check compares this package's idea of a walk through a map with package reflect.
func Check() error {
	if keyPlace == 0 || valuePlace == 0 {
		return layout.Mismatch("walks through maps are not laid out")
	}
	it := reflect.ValueOf(map[int]string{7: "v"}).MapRange()
	it.Next()
	key, value := entryOf(it)
	if *(*int)(key) != 7 || *(*string)(value) != "v" {
		return layout.Mismatch("walks through maps are not laid out")
	}
	return nil
}

// entryOf returns where the key and the value lie that a walk has reached.
func entryOf(it *reflect.MapIter) (key, value unsafe.Pointer) {
	p := unsafe.Pointer(it)
	return *(*unsafe.Pointer)(unsafe.Add(p, keyPlace)), *(*unsafe.Pointer)(unsafe.Add(p, valuePlace))
}

// Next returns a step of the walk in slot x. It writes to slot d whether there is another entry, and returns where its
// key and value lie, nil if there is none.
//
//go:noinline
func (g Map) Next(x, d uintptr) func(unsafe.Pointer) (key, value unsafe.Pointer) {
	return func(f unsafe.Pointer) (key, value unsafe.Pointer) {
		it := slot.At[iterator](f, x)
		if g.Alone() {
			*slot.At[bool](f, d) = it.Next()
		} else {
			fault.Site(f, g.Pos)
			Read(g.Crowd, it.m, IteratesWritten, func() { *slot.At[bool](f, d) = it.Next() })
		}
		if !*slot.At[bool](f, d) {
			return nil, nil
		}
		return entryOf(it.MapIter)
	}
}
