package main

import "fmt"

type grid [3][3]rune

func (g grid) set(x, y int, r rune) grid { g[y][x] = r; return g }
func (g *grid) put(x, y int, r rune)     { g[y][x] = r }
func (g grid) String() string {
	s := ""
	for _, row := range g {
		for _, r := range row {
			s += string(r)
		}
		s += "/"
	}
	return s
}

func main() {
	var g grid
	for i := range g {
		for j := range g[i] {
			g[i][j] = '.'
		}
	}
	h := g.set(1, 1, 'x')
	g.put(0, 0, 'o')
	fmt.Println(g, h, g == h, len(g), len(g[0]))
	a := [...]int{5: 1, 2, 1: 7}
	fmt.Println(a, len(a))
	m := map[[2]int]string{{1, 2}: "a"}
	fmt.Println(m[[2]int{1, 2}], m[[2]int{2, 1}] == "")
	f := func() [2]string { return [2]string{"p", "q"} }
	fmt.Println(f()[1])
	i := 1
	fmt.Println(f()[i])
	for i, v := range [3]int{1, 2, 3} {
		a[i] = v * 10
	}
	fmt.Println(a)
	p := &a
	for i, v := range p {
		if i == 0 {
			p[1] = 77
		}
		_ = v
	}
	fmt.Println(a[1], cap(p[:2:4]))
}
