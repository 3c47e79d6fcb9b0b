package main

import (
	"fmt"
)

func Wrap[T any](v T) any {
	type box struct{ V T }
	return box{v}
}

func same(a, b any) bool { return a == b }

func main() {
	a, b, c := Wrap(1), Wrap(1), Wrap("1")
	fmt.Println(same(a, b), same(a, c))
	fmt.Printf("%v %+v\n", a, c)
	type box struct{ V int }
	fmt.Println(same(box{1}, a))
	{
		type box struct{ V int }
		var x any = box{1}
		switch x.(type) {
		case box:
			fmt.Println("inner")
		}
	}
}
