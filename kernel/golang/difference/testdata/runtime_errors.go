package main

import (
	"errors"
	"fmt"
	"runtime"
)

type T struct {
	p *T
	v int
}

func try(name string, f func()) {
	defer func() {
		r := recover()
		_, isRuntime := r.(runtime.Error)
		e, isError := r.(error)
		var re runtime.Error
		fmt.Println(name, "|", r, "|", isRuntime, isError && errors.As(e, &re))
	}()
	f()
}

func main() {
	var s []int
	var p *T
	var m map[string][]int
	var i any = "text"
	var e error
	var f func()
	var c chan int
	n, zero, neg := 5, 0, -1
	a := [3]int{}
	str := "abc"
	u := uint64(1<<63 + 5)
	try("index", func() { _ = s[n] })
	try("array", func() { _ = a[n] })
	try("negative", func() { _ = a[neg] })
	try("string", func() { _ = str[n] })
	try("unsigned", func() { _ = a[u] })
	try("slice high", func() { _ = a[:n] })
	try("slice cap", func() { _ = make([]int, 1, 2)[:n] })
	try("slice order", func() { _ = str[2:zero] })
	try("slice3", func() { _ = make([]int, 9)[1:n:3] })
	try("divide", func() { _ = n / zero })
	try("mod", func() { _ = int8(n) % int8(zero) })
	try("nil field", func() { _ = p.v })
	try("nil chain", func() { _ = (&T{}).p.p })
	try("nil store", func() { p.v = 1 })
	try("nil map", func() { m["a"] = nil })
	try("nil nested", func() { m["a"][0] = 1 })
	try("assert", func() { _ = i.(int) })
	try("assert iface", func() { _ = i.(error) })
	try("assert nil", func() { var x any; _ = x.(int) })
	try("nil method", func() { _ = e.Error() })
	try("nil func", func() { f() })
	try("close nil", func() { close(c) })
	try("close twice", func() { c := make(chan int); close(c); close(c) })
	try("send closed", func() { c := make(chan int, 1); close(c); c <- 1 })
	try("make", func() { _ = make([]int, neg) })
	try("make cap", func() { _ = make([]int, 2, zero) })
	try("makechan", func() { _ = make(chan int, neg) })
	try("shift", func() { _ = 1 << neg })
	try("array conv", func() { _ = [4]int(s) })
	try("custom", func() { panic(fmt.Errorf("mine %d", n)) })
	try("value", func() { panic(T{v: 3}) })
	try("nil panic", func() { panic(nil) })
	try("unhashable", func() { m := map[any]int{}; m[s] = 1 })
	try("compare", func() { var x, y any = s, s; _ = x == y })
}
