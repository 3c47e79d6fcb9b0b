package main

import (
	"fmt"
)

type Meters float64
type Feet float64
type IDs []int
type Pred func(int) bool
type Tbl map[string]int
type Pt struct{ X, Y int }
type Qt struct{ X, Y int }
type PPt *Pt
type Ch chan int
type R rune

func (m Meters) Feet() Feet { return Feet(m * 3.25) }

func main() {
	fmt.Println(Meters(2).Feet(), Feet(Meters(1))+1, Qt(Pt{1, 2}), IDs([]int{1}), []int(IDs{2}))
	p := &Pt{3, 4}
	q := (*Qt)(p)
	q.X = 30
	var pp PPt = p
	fmt.Println(*p, (*pp).Y, Pred(func(i int) bool { return i > 0 })(1), len(Tbl{"a": 1}))
	fmt.Println(string(R('x')), R("é"[0]), []R("ab"), string([]R{'c'}), []byte("é"), R(65.0))
	fmt.Println(int8(R(200)-1<<7), uint8(Meters(3)), Meters(7)/2, float32(Meters(.1)))
	var c Ch = make(chan int, 1)
	(chan<- int)(c) <- 5
	fmt.Println(<-(<-chan int)(c))
	var e error = fmt.Errorf("x")
	fmt.Println(fmt.Stringer(nil) == nil, interface{ Error() string }(e).Error(), any(e) == any(error(e)))
	x, y := 3.99, -3.99
	fmt.Println(int(x), int(y), uint8(x), int64(float32(16777217)), uint64(1<<63), float64(uint64(1<<63+1)))
}
