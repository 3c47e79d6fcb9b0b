package main

import (
	"fmt"
)

func main() {
	m := map[int]int{}
	for i := range 100 {
		m[i] = i
	}
	seen := 0
	for k := range m {
		seen++
		for j := range 100 {
			if j != k {
				delete(m, j)
			}
		}
	}
	fmt.Println(seen, len(m))
	n := map[string]bool{"a": true, "b": true, "c": true}
	for k := range n {
		delete(n, k)
	}
	fmt.Println(len(n), n)
	var z map[string]int
	delete(z, "a")
	for range z {
		fmt.Println("never")
	}
	v, ok := z["q"]
	fmt.Println(v, ok, len(z), z == nil)
}
