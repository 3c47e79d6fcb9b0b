package main

import (
	"fmt"
)

type grid [3][3]byte

func (g *grid) set(r, c int, b byte) *grid { g[r][c] = b; return g }
func (g grid) count(b byte) (n int) {
	for _, r := range g {
		for _, x := range r {
			if x == b {
				n++
			}
		}
	}
	return
}

type table map[string]grid

func main() {
	var g grid
	g.set(0, 1, 'x').set(2, 2, 'x')
	t := table{"a": g}
	h := t["a"]
	h.set(1, 1, 'x')
	fmt.Println(g.count('x'), t["a"].count('x'), h.count('x'), grid{}.count(0))
}
