package main

import (
	"fmt"
)

func main() {
	m := map[string][]int{}
	for i := range 6 {
		k := string(rune('a' + i%2))
		m[k] = append(m[k], i)
	}
	m["a"][0] = 50
	delete(m, "b")
	fmt.Println(m, len(m["none"]))
	n := map[string]map[string]int{"x": {}}
	n["x"]["y"]++
	defer func() { fmt.Println(n, recover()) }()
	n["z"]["y"] = 1
}
