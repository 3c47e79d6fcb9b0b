package main

import (
	"fmt"
)

func main() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	var ps []*int
	for i := 0; i < 4; i++ {
		ps = append(ps, &i)
		if i == 1 {
			i++
		}
	}
	for _, p := range ps {
		fmt.Print(*p, " ")
	}
	var gs []func()
	for k, v := range []string{"a", "b"} {
		gs = append(gs, func() { fmt.Print(k, v, " ") })
	}
	for i, j := 0, 10; i < j; i, j = i+1, j-3 {
		gs = append(gs, func() { fmt.Print(i, ":", j, " ") })
	}
	for _, g := range gs {
		g()
	}
	fmt.Println()
}
