package main

import "fmt"

type Setter[T any] interface {
	*T
	Set(string)
}

type Word struct{ s string }

func (w *Word) Set(s string) { w.s = s }

type Count int

func (c *Count) Set(s string) { *c = Count(len(s)) }

func parse[T any, P Setter[T]](list []string) []T {
	out := make([]T, len(list))
	for i, s := range list {
		P(&out[i]).Set(s)
	}
	return out
}

func make1[T any, P Setter[T]](s string) P {
	p := P(new(T))
	p.Set(s)
	return p
}

func main() {
	fmt.Println(parse[Word]([]string{"a", "b"}), parse[Count]([]string{"a", "bcd"}))
	fmt.Println(*make1[Count]("hello"), make1[Word]("x").s)
}
