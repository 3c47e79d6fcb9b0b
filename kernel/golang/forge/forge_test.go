package forge

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/spherelab/spherelab/internal/expect"
)

// text and add are methods of an integer type, or of its pointers.
var (
	text = Method{"String", reflect.TypeFor[func() string](), func(v any, _, results []unsafe.Pointer) {
		runtime.GC()
		*(*string)(results[0]) = fmt.Sprint("day ", reflect.Indirect(reflect.ValueOf(v)).Int())
	}}
	add = Method{"Add", reflect.TypeFor[adder](), func(v any, args, results []unsafe.Pointer) {
		to := reflect.ValueOf(v).Elem()
		to.SetInt(to.Int() + int64(*(*int)(args[0])))
		runtime.GC()
		*(*float64)(results[0]) = *(*float64)(args[2])
		*(*string)(results[1]) = *(*string)(args[1]) + fmt.Sprint(len(*(*[]any)(args[3])))
	}}
)

type adder = func(n int, text string, x float64, more ...any) (float64, string)

func newDay() *Named {
	n := Declare(Declaration{Name: "main.Day", Path: "main", Form: reflect.TypeFor[int](), IsNamed: true})
	n.Become(reflect.TypeFor[int]())
	return n
}

// TestMethods calls methods through interfaces and by reflection, and adds one later.
func TestMethods(t *testing.T) {
	n := newDay()
	n.Methods([]Method{text}, []Method{text})
	v := reflect.New(n.Type)
	v.Elem().SetInt(7)
	if got := fmt.Sprint(v, v.Elem(), v.Type(), n.Type.Name(), n.Type.PkgPath()); got != "day 7 day 7 *main.DayDaymain" {
		t.Error(got)
	}
	if n.Pointer != v.Type() || n.Pointer.NumMethod() != 1 || n.Pointer.Elem() != n.Type {
		t.Error("the pointer's type is another")
	}
	n.Methods([]Method{text}, []Method{text, add})
	out := v.MethodByName("Add").Call([]reflect.Value{reflect.ValueOf(3), reflect.ValueOf("x"), reflect.ValueOf(2.5)})
	if got := fmt.Sprint(out[0], out[1], v); got != "2.5 x0 day 10" {
		t.Error(got)
	}
	x, s := v.Interface().(interface {
		Add(n int, text string, x float64, more ...any) (float64, string)
	}).Add(1, "y", 3.5, 1, 2)
	if got := fmt.Sprint(x, s, v); got != "3.5y2day 11" {
		t.Error(got)
	}
	if got := n.Type.Method(0).Func.Call([]reflect.Value{v.Elem()})[0].String(); got != "day 11" {
		t.Error(got)
	}
	other := newDay()
	other.Methods([]Method{text}, []Method{text})
	if w := reflect.New(other.Type); fmt.Sprint(w) != "day 0" || other.Type == n.Type || w.Type() == v.Type() {
		t.Error("a type of the same name is the same")
	}
}

// TestFields makes a struct that leads back to itself, and uses it in maps, channels and as a key.
func TestFields(t *testing.T) {
	day := newDay()
	day.Methods([]Method{text}, []Method{text})
	form := reflect.TypeFor[struct {
		A int
		B unsafe.Pointer
		C string
	}]()
	n := Declare(Declaration{Name: "main.Node", Path: "main", Form: form, IsNamed: true})
	inMap := reflect.MapOf(reflect.TypeFor[string](), n.Type)
	n.Fields("main", []Field{{"A", `key:"a"`, day.Type, false}, {"B", "", n.Pointer, false}, {"c", "", inMap.Key(), false}})
	v := reflect.New(n.Type).Elem()
	v.Field(0).SetInt(5)
	v.Field(1).Set(reflect.New(n.Type))
	f := n.Type.Field(0)
	if got := fmt.Sprint(f.Name, f.Type, f.Tag.Get("key"), n.Type.Field(2).PkgPath, n.Type); got != "Amain.Dayamainmain.Node" {
		t.Error(got)
	}
	m := reflect.MakeMap(reflect.MapOf(n.Type, inMap))
	for i := range 100 {
		runtime.GC()
		v.Field(0).SetInt(int64(i))
		inner := reflect.MakeMap(inMap)
		inner.SetMapIndex(reflect.ValueOf("k"), v)
		m.SetMapIndex(v, inner)
	}
	if got := m.MapIndex(v).MapIndex(reflect.ValueOf("k")).Field(0).Int(); m.Len() != 100 || got != 99 {
		t.Error(m.Len(), got)
	}
	c := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, n.Type), 1)
	c.Send(v)
	if got, _ := c.Recv(); !got.Equal(v) || got.Field(1).Type() != n.Pointer {
		t.Error(got)
	}
}

// TestFunction: a named function type leads back to itself.
func TestFunction(t *testing.T) {
	n := Declare(Declaration{Name: "main.Walk", Path: "main", Form: reflect.TypeFor[func()](), IsNamed: true, Parameters: 3})
	n.Become(reflect.FuncOf([]reflect.Type{n.Type, reflect.TypeFor[int]()}, []reflect.Type{n.Type}, false))
	want := "main.Walk int main.Walk func(main.Walk, int) main.Walk"
	if got := fmt.Sprint(n.Type.In(0), n.Type.In(1), n.Type.Out(0), Plain(n.Type)); got != want {
		t.Error(got)
	}
}

// TestCheck: the picture of a type's description is the runtime's, and another one is found.
func TestCheck(t *testing.T) {
	expect.NoError(t, Check())
	if checked(reflect.TypeFor[struct{ a, b int }]()) {
		t.Error("another description passes")
	}
}
