package guard

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// frame has a map, a key, a value and what is found.
type frame[K comparable, V any] struct {
	run.Head
	m     map[K]V
	key   K
	value V
	found V
	ok    bool
	walk  iterator
}

// walked checks all steps for maps of a type: from an empty map on, alone and next to other goroutines.
func walked[K comparable, V comparable](t *testing.T, a, b K, v, w V) {
	t.Helper()
	rt := reflect.TypeFor[map[K]V]()
	for _, others := range []int{0, 3} {
		crowd := new(run.Crowd)
		for range others {
			crowd.Expect()
		}
		g := Map{Crowd: crowd, Pos: 7}
		f := &frame[K, V]{m: map[K]V{}}
		p := unsafe.Pointer(f)
		m, k, value := unsafe.Offsetof(f.m), unsafe.Offsetof(f.key), unsafe.Offsetof(f.value)
		found, ok, walk := unsafe.Offsetof(f.found), unsafe.Offsetof(f.ok), unsafe.Offsetof(f.walk)
		update := g.Update(rt, m, k, value)
		f.key, f.value = a, v
		update(p)
		f.key, f.value = b, w
		update(p)
		if len(f.m) != 2 || f.m[a] != v || f.m[b] != w || f.Site != 7 {
			t.Errorf("%v: %v is written at %d", rt, f.m, f.Site)
		}
		f.key = a
		g.Lookup(rt, m, k, found, ok)(p)
		if !f.ok || f.found != v {
			t.Errorf("%v: %v is found, %v", rt, f.found, f.ok)
		}
		g.Delete(rt, m, k)(p)
		g.Lookup(rt, m, k, found, ok)(p)
		var zero V
		if _, is := f.m[a]; is || f.ok || f.found != zero {
			t.Errorf("%v: %v is left, %v is found, %v", rt, f.m, f.found, f.ok)
		}
		f.key, f.found = b, zero
		g.Lookup(rt, m, k, found, 0)(p)
		if f.found != w {
			t.Errorf("%v: %v is found", rt, f.found)
		}
		Range(rt, m, walk)(p)
		next, seen := g.Next(walk, ok), 0
		for at, valueAt := next(p); at != nil; at, valueAt = next(p) {
			seen++
			if key, value := *(*K)(at), *(*V)(valueAt); key != b || value != w {
				t.Errorf("%v: an entry %v: %v", rt, key, value)
			}
		}
		if seen != 1 || f.ok {
			t.Errorf("%v: %d entries, more %v", rt, seen, f.ok)
		}
	}
}

// TestMap: steps for common types, which are compiled, and for others.
func TestMap(t *testing.T) {
	walked(t, 1, 2, 3, 4)
	walked(t, 1, 2, false, true)
	walked(t, 1, 2, "v", "w")
	walked(t, 1, 2, .5, 1.5)
	walked(t, "a", "b", 3, 4)
	walked(t, "a", "b", false, true)
	walked(t, "a", "b", "v", "w")
	walked(t, "a", "b", .5, 1.5)
	walked(t, 'a', 'b', 3, 4)
	walked(t, [2]int{1, 2}, [2]int{2, 1}, struct{ n int8 }{3}, struct{ n int8 }{4})
	walked(t, any("a"), any(2), any(nil), any(3.5))
}

// TestNilMap: writing fails as in compiled Go, all else finds nothing.
func TestNilMap(t *testing.T) {
	g := Map{Crowd: new(run.Crowd)}
	for _, rt := range []reflect.Type{reflect.TypeFor[map[int]int](), reflect.TypeFor[map[int]int8]()} {
		f := &frame[int, int]{ok: true, found: 5}
		p := unsafe.Pointer(f)
		m, k, v, ok := unsafe.Offsetof(f.m), unsafe.Offsetof(f.key), unsafe.Offsetof(f.value), unsafe.Offsetof(f.ok)
		g.Lookup(rt, m, k, unsafe.Offsetof(f.found), ok)(p)
		g.Delete(rt, m, k)(p)
		if f.ok || f.found != 0 {
			t.Errorf("%v: %v, %v", rt, f.found, f.ok)
		}
		if got := fmt.Sprint(ending(func() { g.Update(rt, m, k, v)(p) })); got != "assignment to entry in nil map" {
			t.Errorf("%v: %s", rt, got)
		}
	}
	f := &frame[any, int]{key: []int{1}}
	rt, p := reflect.TypeFor[map[any]int](), unsafe.Pointer(f)
	m, k := unsafe.Offsetof(f.m), unsafe.Offsetof(f.key)
	for _, step := range []run.Instr{g.Delete(rt, m, k), g.Lookup(rt, m, k, unsafe.Offsetof(f.found), 0)} {
		if got := fmt.Sprint(ending(func() { step(p) })); got != "hash of unhashable type: []int" {
			t.Errorf("a key that cannot be hashed: %s", got)
		}
	}
}

func ending(call func()) (value any) {
	defer func() { value = recover() }()
	call()
	return nil
}

// TestOverlap: a use during a change ends the cell with Go's words, and so does a change during a use.
func TestOverlap(t *testing.T) {
	for _, rt := range []reflect.Type{reflect.TypeFor[map[int]int](), reflect.TypeFor[map[int]int8]()} {
		crowd := new(run.Crowd)
		crowd.Expect()
		crowd.Expect()
		g, f := Map{Crowd: crowd}, &frame[int, int]{}
		p := unsafe.Pointer(f)
		*(*unsafe.Pointer)(unsafe.Pointer(&f.m)) = reflect.MakeMap(rt).UnsafePointer()
		object := *(*unsafe.Pointer)(unsafe.Pointer(&f.m))
		m, k, walk, ok := unsafe.Offsetof(f.m), unsafe.Offsetof(f.key), unsafe.Offsetof(f.walk), unsafe.Offsetof(f.ok)
		update := func() { g.Update(rt, m, k, unsafe.Offsetof(f.value))(p) }
		lookup := func() { g.Lookup(rt, m, k, unsafe.Offsetof(f.found), 0)(p) }
		Range(rt, m, walk)(p)
		next := func() { g.Next(walk, ok)(p) }
		crowd.Write(object)
		for _, c := range []struct {
			use  func()
			want string
		}{{lookup, ReadsWritten}, {next, IteratesWritten}, {update, "fatal error: concurrent map writes"}} {
			if got := ending(c.use); got != (run.Fatal{Text: c.want}) {
				t.Errorf("%v: %v, want %s", rt, got, c.want)
			}
		}
		crowd.Written(object)
		crowd.Read(object, ReadsWritten)
		if got := ending(lookup); got != nil {
			t.Errorf("%v: two reads: %v", rt, got)
		}
		if got := ending(update); got != (run.Fatal{Text: ReadsWritten}) {
			t.Errorf("%v: a change during a read: %v", rt, got)
		}
		crowd.HasRead(object)
		if got := ending(update); got != nil {
			t.Errorf("%v: after both: %v", rt, got)
		}
	}
}
