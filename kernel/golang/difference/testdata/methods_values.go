package main

import (
	"fmt"
	"math"
)

type Point struct{ X, Y float64 }

func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }
func (p *Point) Scale(k float64)  { p.X *= k; p.Y *= k }
func (p Point) String() string    { return fmt.Sprintf("(%g,%g)", p.X, p.Y) }

type Path []Point

func (p Path) Len() (n float64) {
	for i := 1; i < len(p); i++ {
		n += math.Hypot(p[i].X-p[i-1].X, p[i].Y-p[i-1].Y)
	}
	return
}

type Op func(float64) float64

func (o Op) Twice(x float64) float64 { return o(o(x)) }

type Counter map[string]int

func (c Counter) Inc(s string) Counter { c[s]++; return c }

func main() {
	p := Point{1, 2}
	p.Scale(2)
	(&p).Scale(0.5)
	q := p.Add(Point{3, 4})
	fmt.Println(p, q, &q, []Point{p, q}, map[string]Point{"a": p}, struct{ P Point }{p})
	add := p.Add
	p.X = 100
	fmt.Println(add(Point{1, 1}))
	fmt.Println(Path{{0, 0}, {3, 4}, {3, 5}}.Len())
	fmt.Println(Op(math.Sqrt).Twice(16))
	fmt.Println(Counter{}.Inc("a").Inc("b").Inc("a"))
	fs := []func(Point) Point{p.Add, q.Add}
	fmt.Println(fs[1](Point{}), Point.Add(p, q))
	ps := []Point{{1, 1}, {2, 2}}
	for i := range ps {
		ps[i].Scale(10)
	}
	fmt.Println(ps)
	m := map[string]*Point{"z": {5, 6}}
	m["z"].Scale(2)
	fmt.Println(*m["z"])
	fmt.Printf("%v %+v %s %d\n", p, p, p, []int{1})
}
