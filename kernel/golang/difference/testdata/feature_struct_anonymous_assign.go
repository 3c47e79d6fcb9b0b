package main

import (
	"fmt"
)

func main() {
	a := struct {
		X int
		Y string
	}{1, "a"}
	type t struct {
		X int
		Y string
	}
	var b t = a
	b.X = 2
	a = b
	fmt.Println(a, b, a == b)
	list := []struct{ n int }{{1}, {2}}
	for i := range list {
		list[i].n *= 3
	}
	fmt.Printf("%v %+v %T\n", list, list[0], list[0])
}
