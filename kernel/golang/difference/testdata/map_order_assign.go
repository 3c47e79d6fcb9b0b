package main

import (
	"fmt"
)

func k(s string) string { fmt.Print("k", s, " "); return s }
func v(n int) int       { fmt.Print("v", n, " "); return n }

func main() {
	m := map[string]int{k("a"): v(1), k("b"): v(2)}
	m[k("c")] = v(3)
	m[k("a")] += v(4)
	m[k("d")]++
	m["x"], m["y"] = m["a"], len(m)
	fmt.Println(m)
	i := 0
	s := []int{0, 0, 0}
	i, s[i] = 2, 9
	fmt.Println(i, s)
	s[0], s[1], s[2] = s[2], s[0], s[1]
	fmt.Println(s)
	defer func() { fmt.Println(recover(), i) }()
	var nilm map[string]int
	i, nilm["a"] = 5, 6
}
