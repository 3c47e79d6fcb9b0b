package main

import (
	"fmt"
)

type Count uint8

func main() {
	for i := range 3 {
		fmt.Print(i, " ")
	}
	for range 2 {
		fmt.Print("x ")
	}
	for i := range Count(3) {
		fmt.Printf("%T%d ", i, i)
	}
	n := 4
	for i := range n {
		n = 1
		i *= 2
		fmt.Print(i, " ")
	}
	for i := range -2 {
		fmt.Print("never", i)
	}
	const big = 3
	var i64 int64
	for i64 = range big {
	}
	fmt.Println(i64)
	for i := range byte(255) {
		if i == 254 {
			fmt.Println("last", i)
		}
	}
}
