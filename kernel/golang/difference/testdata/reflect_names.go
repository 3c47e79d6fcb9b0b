package main

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
)

type Day int

func (d Day) String() string { return [...]string{"Mon", "Tue", "Wed"}[d] }

func (d *Day) Next() Day {
	*d++
	return *d
}

type Named interface{ Name() string }

type Base struct {
	ID   int `json:"id" xml:"id,attr"`
	note string
}

func (b Base) Name() string  { return fmt.Sprint("base ", b.ID) }
func (b *Base) SetID(id int) { b.ID = id }
func (b Base) Sum(x int, more ...float64) (int, string) {
	return b.ID + x + len(more), fmt.Sprint(more)
}
func (b Base) hidden() int { return b.ID }

type Tree struct {
	Base
	Kids  []*Tree `kids:"all"`
	Index map[string]Tree
	Up    *Tree
	Find  func(t *Tree, names ...string) (Tree, error)
	Any   Named
	days  [2]Day
}

type List []List

type Loop map[string]Loop

type Walk func(Walk) Walk

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

func (p Pair[K, V]) Swap() Hold[V] { return Hold[V]{p.Val} }

type Hold[K any] struct{ K K }

type failure struct{ code int }

func (f *failure) Error() string   { return fmt.Sprint("failure ", f.code) }
func (f *failure) Is(e error) bool { return e == errBase }

var errBase = errors.New("base")

func show(v any) {
	rt := reflect.TypeOf(v)
	fmt.Println(rt, rt.Name(), rt.Kind(), rt.Size(), rt.NumMethod(), rt.Comparable())
	for m := range rt.Methods() {
		fmt.Println("  method", m.Index, m.Name, m.Type)
	}
	if rt.Kind() == reflect.Struct {
		for f := range rt.Fields() {
			fmt.Printf("  field %s %v %q %d %v %v\n", f.Name, f.Type, f.Tag, f.Offset, f.Anonymous, f.IsExported())
		}
	}
}

func main() {
	d := Day(1)
	base := Base{ID: 4, note: "n"}
	tree := Tree{Base: base, Kids: []*Tree{{}}, Index: map[string]Tree{"a": {}}}
	for _, v := range []any{d, &d, base, &base, tree, &tree, List{nil}, Loop{}, Walk(nil), Pair[string, Day]{"a", 2},
		&failure{3}, struct {
			Base
			X int `x:"y"`
		}{base, 3}, [3]Day{}, map[Day][]*Tree{}} {
		show(v)
	}
	rv := reflect.ValueOf(&tree)
	rv.MethodByName("SetID").Call([]reflect.Value{reflect.ValueOf(40)})
	out := rv.MethodByName("Sum").Call([]reflect.Value{reflect.ValueOf(2), reflect.ValueOf(.5), reflect.ValueOf(1.5)})
	fmt.Println(out[0].Int(), out[1], tree.ID, rv.Elem().Field(0).MethodByName("Name").Call(nil)[0])
	m, ok := reflect.TypeOf(base).MethodByName("Sum")
	fmt.Println(m.Func.Call([]reflect.Value{reflect.ValueOf(base), reflect.ValueOf(1)})[0], ok)
	_, ok = reflect.TypeOf(base).MethodByName("hidden")
	fmt.Println(ok, reflect.ValueOf(&d).MethodByName("Next").Call(nil)[0], d)

	text, fault := reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[error]()
	fmt.Println(reflect.TypeOf(d).Implements(text), reflect.TypeOf(base).Implements(fault))
	fmt.Println(reflect.PointerTo(reflect.TypeOf(failure{})).Implements(reflect.TypeFor[error]()))
	fmt.Println(reflect.TypeOf(tree).Field(3).Type.Elem() == reflect.TypeOf(tree))
	fmt.Println(reflect.New(reflect.TypeOf(d)).Type() == reflect.TypeOf(&d))
	fmt.Println(reflect.TypeOf(tree).Field(1).Type.Elem().Elem().Field(0).Type == reflect.TypeOf(base))
	fmt.Println(reflect.TypeOf(List{}).Elem() == reflect.TypeOf(List{}))
	fmt.Println(reflect.TypeOf(Walk(nil)).In(0) == reflect.TypeOf(Walk(nil)))

	f, _ := reflect.TypeOf(tree).FieldByName("ID")
	fmt.Println(f.Index, f.Tag.Get("xml"), reflect.ValueOf(tree).FieldByName("ID"))
	fmt.Println(reflect.ValueOf(7).Convert(reflect.TypeOf(Day(0))).Type())
	fmt.Println(reflect.ValueOf(Day(2)).Convert(reflect.TypeFor[int]()))

	set := reflect.MakeMap(reflect.MapOf(reflect.TypeOf(d), reflect.TypeOf(tree)))
	for i := range 3 {
		set.SetMapIndex(reflect.ValueOf(Day(i)), reflect.ValueOf(Tree{Base: Base{ID: i}}))
	}
	made := set.Interface().(map[Day]Tree)
	fmt.Println(len(made), made[2].ID, made[1].Name())
	list := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(d)), 0, 2)
	list = reflect.Append(list, reflect.ValueOf(Day(2)), reflect.ValueOf(Day(0)))
	days := list.Interface().([]Day)
	sort.Slice(days, func(i, j int) bool { return days[i] < days[j] })
	fmt.Println(days, strings.Repeat("-", 3))

	var err error = &failure{3}
	wrapped := fmt.Errorf("in: %w", err)
	var as *failure
	fmt.Println(errors.Is(wrapped, errBase), errors.As(wrapped, &as), as.code, wrapped)
	fn := reflect.MakeFunc(reflect.TypeOf(func(Day) *Tree { return nil }), func(in []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(&Tree{Base: Base{ID: int(in[0].Int())}})}
	}).Interface().(func(Day) *Tree)
	fmt.Println(fn(2).ID)
}
