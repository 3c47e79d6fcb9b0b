package main

import (
	"fmt"
)

type machine struct {
	stack []int
	pc    int
}
type step func(*machine)

func push(n int) step { return func(m *machine) { m.stack = append(m.stack, n) } }
func binary(f func(a, b int) int) step {
	return func(m *machine) { n := len(m.stack); m.stack = append(m.stack[:n-2], f(m.stack[n-2], m.stack[n-1])) }
}
func jumpIf(to int) step {
	return func(m *machine) {
		n := len(m.stack) - 1
		if m.stack[n] > 0 {
			m.pc = to
		}
	}
}
func main() {
	prog := []step{push(5), push(-1), binary(func(a, b int) int { return a + b }), jumpIf(0 + 1)}
	m := &machine{}
	steps := 0
	for m.pc < len(prog) {
		s := prog[m.pc]
		m.pc++
		s(m)
		steps++
	}
	fmt.Println(m.stack, steps)
}
