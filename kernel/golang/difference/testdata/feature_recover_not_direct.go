package main

import (
	"fmt"
)

func helper() any { return recover() }
func f() (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprint("got ", r)
		}
	}()
	defer func() { func() { fmt.Println("nested", recover()) }() }()
	panic(1)
}
func g() (s string) {
	defer func() { s = fmt.Sprint(helper(), recover()) }()
	panic(2)
}
func main() { fmt.Println(f()); fmt.Println(g()) }
