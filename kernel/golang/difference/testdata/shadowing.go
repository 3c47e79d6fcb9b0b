package main

import (
	"fmt"
	"strconv"
)

var x = "package"

func len2(s string) int { return len(s) * 2 }

func f() (err error) {
	if n, err := strconv.Atoi("z"); err != nil {
		_ = n
		return err
	}
	return
}

type int2 = int

func main() {
	fmt.Println(x)
	x := 1
	{
		x := x + 1
		x++
		fmt.Println(x)
	}
	for x := range 2 {
		x := x * 10
		fmt.Print(x, " ")
	}
	if x := "s"; x != "" {
		fmt.Println(x)
	} else if y := x + "t"; y != "" {
		fmt.Println(y)
	}
	fmt.Println(x, f())
	true := false
	string := func(n int) int { return n + 1 }
	fmt.Println(true, string(1))
	len := len2
	fmt.Println(len("ab"))
	var nil = 3
	fmt.Println(nil)
	type x2 struct{ x int }
	v := x2{x}
	switch x := any(v).(type) {
	case x2:
		fmt.Println(x.x)
	}
	a, b := 1, 2
	a, c := b, a
	fmt.Println(a, b, c)
	func(a int) {
		a, d := 5, a
		fmt.Println(a, d)
	}(9)
	var n int2 = 4
	type int float32
	fmt.Println(n, int(1)/3)
}
