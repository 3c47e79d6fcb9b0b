package main

import "fmt"

type E struct{}

func (*E) Error() string { return "E" }

func bad(fail bool) error {
	var e *E
	if fail {
		e = &E{}
	}
	return e
}

type L []int

func (l L) Len() int { return len(l) }

type M map[string]int

func (m M) Get(k string) int { return m[k] }

type F func() int

func (f F) Call() int {
	if f == nil {
		return -1
	}
	return f()
}

type I interface{ Len() int }

func main() {
	err := bad(false)
	fmt.Println(err == nil, err != nil, err.(*E) == nil)
	fmt.Println(bad(true))
	var i I = L(nil)
	fmt.Println(i == nil, i.Len())
	fmt.Println(M(nil).Get("x"), F(nil).Call(), F(func() int { return 3 }).Call())
	var x any = (*int)(nil)
	fmt.Println(x == nil, x == (*int)(nil), x)
	var c chan int
	var m map[string]int
	var s []int
	var f func()
	fmt.Println(c == nil, m == nil, s == nil, f == nil, len(c), len(m), cap(s))
	for range m {
		fmt.Println("never")
	}
	for range s {
		fmt.Println("never")
	}
	delete(m, "x")
	fmt.Printf("%v %v %v %d\n", m, s, c, len(append(s, s...)))
	var e1, e2 error
	fmt.Println(e1 == e2)
	type T struct {
		p *int
		e error
	}
	fmt.Println(T{} == T{}, T{e: &E{}} == T{})
}
