package main

import (
	"fmt"
)

// Its initialisation prints.

var (
	total  = compute("total", first, second)
	first  = compute("first")
	table  = map[string]func() int{"f": func() int { return first }, "t": getTotal}
	second = compute("second", first)
)

var counter int

func compute(name string, deps ...int) int {
	counter++
	fmt.Println("init", name, deps)
	return counter * 10
}

func getTotal() int { return total }

func init() { fmt.Println("init function", total) }

func init() { counter = 100 }

func main() {
	fmt.Println(total, first, second, counter, table["f"](), table["t"]())
}
