package main

import (
	"fmt"
)

type shape interface{ accept(visitor) }
type visitor interface {
	circle(*circle)
	square(*square)
}
type circle struct{ r float64 }
type square struct{ a float64 }

func (c *circle) accept(v visitor) { v.circle(c) }
func (s *square) accept(v visitor) { v.square(s) }

type area struct{ total float64 }

func (a *area) circle(c *circle) { a.total += 3 * c.r * c.r }
func (a *area) square(s *square) { a.total += s.a * s.a }

type grow struct{ by float64 }

func (g grow) circle(c *circle) { c.r *= g.by }
func (g grow) square(s *square) { s.a *= g.by }
func main() {
	list := []shape{&circle{1}, &square{2}, &circle{0.5}}
	for range 2 {
		a := &area{}
		for _, s := range list {
			s.accept(a)
		}
		fmt.Println(a.total)
		for _, s := range list {
			s.accept(grow{2})
		}
	}
}
