package main

import (
	"fmt"
)

func try(name string, f func()) {
	defer func() { fmt.Println(name, recover()) }()
	f()
}

func main() {
	s := []int{1, 2, 3}
	a := [3]int{}
	str := "abc"
	i, j, u := 5, -1, uint8(200)
	p := &a
	try("slice", func() { _ = s[i] })
	try("negative", func() { _ = s[j] })
	try("uint8", func() { _ = s[u] })
	try("array", func() { _ = a[i] })
	try("pointer", func() { p[i] = 1 })
	try("string", func() { _ = str[i] })
	try("hi", func() { _ = s[:i] })
	try("lo", func() { _ = s[i:] })
	try("order", func() { k := 2; _ = s[k:1] })
	try("cap", func() { _ = s[:1:i] })
	try("order3", func() { k := 3; _ = s[:k:2] })
	try("lo3", func() { k := 2; _ = s[k:1:1] })
	try("str", func() { _ = str[i:] })
	try("strhi", func() { _ = str[1:i] })
	try("strorder", func() { k := 3; _ = str[k:2] })
	try("arr", func() { _ = a[i:] })
	try("neg", func() { _ = s[j:] })
	try("conv", func() { _ = [4]int(s) })
	try("make", func() { _ = make([]int, j) })
	try("makecap", func() { _ = make([]int, 2, i-4) })
	try("chan", func() { _ = make(chan int, j) })
	try("shift", func() { _ = 1 << j })
	try("div", func() { _ = 1 / (i - 5) })
	try("mod", func() { _ = u % (u - 200) })
}
