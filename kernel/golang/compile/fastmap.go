package compile

import (
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// fastUpdate and fastLookup serve maps of the commonest types without reflection; nil for all others.
func (g guard) fastUpdate(rt reflect.Type, m, k, v uintptr) run.Instr {
	switch rt {
	case reflect.TypeFor[map[int]int]():
		return update[int, int](g, m, k, v)
	case reflect.TypeFor[map[int]bool]():
		return update[int, bool](g, m, k, v)
	case reflect.TypeFor[map[int]string]():
		return update[int, string](g, m, k, v)
	case reflect.TypeFor[map[int]float64]():
		return update[int, float64](g, m, k, v)
	case reflect.TypeFor[map[string]int]():
		return update[string, int](g, m, k, v)
	case reflect.TypeFor[map[string]bool]():
		return update[string, bool](g, m, k, v)
	case reflect.TypeFor[map[string]string]():
		return update[string, string](g, m, k, v)
	case reflect.TypeFor[map[string]float64]():
		return update[string, float64](g, m, k, v)
	case reflect.TypeFor[map[string][]string]():
		return update[string, []string](g, m, k, v)
	case reflect.TypeFor[map[rune]int]():
		return update[rune, int](g, m, k, v)
	}
	return nil
}

func update[K comparable, V any](g guard, m, k, v uintptr) run.Instr {
	step := func(f unsafe.Pointer) { (*at[map[K]V](f, m))[*at[K](f, k)] = *at[V](f, v) }
	return func(f unsafe.Pointer) {
		site(f, g.pos)
		if !g.Alone() {
			g.changed(m, f, step)
			return
		}
		(*at[map[K]V](f, m))[*at[K](f, k)] = *at[V](f, v)
	}
}

func (g guard) fastLookup(rt reflect.Type, m, k, d, ok uintptr) run.Instr {
	switch rt {
	case reflect.TypeFor[map[int]int]():
		return lookup[int, int](g, m, k, d, ok)
	case reflect.TypeFor[map[int]bool]():
		return lookup[int, bool](g, m, k, d, ok)
	case reflect.TypeFor[map[int]string]():
		return lookup[int, string](g, m, k, d, ok)
	case reflect.TypeFor[map[int]float64]():
		return lookup[int, float64](g, m, k, d, ok)
	case reflect.TypeFor[map[string]int]():
		return lookup[string, int](g, m, k, d, ok)
	case reflect.TypeFor[map[string]bool]():
		return lookup[string, bool](g, m, k, d, ok)
	case reflect.TypeFor[map[string]string]():
		return lookup[string, string](g, m, k, d, ok)
	case reflect.TypeFor[map[string]float64]():
		return lookup[string, float64](g, m, k, d, ok)
	case reflect.TypeFor[map[string][]string]():
		return lookup[string, []string](g, m, k, d, ok)
	case reflect.TypeFor[map[rune]int]():
		return lookup[rune, int](g, m, k, d, ok)
	}
	return nil
}

func lookup[K comparable, V any](g guard, m, k, d, ok uintptr) run.Instr {
	if ok == 0 {
		step := func(f unsafe.Pointer) { *at[V](f, d) = (*at[map[K]V](f, m))[*at[K](f, k)] }
		return func(f unsafe.Pointer) {
			if !g.Alone() {
				g.looked(m, f, step)
				return
			}
			*at[V](f, d) = (*at[map[K]V](f, m))[*at[K](f, k)]
		}
	}
	step := func(f unsafe.Pointer) { *at[V](f, d), *at[bool](f, ok) = (*at[map[K]V](f, m))[*at[K](f, k)] }
	return func(f unsafe.Pointer) {
		if !g.Alone() {
			g.looked(m, f, step)
			return
		}
		step(f)
	}
}
