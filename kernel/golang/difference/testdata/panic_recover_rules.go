package main

import (
	"fmt"
)

func helper() any { return recover() }

func indirect() (r any) {
	defer func() { r = fmt.Sprint("outer:", recover()) }()
	defer func() { helper() }()
	panic("p1")
}

func direct() (r any) {
	defer func() { fmt.Println("seen", r) }()
	defer helper()
	panic("p2")
}

func nested() (r any) {
	defer func() { r = fmt.Sprint("nested:", recover()) }()
	defer func() {
		func() { recover() }()
	}()
	panic("p3")
}

func twice() {
	defer func() { fmt.Println(recover(), recover()) }()
	panic("p4")
}

func main() {
	fmt.Println(indirect(), direct(), nested())
	twice()
	defer func() {
		r := recover()
		fmt.Printf("%T %v\n", r, r)
	}()
	panic(nil)
}
