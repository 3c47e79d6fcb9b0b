package bindings

import (
	"fmt"
	"math"
	"reflect"
	"sort"
	"strings"

	"github.com/cosmos72/gomacro/imports"
)

// The functions of slices, maps and cmp are generic, so the interpreter cannot call them. The twins here take values of
// any type, work by reflection, and return any where the result's type depends on an argument's. The interpreter gives
// a call the type that Go would infer if that follows from the first argument (twin.go in package interp). Only a
// result from a sequence in a variable needs a type assertion.

// sequence stands for Go's iterators: the values in their order.
type sequence struct{ values reflect.Value } // a slice

func twins() []Source {
	return []Source{
		{
			Path: "cmp", Name: "cmp",
			Table: func() imports.Package {
				return imports.Package{Name: "cmp", Binds: map[string]reflect.Value{
					"Compare": reflect.ValueOf(func(x, y any) int {
						return compare("cmp.Compare", reflect.ValueOf(x), reflect.ValueOf(y))
					}),
					"Less": reflect.ValueOf(func(x, y any) bool {
						return compare("cmp.Less", reflect.ValueOf(x), reflect.ValueOf(y)) < 0
					}),
				}}
			},
			Docs: func() map[string]string { return twinDocs("cmp", cmpDocs) },
		},
		{
			Path: "slices", Name: "slices",
			Table: func() imports.Package { return imports.Package{Name: "slices", Binds: sliceTwins()} },
			Docs:  func() map[string]string { return twinDocs("slices", sliceDocs) },
		},
		{
			Path: "maps", Name: "maps",
			Table: func() imports.Package { return imports.Package{Name: "maps", Binds: mapTwins()} },
			Docs:  func() map[string]string { return twinDocs("maps", mapDocs) },
		},
	}
}

// twinDocs adds a text on the package to the one-line descriptions.
func twinDocs(name string, lines string) map[string]string {
	docs := map[string]string{"": "package " + name + " // import \"" + name + "\"\n\n" +
		"In cells its generic functions have twins that take values of any type. A result has\n" +
		"the type that it has in Go: slices.Clone(x) of a []int is a []int. Only a result from\n" +
		"a sequence in a variable is any and needs a type assertion: slices.Sorted(keys).([]string)."}
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		signature, text, _ := strings.Cut(strings.TrimSpace(line), " // ")
		function, _, _ := strings.Cut(signature, "(")
		docs[function] = "func " + signature + "\n\n" + text
	}
	return docs
}

const cmpDocs = `
Compare(x, y any) int // Compare gives -1 if x is less than y, 0 if they are equal, +1 if x is greater. NaN is less than any number and equal to NaN.
Less(x, y any) bool // Less reports whether x is less than y. NaN is less than any number.
`

const sliceDocs = `
BinarySearch(x, target any) (int, bool) // BinarySearch finds target in a sorted slice: its index, or where it would be inserted, and whether it is there.
BinarySearchFunc(x, target, cmp any) (int, bool) // BinarySearchFunc is BinarySearch by cmp(element, target) int.
Clone(s any) any // Clone copies a slice; the result has the slice's type.
Collect(seq any) any // Collect makes a slice from maps.Keys, maps.Values or slices.Values.
Compact(s any) any // Compact removes repeated neighbours; the result has the slice's type.
Compare(s1, s2 any) int // Compare compares the elements in order; a slice that ends first is less.
Concat(slices ...any) any // Concat joins slices of one type.
Contains(s, v any) bool // Contains reports whether v is in s.
ContainsFunc(s, f any) bool // ContainsFunc reports whether f(element) is true for an element.
Delete(s any, i, j int) any // Delete removes s[i:j]; the result has the slice's type.
Equal(s1, s2 any) bool // Equal reports whether the slices have the same length and equal elements.
Index(s, v any) int // Index is the first index of v in s, -1 if it is not there.
IndexFunc(s, f any) int // IndexFunc is the first index for which f(element) is true, -1 if there is none.
Insert(s any, i int, v ...any) any // Insert inserts values at index i; the result has the slice's type.
IsSorted(x any) bool // IsSorted reports whether the elements ascend.
IsSortedFunc(x, cmp any) bool // IsSortedFunc is IsSorted by cmp(a, b) int.
Max(x any) any // Max is the greatest element; it panics if there is none. A NaN makes it NaN.
MaxFunc(x, cmp any) any // MaxFunc is Max by cmp(a, b) int.
Min(x any) any // Min is the least element; it panics if there is none. A NaN makes it NaN.
MinFunc(x, cmp any) any // MinFunc is Min by cmp(a, b) int.
Repeat(x any, count int) any // Repeat is the slice, count times; the result has the slice's type.
Reverse(s any) // Reverse reverses the order of the elements.
Sort(x any) // Sort puts the elements in ascending order.
SortFunc(x, cmp any) // SortFunc sorts by cmp(a, b) int.
SortStableFunc(x, cmp any) // SortStableFunc sorts by cmp(a, b) int and keeps the order of equal elements.
Sorted(seq any) any // Sorted makes a sorted slice from maps.Keys, maps.Values or slices.Values: slices.Sorted(maps.Keys(m))
Values(s any) any // Values gives the elements to Collect and Sorted.
`

const mapDocs = `
Clone(m any) any // Clone copies a map; the result has the map's type.
Copy(dst, src any) // Copy puts all entries of src into dst.
DeleteFunc(m, del any) // DeleteFunc removes the entries for which del(key, value) is true.
Equal(m1, m2 any) bool // Equal reports whether the maps have equal entries.
Keys(m any) any // Keys gives the keys, in no order, to slices.Collect and slices.Sorted: slices.Sorted(maps.Keys(m))
Values(m any) any // Values gives the values, in no order, to slices.Collect and slices.Sorted.
`

