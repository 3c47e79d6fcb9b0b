package main

import (
	"fmt"
	"sort"
)

type bag map[string]int

func (b bag) add(words ...string) bag {
	for _, w := range words {
		b[w]++
	}
	return b
}
func (b bag) keys() []string {
	var k []string
	for w := range b {
		k = append(k, w)
	}
	sort.Strings(k)
	return k
}
func main() {
	b := bag{}.add("x", "y", "x").add("z")
	for _, k := range b.keys() {
		fmt.Print(k, "=", b[k], " ")
	}
	fmt.Println(len(b), b)
	var none bag
	fmt.Println(none["q"], len(none.keys()), none == nil)
}
