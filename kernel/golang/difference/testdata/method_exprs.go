package main

import (
	"fmt"
	"strings"
)

type T struct{ n int }

func (t T) Value(k int) int      { return t.n * k }
func (t *T) Pointer(k int)       { t.n += k }
func (t T) Var(p ...int) int     { return len(p) + t.n }
func (t T) Func() func() int     { return func() int { return t.n } }
func (t *T) Chain(k int) *T      { t.n += k; return t }
func use(f func(T, int) int) int { return f(T{5}, 2) }

type I interface{ Value(int) int }
type Outer struct {
	*T
	I2 I
}

func main() {
	t := T{3}
	f, g := t.Value, t.Pointer
	t.n = 10
	g(1)
	fmt.Println(f(2), t.n, T.Value(t, 3), (*T).Value(&t, 3), use(T.Value))
	(*T).Pointer(&t, 5)
	h := I.Value
	fmt.Println(h(t, 2), h(&t, 2), t.n, T.Var(t, 1, 2), t.Func()())
	o := Outer{&t, T{1}}
	k, l := o.Value, o.I2.Value
	o.T = &T{100}
	fmt.Println(k(1), l(7), o.Value(1), Outer.Value(o, 2))
	fmt.Println(o.Chain(1).Chain(2).n, strings.Map(func(r rune) rune { return r + 1 }, "abc"))
	defer t.Pointer(1)
	up := strings.ToUpper
	fmt.Println(up("x"), (&strings.Builder{}).String() == "")
	var nilT *T
	defer func() { fmt.Println(recover()) }()
	q := nilT.Value
	q(1)
}
