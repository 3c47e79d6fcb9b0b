package main

import (
	"fmt"
)

type P struct{ x, y int }

func (p P) Sum() int    { return p.x + p.y }
func (p *P) Move(d int) { p.x += d; p.y += d }
func (p *P) Self() *P   { return p }

type Fn func(int) int

func (f Fn) Apply(n int) int { return f(n) + 1 }

func main() {
	p := P{1, 2}
	sum, move := p.Sum, p.Move
	move(10)
	fmt.Println(sum(), p.Sum(), p.Self() == &p)
	ps := []P{{1, 1}, {2, 2}}
	for i := range ps {
		defer ps[i].Move(1)
		ps[i].Move(5)
	}
	fmt.Println(ps, ps[0].Self().Sum())
	m := map[string]P{"a": {3, 4}}
	fmt.Println(m["a"].Sum(), P{5, 6}.Sum(), (&P{7, 8}).Sum())
	fmt.Println(Fn(func(n int) int { return n * n }).Apply(4))
	fs := []func() int{p.Sum, ps[1].Sum, P{1, 1}.Sum}
	p = P{}
	t := 0
	for _, f := range fs {
		t += f()
	}
	fmt.Println(t)
}
