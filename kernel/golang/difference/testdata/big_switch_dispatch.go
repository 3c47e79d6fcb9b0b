package main

import (
	"fmt"
)

type Op byte

const (
	Push Op = iota
	Add
	Mul
	Jnz
	Dup
	Dec
	Swap
	Pop
	Halt
)

//go:noinline
func run(code []int) (out []int) {
	var st []int
	pop := func() int { v := st[len(st)-1]; st = st[:len(st)-1]; return v }
	for pc := 0; ; pc++ {
		switch Op(code[pc]) {
		case Push:
			pc++
			st = append(st, code[pc])
		case Add:
			sum := pop() + pop()
			st = append(st, sum)
		case Mul:
			product := pop() * pop()
			st = append(st, product)
		case Jnz:
			pc++
			if st[len(st)-1] != 0 {
				pc = code[pc] - 1
			}
		case Dup:
			st = append(st, st[len(st)-1])
		case Dec:
			st[len(st)-1]--
		case Swap:
			n := len(st)
			st[n-1], st[n-2] = st[n-2], st[n-1]
		case Pop:
			out = append(out, pop())
		case Halt:
			return
		default:
			panic(fmt.Sprintf("op %d at %d", code[pc], pc))
		}
	}
}

func main() {
	code := []int{int(Push), 1, int(Push), 10, int(Swap), int(Push), 2, int(Mul), int(Swap), int(Dec), int(Jnz),
		4, int(Pop), int(Pop), int(Halt)}
	fmt.Println(run(code))
	defer func() { fmt.Println(recover()) }()
	run([]int{99})
}
