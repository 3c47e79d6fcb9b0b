package guard

import (
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// fastUpdate and fastLookup serve maps of the commonest types without reflection; nil for all others.
func (g Map) fastUpdate(rt reflect.Type, m, k, v uintptr) run.Instr {
	switch rt {
	case reflect.TypeFor[map[int]int]():
		return fastChange[int, int](g, m, k, v)
	case reflect.TypeFor[map[int]bool]():
		return fastChange[int, bool](g, m, k, v)
	case reflect.TypeFor[map[int]string]():
		return fastChange[int, string](g, m, k, v)
	case reflect.TypeFor[map[int]float64]():
		return fastChange[int, float64](g, m, k, v)
	case reflect.TypeFor[map[string]int]():
		return fastChange[string, int](g, m, k, v)
	case reflect.TypeFor[map[string]bool]():
		return fastChange[string, bool](g, m, k, v)
	case reflect.TypeFor[map[string]string]():
		return fastChange[string, string](g, m, k, v)
	case reflect.TypeFor[map[string]float64]():
		return fastChange[string, float64](g, m, k, v)
	case reflect.TypeFor[map[string][]string]():
		return fastChange[string, []string](g, m, k, v)
	case reflect.TypeFor[map[rune]int]():
		return fastChange[rune, int](g, m, k, v)
	}
	return nil
}

//go:noinline
func fastChange[K comparable, V any](g Map, m, k, v uintptr) run.Instr {
	step := func(f unsafe.Pointer) { (*slot.At[map[K]V](f, m))[*slot.At[K](f, k)] = *slot.At[V](f, v) }
	return func(f unsafe.Pointer) {
		fault.Site(f, g.Pos)
		if !g.Alone() {
			g.changed(m, f, step)
			return
		}
		(*slot.At[map[K]V](f, m))[*slot.At[K](f, k)] = *slot.At[V](f, v)
	}
}

func (g Map) fastLookup(rt reflect.Type, m, k, d, ok uintptr) run.Instr {
	switch rt {
	case reflect.TypeFor[map[int]int]():
		return fastLook[int, int](g, m, k, d, ok)
	case reflect.TypeFor[map[int]bool]():
		return fastLook[int, bool](g, m, k, d, ok)
	case reflect.TypeFor[map[int]string]():
		return fastLook[int, string](g, m, k, d, ok)
	case reflect.TypeFor[map[int]float64]():
		return fastLook[int, float64](g, m, k, d, ok)
	case reflect.TypeFor[map[string]int]():
		return fastLook[string, int](g, m, k, d, ok)
	case reflect.TypeFor[map[string]bool]():
		return fastLook[string, bool](g, m, k, d, ok)
	case reflect.TypeFor[map[string]string]():
		return fastLook[string, string](g, m, k, d, ok)
	case reflect.TypeFor[map[string]float64]():
		return fastLook[string, float64](g, m, k, d, ok)
	case reflect.TypeFor[map[string][]string]():
		return fastLook[string, []string](g, m, k, d, ok)
	case reflect.TypeFor[map[rune]int]():
		return fastLook[rune, int](g, m, k, d, ok)
	}
	return nil
}

//go:noinline
func fastLook[K comparable, V any](g Map, m, k, d, ok uintptr) run.Instr {
	if ok == 0 {
		step := func(f unsafe.Pointer) { *slot.At[V](f, d) = (*slot.At[map[K]V](f, m))[*slot.At[K](f, k)] }
		return func(f unsafe.Pointer) {
			if !g.Alone() {
				g.looked(m, f, step)
				return
			}
			*slot.At[V](f, d) = (*slot.At[map[K]V](f, m))[*slot.At[K](f, k)]
		}
	}
	step := func(f unsafe.Pointer) {
		*slot.At[V](f, d), *slot.At[bool](f, ok) = (*slot.At[map[K]V](f, m))[*slot.At[K](f, k)]
	}
	return func(f unsafe.Pointer) {
		if !g.Alone() {
			g.looked(m, f, step)
			return
		}
		step(f)
	}
}
