package main

import (
	"fmt"
	"strings"
)

var trace []string

func t(s string, v int) int { trace = append(trace, s); return v }

func show() { fmt.Println(strings.Join(trace, " ")); trace = nil }

func two() (int, int) { trace = append(trace, "two"); return 1, 2 }

type P struct{ a, b int }

func (p *P) get(s string) *P { trace = append(trace, s); return p }

func main() {
	m := map[int]int{}
	m[t("k", 1)] = t("v", 2)
	show()
	xs := []int{t("a", 1), t("b", 2)}
	show()
	xs[t("i", 0)], xs[t("j", 1)] = t("x", 10), t("y", 20)
	show()
	fmt.Println(t("l", 1)+t("m", 2)*t("n", 3), xs, m)
	show()
	_ = t("or1", 0) == 0 || t("or2", 1) == 1
	_ = t("and1", 0) == 1 && t("and2", 1) == 1
	show()
	p := &P{}
	p.get("p1").a, p.get("p2").b = two()
	show()
	fmt.Println(*p)
	switch t("s", 2) {
	case t("c1", 1), t("c2", 2), t("c3", 3):
	}
	show()
	for i := t("init", 0); i < t("cond", 2); i += t("post", 1) {
	}
	show()
	defer func(a, b int) { show(); fmt.Println(a, b) }(t("d1", 1), t("d2", 2))
	i := 0
	i, xs[i] = 1, 99
	fmt.Println(i, xs)
	var q *P
	func() {
		defer func() { fmt.Println(recover() != nil) }()
		q.a = t("rhs", 1)
	}()
	show()
	arr := [3]int{1, 2, 3}
	for i, v := range arr {
		arr[2] = 10
		fmt.Print(i, v, " ")
	}
	sl := arr[:]
	for i, v := range sl {
		sl[2] = 20
		if i == 0 {
			sl = append(sl, 4)
		}
		fmt.Print(i, v, " ")
	}
	fmt.Println(len(sl))
	y := 1
	f := func() int { y *= 2; return y }
	fmt.Println(f()+f()*f(), y)
}
