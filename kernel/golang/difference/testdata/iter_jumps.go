// Loops over functions with labels, goto, defer, panics and iter.Pull.
package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

func count(n int) iter.Seq[int] {
	return func(y func(int) bool) {
		defer fmt.Print("<done>")
		for i := range n {
			if !y(i) {
				return
			}
		}
	}
}
func find() (res string) {
	defer func() { res += "!" }()
outer:
	for i := range count(5) {
		defer func() { fmt.Print("d", i, " ") }()
		for j := range count(5) {
			switch {
			case j == 1 && i == 0:
				continue outer
			case j == 2:
				break outer
			case i == 3:
				return "three"
			}
		}
	}
	for i := range count(3) {
		if i == 1 {
			return fmt.Sprint("one ", i)
		}
	}
	return "none"
}
func gotos() {
	i := 0
again:
	for x := range count(3) {
		i += x
		if x == 2 && i < 5 {
			goto again
		}
	}
	fmt.Println("i", i)
}
func rec() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("rec: %v", r)
		}
	}()
	for i := range count(3) {
		if i == 1 {
			panic("boom")
		}
	}
	return nil
}
func bad(y func(int) bool) { y(1); y(2) }
func late() {
	var save func(int) bool
	for x := range func(y func(int) bool) { save = y; y(1) } {
		fmt.Println(x)
	}
	defer func() { fmt.Println(recover()) }()
	save(2)
}
func swallow() {
	defer func() { fmt.Println("r", recover()) }()
	for range func(y func() bool) { defer func() { recover() }(); y() } {
		panic("x")
	}
}
func main() {
	fmt.Println(find())
	gotos()
	fmt.Println(rec())
	func() {
		defer func() { fmt.Println(recover()) }()
		for range bad {
			break
		}
	}()
	late()
	swallow()
	next, stop := iter.Pull2(maps.All(map[string]int{"a": 1}))
	fmt.Println(next())
	fmt.Println(next())
	stop()
	stop()
	fmt.Println(next())
	n2, s2 := iter.Pull(count(2))
	fmt.Println(n2())
	s2()
	fmt.Println(n2())
	func() {
		defer func() { fmt.Println("pull", recover()) }()
		n, s := iter.Pull(func(y func(int) bool) { panic("in seq") })
		defer s()
		n()
	}()
	fmt.Println(slices.Collect(func(y func(int) bool) {
		for i := range 3 {
			if !y(i * i) {
				return
			}
		}
	}))
	for i, c := range slices.Backward([]rune("añb")) {
		fmt.Print(i, string(c))
	}
	for c := range slices.Chunk([]int{1, 2, 3, 4, 5}, 2) {
		fmt.Print(c, cap(c))
	}
	fmt.Println(slices.Sorted(maps.Values(map[int]string{1: "z", 2: "y"})))
	fs := []func(){}
	for i := 0; i < 3; i++ {
		fs = append(fs, func() { fmt.Print(i); i += 10 })
	}
	for _, f := range fs {
		f()
		f()
	}
	for i := range 3 {
		defer func() { fmt.Print("e", i) }()
	}
	var pp []*int
	for i := range 2 {
		pp = append(pp, &i)
	}
	fmt.Println(*pp[0], *pp[1])
}
