package bindings

import (
	"fmt"
	"reflect"
)

func sliceTwins() map[string]reflect.Value {
	return map[string]reflect.Value{
		"BinarySearch": reflect.ValueOf(func(x, target any) (int, bool) {
			s := slice("slices.BinarySearch", x)
			want := element("slices.BinarySearch", s, target)
			return search(s, func(e reflect.Value) int { return compare("slices.BinarySearch", e, want) })
		}),
		"BinarySearchFunc": reflect.ValueOf(func(x, target, cmp any) (int, bool) {
			want := reflect.ValueOf(target)
			return search(slice("slices.BinarySearchFunc", x),
				func(e reflect.Value) int { return byFunction("slices.BinarySearchFunc", cmp)(e, want) })
		}),
		"Clone": reflect.ValueOf(func(s any) any {
			v := slice("slices.Clone", s)
			if v.IsNil() {
				return s
			}
			return copySlice(v, 0).Interface()
		}),
		"Collect": reflect.ValueOf(func(seq any) any {
			return copySlice(values("slices.Collect", seq),
				0).Interface()
		}),
		"Compact": reflect.ValueOf(func(s any) any {
			v := slice("slices.Compact", s)
			n := 0
			for i := range v.Len() {
				if i == 0 || !equal(v.Index(i), v.Index(n-1)) {
					v.Index(n).Set(v.Index(i))
					n++
				}
			}
			v.Slice(n, v.Len()).Clear()
			return v.Slice(0, n).Interface()
		}),
		"Compare": reflect.ValueOf(func(s1, s2 any) int {
			a, b := slice("slices.Compare", s1), slice("slices.Compare", s2)
			for i := 0; i < a.Len() && i < b.Len(); i++ {
				if c := compare("slices.Compare", a.Index(i), b.Index(i)); c != 0 {
					return c
				}
			}
			return order(a.Len() < b.Len(), a.Len() > b.Len())
		}),
		"Concat": reflect.ValueOf(func(slices ...any) any {
			if len(slices) == 0 {
				panic(fmt.Errorf("slices.Concat needs a slice, to know the type of the result"))
			}
			joined := reflect.MakeSlice(slice("slices.Concat", slices[0]).Type(), 0, 0)
			for _, s := range slices {
				joined = reflect.AppendSlice(joined, slice("slices.Concat", s))
			}
			return joined.Interface()
		}),
		"Contains":     reflect.ValueOf(func(s, v any) bool { return index("slices.Contains", s, v) >= 0 }),
		"ContainsFunc": reflect.ValueOf(func(s, f any) bool { return indexFunc("slices.ContainsFunc", s, f) >= 0 }),
		"Delete": reflect.ValueOf(func(s any, i, j int) any {
			v := slice("slices.Delete", s)
			kept := reflect.AppendSlice(v.Slice(0, i), v.Slice(j, v.Len()))
			v.Slice(kept.Len(), v.Len()).Clear()
			return kept.Interface()
		}),
		"Equal": reflect.ValueOf(func(s1, s2 any) bool {
			a, b := slice("slices.Equal", s1), slice("slices.Equal", s2)
			if a.Len() != b.Len() {
				return false
			}
			for i := range a.Len() {
				if !equal(a.Index(i), b.Index(i)) {
					return false
				}
			}
			return true
		}),
		"Index":     reflect.ValueOf(func(s, v any) int { return index("slices.Index", s, v) }),
		"IndexFunc": reflect.ValueOf(func(s, f any) int { return indexFunc("slices.IndexFunc", s, f) }),
		"Insert": reflect.ValueOf(func(s any, i int, v ...any) any {
			old := slice("slices.Insert", s)
			result := reflect.MakeSlice(old.Type(), 0, old.Len()+len(v))
			result = reflect.AppendSlice(result, old.Slice(0, i))
			for _, x := range v {
				result = reflect.Append(result, element("slices.Insert", old, x))
			}
			return reflect.AppendSlice(result, old.Slice(i, old.Len())).Interface()
		}),
		"IsSorted": reflect.ValueOf(func(x any) bool {
			return isSorted(slice("slices.IsSorted", x),
				natural("slices.IsSorted"))
		}),
		"IsSortedFunc": reflect.ValueOf(func(x, cmp any) bool {
			return isSorted(slice("slices.IsSortedFunc", x), byFunction("slices.IsSortedFunc", cmp))
		}),
		"Max": reflect.ValueOf(func(x any) any { return extreme("slices.Max", x, natural("slices.Max"), 1, true) }),
		"MaxFunc": reflect.ValueOf(func(x, cmp any) any {
			return extreme("slices.MaxFunc", x,
				byFunction("slices.MaxFunc", cmp), 1, false)
		}),
		"Min": reflect.ValueOf(func(x any) any {
			return extreme("slices.Min", x, natural("slices.Min"), -1,
				true)
		}),
		"MinFunc": reflect.ValueOf(func(x, cmp any) any {
			return extreme("slices.MinFunc", x, byFunction("slices.MinFunc", cmp), -1, false)
		}),
		"Repeat": reflect.ValueOf(func(x any, count int) any {
			s := slice("slices.Repeat", x)
			if count < 0 {
				panic(fmt.Errorf("slices.Repeat: negative count %d", count))
			}
			result := reflect.MakeSlice(s.Type(), 0, s.Len()*count)
			for range count {
				result = reflect.AppendSlice(result, s)
			}
			return result.Interface()
		}),
		"Reverse": reflect.ValueOf(func(s any) {
			swap := reflect.Swapper(slice("slices.Reverse", s).Interface())
			for i, j := 0, reflect.ValueOf(s).Len()-1; i < j; i, j = i+1, j-1 {
				swap(i, j)
			}
		}),
		"Sort": reflect.ValueOf(func(x any) { sortValues(slice("slices.Sort", x), natural("slices.Sort")) }),
		"SortFunc": reflect.ValueOf(func(x, cmp any) {
			sortValues(slice("slices.SortFunc", x),
				byFunction("slices.SortFunc", cmp))
		}),
		"SortStableFunc": reflect.ValueOf(func(x, cmp any) {
			sortValues(slice("slices.SortStableFunc", x), byFunction("slices.SortStableFunc", cmp))
		}),
		"Sorted": reflect.ValueOf(func(seq any) any {
			s := copySlice(values("slices.Sorted", seq), 0)
			sortValues(s, natural("slices.Sorted"))
			return s.Interface()
		}),
		"Values": reflect.ValueOf(func(s any) any { return sequence{slice("slices.Values", s)} }),
	}
}

