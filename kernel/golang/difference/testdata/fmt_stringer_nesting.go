package main

import (
	"fmt"
)

type ID int

func (i ID) String() string { return fmt.Sprintf("#%d", int(i)) }

type P struct{ n int }

func (p *P) String() string { return fmt.Sprint("P", p.n) }

type W struct {
	ID  ID
	Ptr *P
	Val P
	hid ID
	M   map[ID]ID
	S   []ID
	A   [1]ID
	I   any
	E   fmt.Stringer
}

func main() {
	w := W{1, nil, P{2}, 3, map[ID]ID{4: 5}, []ID{6}, [1]ID{7}, ID(8), ID(9)}
	fmt.Println(w)
	fmt.Printf("%v|%+v|%d|%s|%x\n", w, w, w.S, w.S, w.M)
	fmt.Println(&w.Val, w.Val, []*P{}, []any{ID(1), &P{3}, P{4}}, map[string]any{"k": ID(2)})
	fmt.Printf("%v %s %d %q %x %5v|%-5v|\n", ID(1), ID(1), ID(1), ID(1), ID(1), ID(1), ID(1))
	fmt.Println([]fmt.Stringer{ID(1), &P{5}, nil}, struct{ X, y ID }{1, 2}, &struct{ X ID }{1}, &[]ID{1},
		&map[ID]int{1: 1})
}
