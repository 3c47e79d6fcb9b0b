package main

import (
	"fmt"
	"strings"
)

func main() {
	a, b := "abc", "abd"
	fmt.Println(a < b, a+b > b+a, a[1], a[1:], a[:1]+b[2:], len("é"), "\u00e9" == "é", `a\n`+"\n" == "a\\n\n")
	s := strings.Repeat("ab", 3)
	fmt.Println(strings.Count(s, "a"), strings.Index(s, "ba"), strings.Fields(" x  y "), strings.Map(func(r rune) rune {
		if r == 'a' {
			return -1
		}
		return r + 1
	}, s))
}
