package main

import (
	"fmt"
)

type Log struct{ lines []string }

func (l *Log) Add(s string) { l.lines = append(l.lines, s) }
func (l Log) Count() int    { return len(l.lines) }

type Service struct {
	*Log
	name string
}

type Adder interface{ Add(string) }

func main() {
	s := Service{&Log{}, "svc"}
	add, count := s.Add, s.Count
	add("one")
	Service.Add(s, "two")
	(*Service).Add(&s, "three")
	fmt.Println(count(), s.Count(), Service.Count(s))
	var a Adder = s
	f := a.Add
	s.Log = &Log{}
	f("four")
	fmt.Println(s.Count(), a.(Service).Count())
	g := Adder.Add
	g(s, "five")
	fmt.Println(s.lines)
}
