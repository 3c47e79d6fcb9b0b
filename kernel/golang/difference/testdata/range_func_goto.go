package main

import (
	"fmt"
)

func two(yield func(string, int) bool) {
	for i, s := range []string{"a", "b", "c"} {
		if !yield(s, i) {
			fmt.Print("stopped ")
			return
		}
	}
}

func main() {
	tries := 0
again:
	for s, i := range two {
		if s == "b" && tries < 2 {
			tries++
			goto again
		}
		switch {
		case i == 2:
			break
		default:
			fmt.Print(s, i, " ")
			continue
		}
		fmt.Print("end ")
	}
	fmt.Println(tries)
	for range two {
		for range two {
			break
		}
	}
	fmt.Println()
}
