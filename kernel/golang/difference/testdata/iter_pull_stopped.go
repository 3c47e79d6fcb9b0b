// A sequence that Pull has stopped gets false from every further yield, and may not be entered twice.
package main

import (
	"fmt"
	"iter"
)

func try(name string, f func()) {
	defer func() { fmt.Println(name, recover()) }()
	f()
}

func main() {
	next, stop := iter.Pull(func(yield func(int) bool) {
		fmt.Println(yield(1))
		fmt.Println(yield(2))
		fmt.Println(yield(3))
	})
	fmt.Println(next())
	stop()
	fmt.Println(next())
	next2, stop2 := iter.Pull2(func(yield func(int, string) bool) {
		fmt.Println(yield(1, "a"), yield(2, "b"), yield(3, "c"))
	})
	fmt.Println(next2())
	fmt.Println(next2())
	stop2()
	fmt.Println(next2())

	try("next inside", func() {
		var again func() (int, bool)
		again, _ = iter.Pull(func(yield func(int) bool) { again() })
		again()
	})
	try("next2 inside", func() {
		var again func() (int, int, bool)
		again, _ = iter.Pull2(func(yield func(int, int) bool) { again() })
		again()
	})
	try("yield outside", func() {
		var kept func(int) bool
		n, s := iter.Pull(func(yield func(int) bool) { kept = yield; yield(1) })
		defer s()
		n()
		kept(2)
	})
}
