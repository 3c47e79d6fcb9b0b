package main

import (
	"errors"
	"fmt"
	"os"
)

type res struct{ name string }

func (r *res) close() { fmt.Println("close", r.name) }

func open(n string) *res { fmt.Println("open", n); return &res{n} }

func named() (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("caught: %v", r)
			n *= 2
		}
	}()
	n = 21
	var m map[string]int
	m["x"] = 1
	return 0, nil
}

func args() {
	x := 1
	defer fmt.Println("deferred value", x)
	defer func(n int) { fmt.Println("closure", n, x) }(x)
	x = 2
	r := open("first")
	defer r.close()
	r = open("second")
	defer r.close()
}

func nested() (s string) {
	defer func() { s += fmt.Sprint(" outer:", recover()) }()
	defer func() {
		defer func() { s += fmt.Sprint(" inner:", recover()) }()
		panic("two")
	}()
	panic("one")
}

func rethrow() (err error) {
	defer func() {
		if e, ok := recover().(error); ok {
			err = errors.Join(e, errors.New("rethrown"))
		}
	}()
	func() {
		defer func() {
			r := recover()
			panic(fmt.Errorf("wrapped: %v", r))
		}()
		panic("original")
	}()
	return nil
}

func replaced() (r int) {
	defer func() { r++ }()
	defer func() { r *= 10 }()
	return 4
}

func loop() {
	for i := range 3 {
		defer func() { fmt.Print("loop", i, " ") }()
	}
}

func main() {
	fmt.Println(named())
	args()
	fmt.Println(nested())
	fmt.Println(rethrow())
	fmt.Println(replaced())
	loop()
	fmt.Println()
	defer fmt.Println("never printed because of os.Exit")
	defer func() {
		fmt.Println("re-panicked:", recover())
		_ = os.Args
	}()
	defer panic("last")
	defer func() { recover() }()
	panic("first")
}
