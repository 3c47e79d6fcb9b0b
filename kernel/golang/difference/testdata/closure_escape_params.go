package main

import (
	"fmt"
)

func hold(a int, b []string, c struct{ x int }) (func() string, func()) {
	return func() string { return fmt.Sprint(a, b, c) }, func() { a++; b = append(b, "n"); c.x-- }
}

func named() (r int, err error) {
	defer func() { r *= 2 }()
	set := func(v int) { r = v }
	set(21)
	return r, err
}

func main() {
	show, change := hold(1, []string{"s"}, struct{ x int }{5})
	change()
	fmt.Println(show())
	change()
	fmt.Println(show())
	fmt.Println(named())
	fs := map[string]func(){}
	total := 0
	for _, n := range []string{"a", "bb"} {
		fs[n] = func() { total += len(n) }
	}
	fs["a"]()
	fs["bb"]()
	fs["bb"]()
	fmt.Println(total)
}
