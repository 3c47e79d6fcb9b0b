package main

import (
	"fmt"
)

type List struct {
	val  int
	next *List
}

func remove(head **List, v int) {
	for p := head; *p != nil; {
		if (*p).val == v {
			*p = (*p).next
			continue
		}
		p = &(*p).next
	}
}

func main() {
	var l *List
	for _, v := range []int{3, 1, 3, 2, 3} {
		l = &List{v, l}
	}
	remove(&l, 3)
	for n := l; n != nil; n = n.next {
		fmt.Print(n.val, " ")
	}
	x := 1
	p := &x
	pp := &p
	**pp = 5
	y := 7
	*pp = &y
	*p++
	fmt.Println(x, y, p == &y, *pp == p)
	s := []int{1, 2, 3}
	q := &s[1]
	s = append(s, 4)
	*q = 100
	fmt.Println(s, *q)
	m := &map[string]int{"a": 1}
	(*m)["b"] = 2
	sp := &s
	(*sp)[0] = 50
	*sp = append(*sp, 9)
	fmt.Println(*m, s, len(*sp))
	type T struct{ a, b *int }
	t := T{&x, &x}
	*t.a += 10
	fmt.Println(*t.b, &t.a != &t.b)
}