func mapTwins() map[string]reflect.Value {
	return map[string]reflect.Value{
		"Clone": reflect.ValueOf(func(m any) any {
			from := mapping("maps.Clone", m)
			if from.IsNil() {
				return m
			}
			to := reflect.MakeMapWithSize(from.Type(), from.Len())
			copyMap(to, from)
			return to.Interface()
		}),
		"Copy": reflect.ValueOf(func(dst, src any) { copyMap(mapping("maps.Copy", dst), mapping("maps.Copy", src)) }),
		"DeleteFunc": reflect.ValueOf(func(m, del any) {
			v := mapping("maps.DeleteFunc", m)
			for _, key := range v.MapKeys() {
				if call("maps.DeleteFunc", del, key, v.MapIndex(key)).Bool() {
					v.SetMapIndex(key, reflect.Value{})
				}
			}
		}),
		"Equal": reflect.ValueOf(func(m1, m2 any) bool {
			a, b := mapping("maps.Equal", m1), mapping("maps.Equal", m2)
			if a.Len() != b.Len() {
				return false
			}
			for _, key := range a.MapKeys() {
				other := b.MapIndex(key)
				if !other.IsValid() || !equal(a.MapIndex(key), other) {
					return false
				}
			}
			return true
		}),
		"Keys": reflect.ValueOf(func(m any) any {
			v := mapping("maps.Keys", m)
			keys := reflect.MakeSlice(reflect.SliceOf(v.Type().Key()), 0, v.Len())
			return sequence{reflect.Append(keys, v.MapKeys()...)}
		}),
		"Values": reflect.ValueOf(func(m any) any {
			v := mapping("maps.Values", m)
			list := reflect.MakeSlice(reflect.SliceOf(v.Type().Elem()), 0, v.Len())
			for _, key := range v.MapKeys() {
				list = reflect.Append(list, v.MapIndex(key))
			}
			return sequence{list}
		}),
	}
}

func copyMap(to, from reflect.Value) {
	for _, key := range from.MapKeys() {
		to.SetMapIndex(key, from.MapIndex(key))
	}
}

func values(function string, seq any) reflect.Value {
	s, ok := seq.(sequence)
	if !ok {
		panic(fmt.Errorf("%s: %T does not come from maps.Keys, maps.Values or slices.Values", function, seq))
	}
	return s.values
}

func index(function string, s, v any) int {
	list := slice(function, s)
	want := element(function, list, v)
	for i := range list.Len() {
		if equal(list.Index(i), want) {
			return i
		}
	}
	return -1
}

func indexFunc(function string, s, f any) int {
	list := slice(function, s)
	for i := range list.Len() {
		if call(function, f, list.Index(i)).Bool() {
			return i
		}
	}
	return -1
}
