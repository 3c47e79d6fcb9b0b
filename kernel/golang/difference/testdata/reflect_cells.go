package main

import (
	"fmt"
	"reflect"
)

type Kind uint8

type T struct {
	Name string `key:"n" json:"name"`
	N    Kind
	p    *T
	F    func(int) string
	M    map[string][]Kind
}

func (t T) Hello(s string) string { return "hello " + s + t.Name }
func (t *T) Set(n string)         { t.Name = n }

func main() {
	t := T{Name: "x", N: 3}
	rt := reflect.TypeOf(t)
	fmt.Println(rt.NumField(), rt.Field(0).Name, rt.Field(0).Tag.Get("key"), rt.Field(2).Name,
		rt.Kind() == reflect.Struct)
	v := reflect.ValueOf(&t).Elem()
	v.Field(0).SetString("changed")
	fmt.Println(t.Name, v.FieldByName("Name"), v.Field(4).IsNil(), reflect.DeepEqual(t, t),
		reflect.DeepEqual([]Kind{1}, []Kind{1}))
	fmt.Println(reflect.DeepEqual(map[string]T{"a": {}}, map[string]T{"a": {}}), reflect.DeepEqual(T{Name: "a"},
		T{Name: "b"}))
	s := reflect.ValueOf([]int{1, 2, 3})
	fmt.Println(s.Len(), s.Index(1), s.Kind())
	m := reflect.ValueOf(map[string]int{"a": 1})
	for _, k := range m.MapKeys() {
		fmt.Println(k, m.MapIndex(k))
	}
	f := reflect.ValueOf(func(a, b int) int { return a * b })
	fmt.Println(f.Call([]reflect.Value{reflect.ValueOf(3), reflect.ValueOf(4)})[0].Int())
	swap := reflect.Swapper([]string{"a"})
	swap(0, 0)
	fmt.Println(reflect.Zero(rt).Field(0).String() == "", reflect.TypeOf(3).String(), reflect.TypeFor[error]().Kind())
}
