package main

import (
	"fmt"
)

type setter[T any] interface {
	*T
	set(string)
}
type opt struct{ v string }

func (o *opt) set(s string) { o.v = "<" + s + ">" }
func build[T any, P setter[T]](in []string) []T {
	out := make([]T, len(in))
	for i, s := range in {
		P(&out[i]).set(s)
	}
	return out
}
func main() { fmt.Println(build[opt]([]string{"a", "b"})) }
