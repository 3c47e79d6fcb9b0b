package main

import (
	"fmt"
)

type Shape interface {
	Area() float64
}

type Named interface {
	Shape
	fmt.Stringer
}

type Sq struct{ s float64 }

func (s Sq) Area() float64  { return s.s * s.s }
func (s Sq) String() string { return fmt.Sprintf("Sq(%g)", s.s) }

type Circ struct{ r float64 }

func (c *Circ) Area() float64  { return 3 * c.r * c.r }
func (c *Circ) String() string { return fmt.Sprintf("Circ(%g)", c.r) }

func Largest[T Named](xs ...T) (best T) {
	for i, x := range xs {
		if i == 0 || x.Area() > best.Area() {
			best = x
		}
	}
	return
}

func main() {
	fmt.Println(Largest(Sq{1}, Sq{3}, Sq{2}))
	fmt.Println(Largest(&Circ{1}, &Circ{2}))
	fmt.Println(Largest[Named](Sq{5}, &Circ{2}))
	fmt.Println(Largest[Named]() == nil, Largest[*Circ]() == nil)
}
