package dynamic

import (
	"fmt"
	"go/types"
	"reflect"
	"testing"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/snippet"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

const declared = `
type Day int
func (d Day) String() string { return "day" }
func (d *Day) Next() { *d++ }
func (Day) hidden() {}
type Fault struct{ text string }
func (f Fault) Error() string { return f.text }
type Bare struct{ n int }
type Stringer interface{ String() string }
type Nexter interface{ Next(); String() string }
type Hider interface{ hidden() }
type Other interface{ String() int }
type Empty interface{}
`

// values are those of a file. calls lists the methods that compiled code has called.
func values(t *testing.T, source string) (s *Values, pkg *ssa.Package, calls *[]string) {
	t.Helper()
	pkg, calls = snippet.Build(t, source), new([]string)
	s = New(pkg.Prog, layout.New(nil), new(run.Crowd),
		func(v any, name string, _ reflect.Type, _, results []unsafe.Pointer) {
			*calls = append(*calls, name)
			*(*string)(results[0]) = "called " + name
		})
	return s, pkg, calls
}

// made is a value of a type of cells.
func made(s *Values, typ types.Type) any { return reflect.New(s.Types.Of(typ)).Elem().Interface() }

// TestMissing asks of types which method of an interface they lack.
func TestMissing(t *testing.T) {
	s, pkg, _ := values(t, declared)
	day, fault := pkg.Type("Day").Type(), pkg.Type("Fault").Type()
	for _, c := range []struct {
		of    types.Type
		iface string
		want  string
	}{
		{day, "Stringer", ""}, {day, "Nexter", "Next"}, {types.NewPointer(day), "Nexter", ""}, {day, "Hider", ""},
		{day, "Other", "String"}, {day, "Empty", ""}, {fault, "Stringer", "String"}, {fault, "Empty", ""},
	} {
		for range 2 { // found, and known
			if got := s.Missing(s.Types.Of(c.of), pkg.Type(c.iface).Type()); got != c.want {
				t.Errorf("%v lacks %q of %s, want %q", c.of, got, c.iface, c.want)
			}
		}
	}
	if got := s.Missing(reflect.TypeFor[reflect.Kind](), pkg.Type("Stringer").Type()); got != "" {
		t.Errorf("a compiled type lacks %s", got)
	}
	if got := s.Missing(reflect.TypeFor[reflect.Kind](), pkg.Type("Other").Type()); got != "String" {
		t.Errorf("a compiled method with another signature: %q", got)
	}
}

// TestMethods lists methods by signature, and finds them.
func TestMethods(t *testing.T) {
	s, pkg, _ := values(t, declared)
	day := pkg.Type("Day").Type()
	for _, c := range []struct {
		of   types.Type
		want string
	}{
		{day, "map[String:func() string]"}, {types.NewPointer(day), "map[Next:func() String:func() string]"},
		{pkg.Type("Bare").Type(), "map[]"},
	} {
		if got := fmt.Sprint(s.MethodsOf(made(s, c.of))); got != c.want {
			t.Errorf("%v has %s, want %s", c.of, got, c.want)
		}
	}
	if got := s.Methods(reflect.TypeFor[reflect.Kind]()); got != nil {
		t.Errorf("a compiled type has %v", got)
	}
	if f := s.MethodOf(day, pkg.Pkg, "hidden"); f == nil || f.Name() != "hidden" {
		t.Errorf("hidden is %v", f)
	}
	if f := s.MethodOf(day, nil, "hidden"); f != nil {
		t.Errorf("an unexported method of no package is %v", f)
	}
	if f := s.MethodOf(day, nil, "Next"); f != nil {
		t.Errorf("a method of the pointer is one of the value: %v", f)
	}
	if got := s.DynamicName(s.Types.Of(day)) + " " + s.DynamicName(reflect.TypeFor[[]int]()); got != "main.Day []int" {
		t.Error(got)
	}
}

// TestImplementing: compiled code sees an error of a cell by its methods; reading the interface gives the cell's value.
func TestImplementing(t *testing.T) {
	s, pkg, calls := values(t, declared)
	typ := types.Universe.Lookup("error").Type()
	v := made(s, pkg.Type("Fault").Type())
	var err error
	s.Setter(typ)(unsafe.Pointer(&err), v)
	if err.Error() != "called Error" || len(*calls) != 1 {
		t.Errorf("%v, by calls %v", err, *calls)
	}
	if rt := reflect.TypeOf(err); rt != reflect.TypeOf(v) || rt.String() != "main.Fault" {
		t.Errorf("compiled code gets a %T", err)
	}
	if got := s.Dynamic(unsafe.Pointer(&err), typ); got != v || s.Unwrap(err) != v {
		t.Errorf("%v is read", got)
	}
	s.Setter(typ)(unsafe.Pointer(&err), nil)
	if err != nil || s.Dynamic(unsafe.Pointer(&err), typ) != nil {
		t.Error("a nil error is not nil")
	}
	compiled := fmt.Errorf("compiled")
	s.Setter(typ)(unsafe.Pointer(&err), compiled)
	if err != compiled || s.Dynamic(unsafe.Pointer(&err), typ) != any(compiled) {
		t.Error("a compiled error is another one")
	}
	func() {
		defer func() {
			const want = "values of main.Fault cannot be a reflect.Type of compiled code: " +
				"its method common is not exported, and only types of compiled code have such methods there"
			if got := fmt.Sprint(recover()); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}()
		s.Implementing(reflect.TypeFor[reflect.Type](), v)
	}()
}

// TestBoxer puts values of all classes into an `any`.
func TestBoxer(t *testing.T) {
	word := 5
	for _, v := range []any{7, "text", &word, int8(-3), [2]string{"a", "b"}, 2.5, []int(nil), struct{}{}} {
		p := Place(reflect.ValueOf(v))
		if got := BoxerOf(reflect.TypeOf(v))(p); !reflect.DeepEqual(got, v) {
			t.Errorf("%T: %v, want %v", v, got, v)
		}
	}
	s, pkg, _ := values(t, declared)
	rt := s.Types.Of(pkg.Type("Day").Type())
	n := 9
	if got := Plain(rt, unsafe.Pointer(&n)); got.Kind() != reflect.Int || got.Int() != 9 {
		t.Errorf("a day is %v", got)
	}
}

// TestStill copies a map while other goroutines may change it, and nothing else.
func TestStill(t *testing.T) {
	s, _, _ := values(t, declared)
	m := map[int]string{1: "a", 2: "b"}
	if got, other := s.Still(m); other || reflect.ValueOf(got).Pointer() != reflect.ValueOf(m).Pointer() {
		t.Error("a map is copied for a goroutine that is alone")
	}
	s.Crowd.Expect()
	s.Crowd.Expect()
	got, other := s.Still(m)
	if !other || !reflect.DeepEqual(got, m) || reflect.ValueOf(got).Pointer() == reflect.ValueOf(m).Pointer() {
		t.Errorf("%v, another one %v", got, other)
	}
	for _, v := range []any{5, map[int]int(nil), []int{1}} {
		if _, other := s.Still(v); other {
			t.Errorf("%v is copied", v)
		}
	}
	s.Change(reflect.ValueOf(m), func() {
		defer func() {
			if _, ok := recover().(run.Fatal); !ok {
				t.Error("a map is read while it is changed")
			}
		}()
		s.Look(reflect.ValueOf(m), func() {})
	})
}
