package main

import (
	"fmt"
)

func seq(y func(int) bool) {
	defer func() {
		fmt.Println("seq sees", recover() != nil)
		panic("from seq")
	}()
	y(1)
}
func main() {
	defer func() { fmt.Println(recover()) }()
	for i := range seq {
		panic(i)
	}
}
