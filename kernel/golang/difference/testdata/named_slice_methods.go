package main

import (
	"fmt"
)

type stack []int

func (s *stack) push(n int) { *s = append(*s, n) }
func (s *stack) pop() int   { n := (*s)[len(*s)-1]; *s = (*s)[:len(*s)-1]; return n }
func (s stack) sum() (t int) {
	for _, n := range s {
		t += n
	}
	return
}
func main() {
	var s stack
	for i := range 5 {
		s.push(i * i)
	}
	top := s.pop()
	fmt.Println(top, s.sum(), len(s), s)
	f := s.push
	f(100)
	fmt.Println(s, stack{1, 2}.sum())
}
