package main

import "fmt"

func main() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i *= 10; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), " ", f(), " ")
	}
	fmt.Println()
	var ps []*int
	for i := 0; i < 6; i++ {
		i++
		ps = append(ps, &i)
	}
	for _, p := range ps {
		fmt.Print(*p, " ")
	}
	fmt.Println()
	m := map[string]func(){}
	for _, s := range []string{"a", "b"} {
		m[s] = func() { fmt.Print(s, s, " ") }
	}
	m["a"]()
	m["b"]()
	for i, j := 0, 10; i < j; i, j = i+1, j-2 {
		defer func() { fmt.Print(i, j, ";") }()
	}
	fmt.Println()
}
