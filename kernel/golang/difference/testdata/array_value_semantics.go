package main

import (
	"fmt"
)

type Board [2][3]int

func (b Board) With(r, c, v int) Board { b[r][c] = v; return b }
func (b *Board) Put(r, c, v int)       { b[r][c] = v }

type Holder struct{ b Board }

func main() {
	var b Board
	c := b.With(1, 2, 5)
	b.Put(0, 0, 1)
	d := c
	d[1][2]++
	fmt.Println(b, c, d, c == d, c == Board{{}, {0, 0, 5}})
	h := Holder{b}
	g := h
	g.b[0] = [3]int{7, 8, 9}
	fmt.Println(h, g)
	p := &g.b[0]
	p[1] = 0
	rows := g.b
	fmt.Println(g.b[0], rows[0][1], len(b), len(b[0]))
	arr := [...]string{2: "c", 0: "a", 4: "e"}
	fmt.Printf("%q %d\n", arr, len(arr))
	f := func(a [3]int) int { a[0] = 100; return a[0] }
	fmt.Println(f(rows[0]), rows[0])
}
