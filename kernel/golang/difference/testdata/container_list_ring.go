package main

import (
	"container/list"
	"container/ring"
	"fmt"
)

type V struct{ n int }

func main() {
	l := list.New()
	e4 := l.PushBack(V{4})
	e1 := l.PushFront(V{1})
	l.InsertBefore(&V{3}, e4)
	l.InsertAfter("two", e1)
	l.MoveToFront(e4)
	for e := l.Front(); e != nil; e = e.Next() {
		switch v := e.Value.(type) {
		case V:
			fmt.Print("V", v.n, " ")
		case *V:
			fmt.Print("*V", v.n, " ")
		default:
			fmt.Printf("%T ", v)
		}
	}
	fmt.Println(l.Len(), l.Remove(e1).(V) == V{1})
	r := ring.New(3)
	for i := range r.Len() {
		r.Value = V{i}
		r = r.Next()
	}
	sum := 0
	r.Do(func(x any) { sum += x.(V).n })
	fmt.Println(sum)
}
