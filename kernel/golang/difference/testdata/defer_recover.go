package main

import (
	"errors"
	"fmt"
	"runtime"
)

func f(n int) (r int, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("recovered: %v", x)
		}
	}()
	return 10 / n, nil
}

func order() {
	for i := 0; i < 3; i++ {
		defer fmt.Print(i, " ")
	}
	defer func() { fmt.Print("first ") }()
}

func nested() (s string) {
	defer func() {
		s += fmt.Sprint(" outer:", recover())
	}()
	defer func() {
		defer func() { s += fmt.Sprint("inner:", recover()) }()
		panic("second")
	}()
	panic("first")
}

func named() (x int) {
	defer func() { x *= 2 }()
	x = 5
	return x + 1
}

func argsNow() {
	x := 1
	defer fmt.Println("deferred", x)
	x = 2
	fmt.Println("now", x)
}

type closer struct{ name string }

func (c *closer) Close() { fmt.Println("close", c.name) }

func noRecover() (r any) {
	defer func() {
		func() { r = recover() }()
		if r == nil {
			r = recover()
			r = fmt.Sprint("direct ", r)
		}
	}()
	panic("p")
}

func main() {
	fmt.Println(f(2))
	fmt.Println(f(0))
	order()
	fmt.Println()
	fmt.Println(nested())
	fmt.Println(named())
	argsNow()
	c := &closer{"a"}
	defer c.Close()
	c = &closer{"b"}
	defer c.Close()
	fmt.Println(noRecover())
	fmt.Println(recover())
	func() {
		defer func() {
			var e runtime.Error
			err, _ := recover().(error)
			fmt.Println(errors.As(err, &e), err)
		}()
		var m map[string]int
		m["x"] = 1
	}()
}
