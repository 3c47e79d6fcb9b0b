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
		return fastUpdateOf[int, int](g, m, k, v)
	case reflect.TypeFor[map[int]bool]():
		return fastUpdateOf[int, bool](g, m, k, v)
	case reflect.TypeFor[map[int]string]():
		return fastUpdateOf[int, string](g, m, k, v)
	case reflect.TypeFor[map[int]float64]():
		return fastUpdateOf[int, float64](g, m, k, v)
	case reflect.TypeFor[map[string]int]():
		return fastUpdateOf[string, int](g, m, k, v)
	case reflect.TypeFor[map[string]bool]():
		return fastUpdateOf[string, bool](g, m, k, v)
	case reflect.TypeFor[map[string]string]():
		return fastUpdateOf[string, string](g, m, k, v)
	case reflect.TypeFor[map[string]float64]():
		return fastUpdateOf[string, float64](g, m, k, v)
	case reflect.TypeFor[map[string][]string]():
		return fastUpdateOf[string, []string](g, m, k, v)
	case reflect.TypeFor[map[rune]int]():
		return fastUpdateOf[rune, int](g, m, k, v)
	}
	return nil
}

//go:noinline
func fastUpdateOf[K comparable, V any](g Map, m, k, v uintptr) run.Instr {
	step := func(f unsafe.Pointer) { (*slot.At[map[K]V](f, m))[*slot.At[K](f, k)] = *slot.At[V](f, v) }
	return func(f unsafe.Pointer) {
		fault.Site(f, g.Pos)
		if !g.Alone() {
			g.changeGuarded(m, f, step)
			return
		}
		(*slot.At[map[K]V](f, m))[*slot.At[K](f, k)] = *slot.At[V](f, v)
	}
}

func (g Map) fastLookup(rt reflect.Type, m, k, d, ok uintptr) run.Instr {
	switch rt {
	case reflect.TypeFor[map[int]int]():
		return fastLookupOf[int, int](g, m, k, d, ok)
	case reflect.TypeFor[map[int]bool]():
		return fastLookupOf[int, bool](g, m, k, d, ok)
	case reflect.TypeFor[map[int]string]():
		return fastLookupOf[int, string](g, m, k, d, ok)
	case reflect.TypeFor[map[int]float64]():
		return fastLookupOf[int, float64](g, m, k, d, ok)
	case reflect.TypeFor[map[string]int]():
		return fastLookupOf[string, int](g, m, k, d, ok)
	case reflect.TypeFor[map[string]bool]():
		return fastLookupOf[string, bool](g, m, k, d, ok)
	case reflect.TypeFor[map[string]string]():
		return fastLookupOf[string, string](g, m, k, d, ok)
	case reflect.TypeFor[map[string]float64]():
		return fastLookupOf[string, float64](g, m, k, d, ok)
	case reflect.TypeFor[map[string][]string]():
		return fastLookupOf[string, []string](g, m, k, d, ok)
	case reflect.TypeFor[map[rune]int]():
		return fastLookupOf[rune, int](g, m, k, d, ok)
	}
	return nil
}

//go:noinline
func fastLookupOf[K comparable, V any](g Map, m, k, d, ok uintptr) run.Instr {
	if ok == 0 {
		step := func(f unsafe.Pointer) { *slot.At[V](f, d) = (*slot.At[map[K]V](f, m))[*slot.At[K](f, k)] }
		return func(f unsafe.Pointer) {
			if !g.Alone() {
				g.readGuarded(m, f, step)
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
			g.readGuarded(m, f, step)
			return
		}
		step(f)
	}
}
