package main

import (
	"errors"
	"fmt"
	"runtime"
)

type E struct{ Code int }

func (e *E) Error() string { return fmt.Sprint("code ", e.Code) }

func try(v any) {
	defer func() {
		switch r := recover().(type) {
		case runtime.Error:
			fmt.Println("runtime", r)
		case error:
			var e *E
			fmt.Println("error", r, errors.As(r, &e))
		case string:
			fmt.Println("string", r)
		case nil:
			fmt.Println("nil")
		default:
			fmt.Printf("%T %v\n", r, r)
		}
	}()
	if f, ok := v.(func()); ok {
		f()
	} else {
		panic(v)
	}
}

func main() {
	try("s")
	try(&E{3})
	try(fmt.Errorf("w: %w", &E{4}))
	try(42)
	try([]int{1})
	try(struct{ A int }{1})
	try(func() { var m map[string]int; m["a"] = 1 })
	try(func() { var p *E; p.Code++ })
	try(func() {})
}
