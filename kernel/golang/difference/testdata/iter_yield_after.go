package main

import (
	"fmt"
)

var saved func(int) bool

func leak(yield func(int) bool) { saved = yield; yield(1) }

func ignore(yield func(int) bool) {
	yield(1)
	yield(2)
}

func try(f func()) {
	defer func() { fmt.Println("recovered:", recover()) }()
	f()
}

func main() {
	try(func() {
		for i := range leak {
			fmt.Println(i)
		}
		saved(5)
	})
	try(func() {
		for i := range ignore {
			fmt.Println(i)
			break
		}
	})
}
