package main

import (
	"fmt"
)

var x = "package"

func f(x int) (y int) {
	if x := x * 2; x > 5 {
		y := x
		x++
		_ = y
	} else if y := x + 1; y > 2 {
		x = y
		return x
	}
	{
		x := "inner"
		y = len(x) + 1
	}
	for x := 0; x < 2; x++ {
		x := x * 10
		y += x
	}
	switch x := any(x).(type) {
	case int:
		y += x
	}
	return
}

func main() {
	fmt.Println(f(1), f(2), f(3), x)
	x, err := x+"!", error(nil)
	if x, err := f(1), fmt.Errorf("e"); err != nil {
		fmt.Println(x, err)
	}
	fmt.Println(x, err)
	true := false
	fmt.Println(true, !true)
	len := func(s string) int { return 42 }
	fmt.Println(len("abc"))
	type int string
	var s int = "typed"
	fmt.Println(s)
	nil := 5
	fmt.Println(nil)
}
