package main

import (
	"fmt"
	"strings"
)

type set uint16

const (
	a set = 1 << iota
	b
	c
	d
)

func (s set) has(t set) bool { return s&t == t }
func (s *set) toggle(t set)  { *s ^= t }
func (s set) String() string {
	var parts []string
	for i, n := range []string{"a", "b", "c", "d"} {
		if s.has(1 << i) {
			parts = append(parts, n)
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}
func main() {
	s := a | c
	fmt.Println(s, s.has(a), s.has(a|b), s&^a, ^s&0xf)
	s.toggle(b | c)
	fmt.Println(s, uint16(s))
}
