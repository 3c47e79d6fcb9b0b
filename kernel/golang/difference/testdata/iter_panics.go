package main

import "fmt"

func bad(yield func(int) bool) {
	yield(1)
	yield(2)
}

func keeps(f *func(int) bool) func(func(int) bool) {
	return func(yield func(int) bool) { *f = yield; yield(0) }
}

func try(name string, f func()) {
	defer func() { fmt.Println(name, recover()) }()
	f()
}

func main() {
	try("continued", func() {
		for i := range bad {
			fmt.Println(i)
			break
		}
	})
	try("late", func() {
		var f func(int) bool
		for i := range keeps(&f) {
			fmt.Println("in", i)
		}
		f(3)
	})
	try("inside", func() {
		for i := range bad {
			panic(fmt.Sprint("mine ", i))
		}
	})
	try("swallowed", func() {
		for range func(yield func() bool) {
			defer func() { fmt.Println("iterator sees", recover()) }()
			yield()
		} {
			panic("lost")
		}
	})
}
