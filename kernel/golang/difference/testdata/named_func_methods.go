package main

import (
	"fmt"
)

type op func(int) int

func (o op) twice(n int) int { return o(o(n)) }
func (o op) then(p op) op    { return func(n int) int { return p(o(n)) } }
func (o op) String() string  { return fmt.Sprint("op:", o(1)) }
func main() {
	inc, dbl := op(func(n int) int { return n + 1 }), op(func(n int) int { return n * 2 })
	fmt.Println(inc.twice(3), inc.then(dbl)(3), dbl.then(inc)(3), inc.then(dbl).twice(1))
	fmt.Println(inc, []op{inc, dbl})
}
