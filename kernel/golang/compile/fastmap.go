package compile

import (
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// fastUpdate and fastLookup serve maps of the commonest types without reflection; nil for all others.
func fastUpdate(rt reflect.Type, m, k, v uintptr) run.Instr {
	switch rt {
	case reflect.TypeFor[map[int]int]():
		return update[int, int](m, k, v)
	case reflect.TypeFor[map[int]bool]():
		return update[int, bool](m, k, v)
	case reflect.TypeFor[map[int]string]():
		return update[int, string](m, k, v)
	case reflect.TypeFor[map[int]float64]():
		return update[int, float64](m, k, v)
	case reflect.TypeFor[map[string]int]():
		return update[string, int](m, k, v)
	case reflect.TypeFor[map[string]bool]():
		return update[string, bool](m, k, v)
	case reflect.TypeFor[map[string]string]():
		return update[string, string](m, k, v)
	case reflect.TypeFor[map[string]float64]():
		return update[string, float64](m, k, v)
	case reflect.TypeFor[map[string][]string]():
		return update[string, []string](m, k, v)
	case reflect.TypeFor[map[rune]int]():
		return update[rune, int](m, k, v)
	}
	return nil
}

func update[K comparable, V any](m, k, v uintptr) run.Instr {
	return func(f unsafe.Pointer) { (*at[map[K]V](f, m))[*at[K](f, k)] = *at[V](f, v) }
}

func fastLookup(rt reflect.Type, m, k, d, ok uintptr) run.Instr {
	switch rt {
	case reflect.TypeFor[map[int]int]():
		return lookup[int, int](m, k, d, ok)
	case reflect.TypeFor[map[int]bool]():
		return lookup[int, bool](m, k, d, ok)
	case reflect.TypeFor[map[int]string]():
		return lookup[int, string](m, k, d, ok)
	case reflect.TypeFor[map[int]float64]():
		return lookup[int, float64](m, k, d, ok)
	case reflect.TypeFor[map[string]int]():
		return lookup[string, int](m, k, d, ok)
	case reflect.TypeFor[map[string]bool]():
		return lookup[string, bool](m, k, d, ok)
	case reflect.TypeFor[map[string]string]():
		return lookup[string, string](m, k, d, ok)
	case reflect.TypeFor[map[string]float64]():
		return lookup[string, float64](m, k, d, ok)
	case reflect.TypeFor[map[string][]string]():
		return lookup[string, []string](m, k, d, ok)
	case reflect.TypeFor[map[rune]int]():
		return lookup[rune, int](m, k, d, ok)
	}
	return nil
}

func lookup[K comparable, V any](m, k, d, ok uintptr) run.Instr {
	if ok == 0 {
		return func(f unsafe.Pointer) { *at[V](f, d) = (*at[map[K]V](f, m))[*at[K](f, k)] }
	}
	return func(f unsafe.Pointer) { *at[V](f, d), *at[bool](f, ok) = (*at[map[K]V](f, m))[*at[K](f, k)] }
}
