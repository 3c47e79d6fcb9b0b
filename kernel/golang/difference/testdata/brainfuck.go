package main

import (
	"fmt"
)

func run(code string) (out string) {
	var tape [64]byte
	p := 0
	var stack []int
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '>':
			p++
		case '<':
			p--
		case '+':
			tape[p]++
		case '-':
			tape[p]--
		case '.':
			out += string(rune(tape[p]))
		case '[':
			if tape[p] != 0 {
				stack = append(stack, i)
			} else {
				for d := 1; d > 0; {
					i++
					if code[i] == '[' {
						d++
					} else if code[i] == ']' {
						d--
					}
				}
			}
		case ']':
			if tape[p] != 0 {
				i = stack[len(stack)-1]
			} else {
				stack = stack[:len(stack)-1]
			}
		}
	}
	return
}
func main() {
	fmt.Println(run("++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++."))
}
