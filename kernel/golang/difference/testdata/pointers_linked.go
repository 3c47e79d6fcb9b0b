package main

import "fmt"

type List struct {
	Val  int
	Next *List
}

type Tree struct {
	Kids   []Tree
	Parent *Tree
	Name   string
	Attr   map[string]*Tree
	Visit  func(*Tree) string
}

func (l *List) String() string {
	if l == nil {
		return "nil"
	}
	return fmt.Sprint(l.Val, "->", l.Next.String())
}

func (l *List) Reverse() (r *List) {
	for l != nil {
		l, l.Next, r = l.Next, r, l
	}
	return
}

type Expr interface{ Eval() int }
type Lit int
type Add struct{ L, R Expr }

func (l Lit) Eval() int { return int(l) }
func (a Add) Eval() int { return a.L.Eval() + a.R.Eval() }

type Even struct{ odd *Odd }
type Odd struct{ even *Even }

func main() {
	var l *List
	for i := range 4 {
		l = &List{i, l}
	}
	fmt.Println(l)
	fmt.Println(l.Reverse())
	t := Tree{Name: "root"}
	t.Kids = append(t.Kids, Tree{Name: "a"}, Tree{Name: "b"})
	t.Kids[0].Parent = &t
	t.Attr = map[string]*Tree{"first": &t.Kids[0]}
	t.Visit = func(t *Tree) string { return "visit " + t.Name }
	fmt.Println(t.Attr["first"].Parent.Name, t.Visit(&t.Kids[1]), len(t.Kids), t.Kids[1].Name)
	fmt.Println(Add{Lit(1), Add{Lit(2), Lit(3)}}.Eval())
	e := &Even{&Odd{}}
	e.odd.even = e
	fmt.Println(e.odd.even == e)
	x := 5
	p := &x
	pp := &p
	**pp = 6
	fmt.Println(x, *p == **pp)
	type pair struct{ a, b *int }
	y := pair{p, p}
	*y.a++
	fmt.Println(*y.b, y == pair{p, p})
	n := new(int)
	*n += 3
	fmt.Println(*n, new(List).Next == nil)
	var any1, any2 any = l, l
	fmt.Println(any1 == any2, any1.(*List) == l)
}
