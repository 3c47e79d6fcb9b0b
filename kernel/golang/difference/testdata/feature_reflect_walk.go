package main

import (
	"fmt"
	"reflect"
)

type t struct {
	A int `k:"v"`
	B []string
}

func main() {
	v := reflect.ValueOf(map[string]int{"x": 1})
	fmt.Println(v.Kind(), v.Len(), v.MapIndex(reflect.ValueOf("x")))
	rt := reflect.TypeOf(t{})
	for i := range rt.NumField() {
		f := rt.Field(i)
		fmt.Println(f.Name, f.Type, f.Tag.Get("k"))
	}
	x := t{1, nil}
	reflect.ValueOf(&x).Elem().Field(0).SetInt(7)
	fmt.Println(x, reflect.DeepEqual([]int{1}, []int{1}))
}