func slice(function string, s any) reflect.Value {
	v := reflect.ValueOf(s)
	if v.Kind() != reflect.Slice {
		panic(fmt.Errorf("%s: %T is not a slice", function, s))
	}
	return v
}

func mapping(function string, m any) reflect.Value {
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Map {
		panic(fmt.Errorf("%s: %T is not a map", function, m))
	}
	return v
}

// element makes v a value of s's element type, as an argument of a generic function would be.
func element(function string, s reflect.Value, v any) reflect.Value {
	want := s.Type().Elem()
	x := reflect.ValueOf(v)
	switch {
	case !x.IsValid() && nillable(want.Kind()):
		return reflect.Zero(want)
	case x.IsValid() && x.Type().AssignableTo(want):
		return x
	case x.IsValid() && x.Type().ConvertibleTo(want) && constantLike(x, want):
		return x.Convert(want)
	}
	panic(fmt.Errorf("%s: %T cannot be an element of %s", function, v, s.Type()))
}

func nillable(k reflect.Kind) bool {
	switch k {
	case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return true
	}
	return false
}

// constantLike allows what Go allows of an untyped constant, such as an int argument for a slice of float64, if the
// value stays the same.
func constantLike(x reflect.Value, want reflect.Type) bool {
	if x.Kind() == want.Kind() {
		return true
	}
	if !x.CanInt() && !x.CanFloat() {
		return false
	}
	switch want.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return x.Convert(want).Convert(x.Type()).Interface() == x.Interface()
	}
	return false
}

// call calls a function given as any. If an argument has the wrong type, reflection panics and names it.
func call(function string, f any, args ...reflect.Value) reflect.Value {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.Type().NumIn() != len(args) || v.Type().NumOut() != 1 {
		panic(fmt.Errorf("%s: %T is not a function of %d arguments and one result", function, f, len(args)))
	}
	return v.Call(args)[0]
}

func compare(function string, x, y reflect.Value) int {
	if x.Kind() == reflect.Interface {
		x = x.Elem()
	}
	if y.Kind() == reflect.Interface {
		y = y.Elem()
	}
	switch {
	case x.IsValid() && y.IsValid() && x.Kind() == reflect.String && y.Kind() == reflect.String:
		return strings.Compare(x.String(), y.String())
	case x.IsValid() && y.IsValid() && x.CanInt() && y.CanInt():
		return order(x.Int() < y.Int(), x.Int() > y.Int())
	case x.IsValid() && y.IsValid() && x.CanUint() && y.CanUint():
		return order(x.Uint() < y.Uint(), x.Uint() > y.Uint())
	case x.IsValid() && y.IsValid() && (x.CanFloat() || x.CanInt()) && (y.CanFloat() || y.CanInt()):
		a, b := float(x), float(y)
		return order(a < b || math.IsNaN(a) && !math.IsNaN(b), a > b || math.IsNaN(b) && !math.IsNaN(a))
	}
	panic(fmt.Errorf("%s: %s and %s have no order", function, typeName(x), typeName(y)))
}

func float(v reflect.Value) float64 {
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}

func order(less, greater bool) int {
	switch {
	case less:
		return -1
	case greater:
		return 1
	}
	return 0
}

func typeName(v reflect.Value) string {
	if !v.IsValid() {
		return "nil"
	}
	return v.Type().String()
}

func copySlice(s reflect.Value, extra int) reflect.Value {
	c := reflect.MakeSlice(s.Type(), s.Len(), s.Len()+extra)
	reflect.Copy(c, s)
	return c
}

func sortValues(s reflect.Value, cmp func(a, b reflect.Value) int) {
	from := copySlice(s, 0)
	places := make([]int, s.Len())
	for i := range places {
		places[i] = i
	}
	sort.SliceStable(places, func(i, j int) bool { return cmp(from.Index(places[i]), from.Index(places[j])) < 0 })
	for i, place := range places {
		s.Index(i).Set(from.Index(place))
	}
}

func isSorted(s reflect.Value, cmp func(a, b reflect.Value) int) bool {
	for i := 1; i < s.Len(); i++ {
		if cmp(s.Index(i), s.Index(i-1)) < 0 {
			return false
		}
	}
	return true
}

func search(s reflect.Value, cmp func(element reflect.Value) int) (int, bool) {
	i := sort.Search(s.Len(), func(i int) bool { return cmp(s.Index(i)) >= 0 })
	return i, i < s.Len() && cmp(s.Index(i)) == 0
}

// extreme finds the greatest (sign 1) or least (sign -1) element, the first of several equal ones. With nan set, a NaN
// is the result.
func extreme(function string, x any, cmp func(a, b reflect.Value) int, sign int, nan bool) any {
	s := slice(function, x)
	if s.Len() == 0 {
		panic(fmt.Errorf("%s: empty list", function))
	}
	best := s.Index(0)
	for i := range s.Len() {
		v := s.Index(i)
		if nan && v.CanFloat() && math.IsNaN(v.Float()) {
			return v.Interface()
		}
		if cmp(v, best)*sign > 0 {
			best = v
		}
	}
	return best.Interface()
}

func byFunction(function string, cmp any) func(a, b reflect.Value) int {
	return func(a, b reflect.Value) int { return int(call(function, cmp, a, b).Int()) }
}

func natural(function string) func(a, b reflect.Value) int {
	return func(a, b reflect.Value) int { return compare(function, a, b) }
}

func equal(a, b reflect.Value) bool { return a.Interface() == b.Interface() }
