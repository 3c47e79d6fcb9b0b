package main

import (
	"fmt"
)

func seq(yield func(int) bool) {
	defer fmt.Println("seq ends")
	_ = yield(1) && yield(2) && yield(3)
}

func f() (s string) {
	defer func() { s += fmt.Sprint(recover()) }()
	for i := range seq {
		defer func() { s += fmt.Sprint("d", i, " ") }()
		if i == 2 {
			s = "returned "
			return s
		}
	}
	return "end"
}

func g() (s string) {
	defer func() { s += fmt.Sprint(recover()) }()
	for i := range seq {
		defer func() { s += fmt.Sprint("g", i, " ") }()
		if i == 2 {
			panic("at 2")
		}
	}
	return "end"
}

func main() {
	fmt.Println(f())
	fmt.Println(g())
}
