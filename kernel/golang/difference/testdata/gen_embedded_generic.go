package main

import "fmt"

type Base[T any] struct{ Value T }

func (b *Base[T]) Set(v T) { b.Value = v }
func (b Base[T]) Get() T   { return b.Value }

type Named[T any] struct {
	Base[T]
	Name string
}

type Getter[T any] interface{ Get() T }

type Pair struct {
	Named[int]
	Other Named[string]
}

func main() {
	var p Pair
	p.Set(4)
	p.Other.Set("four")
	p.Name = "p"
	var g Getter[int] = p
	fmt.Println(g.Get(), p.Other.Get(), p.Value, p.Named.Base.Value)
	fmt.Printf("%v|%+v\n", p, p)
	fmt.Printf("%T %T\n", g, p.Named)
	var h Getter[string] = &p.Other
	_, ok := any(h).(Getter[int])
	fmt.Println(h.Get(), ok)
}
