package main

import (
	"fmt"
	"strconv"
)

var x = "package"

var (
	a = b + 1
	b = f()
	c = func() int { return a * 2 }()
)

func f() int { return 41 }

func init() { x += " init" }

func init() { x += " twice" }

type T int

const k = 10

func main() {
	fmt.Println(x, a, b, c)
	x := 1
	{
		x := x + 1
		fmt.Println(x)
		if x := "inner"; len(x) > 0 {
			fmt.Println(x)
		}
	}
	fmt.Println(x)
	for x := 0; x < 2; x++ {
		x := x * 10
		fmt.Print(x, " ")
	}
	type T string
	const k = "local"
	fmt.Println(T("t"), k)
	len := func(s string) int { return 42 }
	fmt.Println(len("s"))
	true := false
	fmt.Println(true)
	var err error
	if _, err := strconv.Atoi("x"); err != nil {
		fmt.Println("inner", err)
	}
	fmt.Println(err)
	switch x := any(x).(type) {
	case int:
		fmt.Println("int", x+1)
	}
	func() {
		x = 50
	}()
	fmt.Println(x)
}
