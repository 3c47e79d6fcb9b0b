package main

import (
	"fmt"
)

type id = string
type name string
type ids = []id

func main() {
	var x any = id("a")
	_, a := x.(string)
	_, b := x.(name)
	var y any = ids{"b"}
	_, c := y.([]string)
	fmt.Println(a, b, c)
	fmt.Printf("%T %T\n", x, y)
}
