// Package reflect with types of packages.
package main

import (
	"fmt"
	"reflect"
	"strings"
)

type T struct {
	A int `k:"v"`
	b string
	C []string
	D map[string]int
	E *T
	F any
}

func (t T) Hello(s string) string { return "hi " + s }
func main() {
	t := T{A: 1, C: []string{"x"}}
	v := reflect.ValueOf(&t).Elem()
	fmt.Println(v.NumField(), v.Field(0).Int(), v.Type().Field(0).Name, v.Type().Field(0).Tag.Get("k"))
	v.Field(0).SetInt(5)
	v.Field(2).Set(reflect.Append(v.Field(2), reflect.ValueOf("y")))
	fmt.Println(t.A, t.C)
	fmt.Println(v.Kind(), v.Field(1).CanSet(), reflect.TypeOf([]int{}).Elem(),
		reflect.DeepEqual(map[string][]int{"a": {1}}, map[string][]int{"a": {1}}))
	f := reflect.ValueOf(strings.ToUpper)
	fmt.Println(f.Call([]reflect.Value{reflect.ValueOf("up")})[0])
	g := reflect.ValueOf(func(a int, b ...string) string { return fmt.Sprint(a, b) })
	fmt.Println(g.Call([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf("q")})[0], g.Type())
	m := reflect.MakeMap(reflect.TypeOf(map[string]int{}))
	m.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf(2))
	fmt.Println(m.Interface().(map[string]int)["k"])
	s := reflect.MakeSlice(reflect.TypeOf([]float64{}), 2, 3)
	s.Index(1).SetFloat(1.5)
	fmt.Println(s.Interface(), s.Cap())
	sw := reflect.MakeFunc(reflect.TypeOf(func(int, int) (int, int) { return 0, 0 }),
		func(a []reflect.Value) []reflect.Value { return []reflect.Value{a[1], a[0]} }).Interface().(func(int,
		int) (int, int))
	fmt.Println(sw(1, 2))
	func() { defer func() { fmt.Println(recover()) }(); reflect.ValueOf(1).Len() }()
	func() { defer func() { fmt.Println(recover()) }(); reflect.ValueOf(t.A).SetInt(1) }()
	sel, rv, ok := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectDefault}})
	fmt.Println(sel, rv.IsValid(), ok)
	for i, x := range reflect.ValueOf([]string{"a"}).Seq2() {
		fmt.Println(i, x)
	}
	fmt.Println(reflect.Zero(reflect.TypeOf(t.C)).IsNil(), reflect.ValueOf(nil).IsValid(),
		reflect.Indirect(reflect.ValueOf(&t.A)).Int())
}
