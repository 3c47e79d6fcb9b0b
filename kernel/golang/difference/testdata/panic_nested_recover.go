package main

import (
	"fmt"
)

func level(n int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("level", n, r)
			if n > 1 {
				panic(fmt.Sprint(r, n))
			}
		}
	}()
	if n == 3 {
		panic("start")
	}
	level(n + 1)
}

func replaced() {
	defer func() { fmt.Println("outer", recover()) }()
	defer func() { panic("second") }()
	panic("first")
}

func inner() {
	defer func() {
		defer func() { fmt.Println("deep", recover()) }()
		panic("in defer")
	}()
	defer func() { fmt.Println("first", recover()) }()
	panic("x")
}

func main() {
	level(1)
	replaced()
	inner()
	fmt.Println(recover())
}
