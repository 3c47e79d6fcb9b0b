package main

import (
	"fmt"
	"strings"
)

func try(name string, f func()) {
	defer func() { fmt.Println(name, recover()) }()
	f()
}

func main() {
	a := []int{1, 2, 3}
	s := "hello"
	arr := [4]int{}
	n := 5
	m := -1
	try("index", func() { _ = a[n] })
	try("negative", func() { _ = a[m] })
	try("high", func() { _ = a[:n] })
	try("low", func() { _ = a[n:] })
	try("inverted", func() { _ = a[n-3 : 1 : 2] })
	try("max", func() { _ = a[0:1:n] })
	try("string", func() { _ = s[n+1:] })
	try("string index", func() { _ = s[n] })
	try("array", func() { _ = arr[n] })
	try("array slice", func() { p := &arr; _ = p[n:] })
	try("make", func() { _ = make([]int, m) })
	try("shift", func() { _ = 1 << m })
	try("to array", func() { _ = [4]int(a) })
	try("close nil", func() { var c chan int; close(c) })
	try("close twice", func() { c := make(chan int); close(c); close(c) })
	try("send closed", func() { c := make(chan int, 1); close(c); c <- 1 })
	try("uncomparable", func() { var x, y any = a, a; fmt.Println(x == y) })
	try("map key", func() { m := map[any]int{}; m[a] = 1 })
	try("nil func", func() { var f func(); f() })
	try("panic nil", func() { panic(nil) })
	try("value", func() { panic(fmt.Sprint("v", 1)) })
	try("repeat", func() { strings.Repeat("x", m) })
}
