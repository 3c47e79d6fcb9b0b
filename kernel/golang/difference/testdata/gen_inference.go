package main

import "fmt"

func apply[S ~[]E, E any](s S, f func(E) E) S {
	out := make(S, len(s))
	for i, x := range s {
		out[i] = f(x)
	}
	return out
}

type Names []string

func (n Names) Len() int { return len(n) }

func pick[M ~map[K]V, K comparable, V any](m M, keys ...K) (out []V) {
	for _, k := range keys {
		out = append(out, m[k])
	}
	return
}

func ptr[T any](v T) *T { return &v }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

type Ages map[string]int

func main() {
	n := apply(Names{"a", "b"}, func(s string) string { return s + s })
	fmt.Println(n, n.Len())
	fmt.Println(pick(Ages{"x": 1, "y": 2}, "y", "z"))
	fmt.Println(*ptr(3), *ptr("s"), must(fmt.Sscan("5", new(int))))
	defer func() { fmt.Println("recovered:", recover()) }()
	must(fmt.Sscan("q", new(int)))
}
