package main

import (
	"fmt"
)

type Visitor interface{ Visit(n int) Visitor }
type VF func(int) Visitor

func (f VF) Visit(n int) Visitor { return f(n) }

type State func(*Machine) State
type Machine struct {
	n   int
	log []string
}

func start(m *Machine) State {
	m.log = append(m.log, "start")
	return loop
}

func loop(m *Machine) State {
	m.n++
	m.log = append(m.log, fmt.Sprint("loop", m.n))
	if m.n == 3 {
		return nil
	}
	return loop
}

func main() {
	m := &Machine{}
	for s := State(start); s != nil; {
		s = s(m)
	}
	fmt.Println(m.log)
	var v Visitor
	count := 0
	v = VF(func(n int) Visitor {
		count += n
		if count > 5 {
			return nil
		}
		return v
	})
	for i := 1; v != nil; i++ {
		v = v.Visit(i)
	}
	fmt.Println(count)
	fs := map[string]func(...float64) float64{"sum": func(x ...float64) (s float64) {
		for _, v := range x {
			s += v
		}
		return
	}}
	fmt.Println(fs["sum"](1, 2, 3.5), fs["x"] == nil)
}
