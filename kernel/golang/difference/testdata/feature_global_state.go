package main

import (
	"fmt"
)

var (
	hits  int
	seen  = map[string]bool{}
	last  *string
	table = [...]struct {
		n int
		f func() int
	}{{1, func() int {
		hits++
		return hits
	}}, {2, nil}}
)

func visit(s string) { hits += len(s); seen[s] = !seen[s]; last = &s }
func main() {
	for _, s := range []string{"a", "bb", "a"} {
		visit(s)
	}
	fmt.Println(hits, seen, *last, table[1].f == nil)
	fmt.Println(table[0].f())
	table[0].n <<= 3
	fmt.Println(table[0].n)
}
