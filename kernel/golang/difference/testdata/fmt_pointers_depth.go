package main

import (
	"fmt"
	"strings"
)

type T struct {
	N    int
	Next *T
}

func addr(s string) bool { return strings.Contains(s, "0x") }

func main() {
	t := &T{1, nil}
	fmt.Println(t, &[]int{1}, &map[string]int{"a": 1}, &[2]bool{})
	fmt.Printf("%+v %v\n", t, &t.N != nil)
	t.Next = &T{2, nil}
	fmt.Println(addr(fmt.Sprint(t)), addr(fmt.Sprint([]*T{t})), addr(fmt.Sprint(&t)))
	fmt.Printf("%v %v %s\n", (*T)(nil), []*T{nil}, (*T)(nil))
	fmt.Printf("%p %v %+v %d\n", nil, (*int)(nil), struct{ P *T }{}, struct{ P *T }{})
	pp := &struct{ A *[]int }{&[]int{1}}
	fmt.Println(addr(fmt.Sprint(pp)), addr(fmt.Sprintf("%p", t)), fmt.Sprintf("%p", t) == fmt.Sprintf("%v", &t.N))
	var f func()
	var c chan int
	fmt.Println(f == nil, c, f == nil)
	fmt.Printf("%v %t\n", c, addr(fmt.Sprint(main)))
}
