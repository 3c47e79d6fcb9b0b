package main

import (
	"fmt"
)

func f(n int) (out []string) {
	switch n {
	case 0:
		out = append(out, "zero")
		fallthrough
	case 1:
		out = append(out, "one")
		fallthrough
	default:
		out = append(out, "default")
	case 2, 3:
		out = append(out, "two-three")
		if n == 3 {
			break
		}
		fallthrough
	case 4:
		out = append(out, "four")
	}
	return
}

func g(s string, x any) string {
	switch v := len(s); {
	case v > 3 && s[0] == 'a':
		return "long a"
	case v == 0:
		return "empty"
	}
	switch x {
	case 1, "1", 1.0:
		return "one"
	case nil:
		return "nil"
	case [2]int{1, 2}:
		return "array"
	}
	return "none"
}

func ev(n int) int { fmt.Print("e", n, " "); return n }

func main() {
	for i := range 6 {
		fmt.Print(f(i), " ")
	}
	fmt.Println(g("abcd", 0), g("", 0), g("x", 1), g("x", "1"), g("x", nil), g("x", [2]int{1, 2}), g("x", 1i))
	switch ev(2) {
	case ev(1), ev(2), ev(3):
		fmt.Println("hit")
	case ev(4):
	}
	switch b := true; b {
	case false:
	case 1 > 0:
		fmt.Println("true")
	}
}
