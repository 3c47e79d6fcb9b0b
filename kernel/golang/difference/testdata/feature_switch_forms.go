package main

import (
	"fmt"
)

func f(n int) (s string) {
	switch n {
	case 1, 2:
		s += "a"
		fallthrough
	case 3:
		s += "b"
	case 4:
		break
	default:
		s = "d"
	}
	switch m := n * 2; {
	case m > 6:
		s += "big"
	case m == 4:
		s += "four"
	}
	switch {
	}
	return
}
func main() {
	for i := range 6 {
		fmt.Print(f(i), " ")
	}
	fmt.Println()
	switch x := 5; x {
	case func() int {
		fmt.Print("called ")
		return 5
	}():
		fmt.Println("match")
	}
}
