package main

import (
	"fmt"
)

func v(pre string, xs ...int) string {
	if xs == nil {
		return pre + " nil"
	}
	if len(xs) > 0 {
		xs[0] *= 10
	}
	return fmt.Sprint(pre, xs, len(xs))
}

type Opt func(*conf)
type conf struct {
	n int
	s string
}

func N(n int) Opt    { return func(c *conf) { c.n = n } }
func S(s string) Opt { return func(c *conf) { c.s = s } }
func build(os ...Opt) (c conf) {
	for _, o := range os {
		o(&c)
	}
	return
}

func anys(a ...any) string { return fmt.Sprintf("%d %v", len(a), a) }

func main() {
	xs := []int{1, 2, 3}
	fmt.Println(v("a"), v("b", 5), v("c", xs...), xs, v("d", nil...), v("e", xs[:0]...))
	fmt.Println(build(), build(N(3), S("x")), build([]Opt{N(1), N(2)}...))
	fmt.Println(anys(), anys(nil), anys(xs), anys([]any{1, 2}...), anys([]any{1, 2}), anys(nil, nil))
	f := v
	g := func(h func(string, ...int) string) string { return h("h", 1, 2) }
	fmt.Println(g(f), g(func(s string, n ...int) string { return s + fmt.Sprint(len(n)) }))
	defer func(a ...string) { fmt.Println(a) }("x", "y")
	type fn = func(...fmt.Stringer) int
	var z fn = func(s ...fmt.Stringer) int { return len(s) }
	fmt.Println(z(nil, nil))
}
