package main

import (
	"fmt"
)

type Base[T any] struct{ Val T }

func (b *Base[T]) Set(v T) { b.Val = v }
func (b Base[T]) Get() T   { return b.Val }

type Str = Base[string]

type Both struct {
	Str
	*Base[int]
	error
}

func main() {
	b := Both{Base: &Base[int]{}, error: fmt.Errorf("e")}
	b.Str.Set("s")
	b.Base.Set(4)
	fmt.Println(b.Str.Get(), b.Base.Get(), b.Error())
	type Only struct{ Base[[]int] }
	o := Only{}
	o.Set([]int{1})
	o.Val = append(o.Val, 2)
	fmt.Println(o, o.Get())
}
