package main

import (
	"fmt"
)

func count(y func(int) bool) {
	for i := 0; y(i); i++ {
	}
}
func main() {
	t := 0
outer:
	for i := range count {
		for j := range count {
			switch {
			case j > i:
				continue outer
			case i > 4:
				break outer
			}
			t += i * j
		}
	}
	fmt.Println(t)
}
