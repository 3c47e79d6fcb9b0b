package main

import (
	"fmt"
	"strconv"
)

type Setter[T any] interface {
	*T
	Set(string)
}

type Int struct{ v int }

func (i *Int) Set(s string) { i.v, _ = strconv.Atoi(s) }

type Str struct{ v string }

func (i *Str) Set(s string) { i.v = s + "!" }

func Parse[T any, P Setter[T]](ss ...string) []T {
	out := make([]T, len(ss))
	for i, s := range ss {
		P(&out[i]).Set(s)
	}
	return out
}

func New[T any, P interface {
	*T
	Set(string)
}](s string) P {
	p := P(new(T))
	p.Set(s)
	return p
}

func main() {
	fmt.Println(Parse[Int]("1", "22", "x"), Parse[Str]("a", "b"))
	fmt.Println(*New[Int]("77"), New[Str]("q").v)
}
