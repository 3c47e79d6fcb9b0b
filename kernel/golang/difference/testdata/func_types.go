package main

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode"
)

type Middleware func(Handler) Handler
type Handler func(string) string
type Visitor interface{ Visit(int) Visitor }
type VisitFunc func(int) Visitor

func (f VisitFunc) Visit(n int) Visitor { return f(n) }

func chain(h Handler, ms ...Middleware) Handler {
	for i := len(ms) - 1; i >= 0; i-- {
		h = ms[i](h)
	}
	return h
}

func wrap(tag string) Middleware {
	return func(next Handler) Handler {
		return func(s string) string { return "<" + tag + ">" + next(s) + "</" + tag + ">" }
	}
}

type option func(*config)
type config struct {
	n    int
	name string
}

func withN(n int) option       { return func(c *config) { c.n = n } }
func withName(s string) option { return func(c *config) { c.name = s } }

func build(opts ...option) config {
	c := config{1, "default"}
	for _, o := range opts {
		o(&c)
	}
	return c
}

func memo(f func(int) int) func(int) int {
	cache := map[int]int{}
	return func(n int) int {
		if v, ok := cache[n]; ok {
			return v
		}
		cache[n] = f(n)
		return cache[n]
	}
}

func main() {
	h := chain(strings.ToUpper, wrap("a"), wrap("b"))
	fmt.Println(h("hi"))
	total := 0
	var v Visitor
	v = VisitFunc(func(n int) Visitor { total += n; return v })
	v.Visit(1).Visit(2).Visit(3)
	fmt.Println(total)
	fmt.Println(build(), build(withN(5), withName("x")))
	calls := 0
	f := memo(func(n int) int { calls++; return n * n })
	fmt.Println(f(4), f(4), f(5), calls)
	ops := map[string]func(float64, float64) float64{
		"+": func(a, b float64) float64 { return a + b }, "pow": math.Pow, "max": math.Max,
	}
	fmt.Println(ops["+"](1, 2), ops["pow"](2, 10), ops["max"](3, 4), ops["?"] == nil)
	var fs [3]func() string
	for i, s := range []string{"x", "y", "z"} {
		fs[i] = func() string { return s + strconv.Itoa(i) }
	}
	fmt.Println(fs[0](), fs[1](), fs[2]())
	fmt.Println(func(xs ...int) int { return len(xs) }(1, 2), strings.IndexFunc("ab1", unicode.IsDigit))
	s := strings.FieldsFunc("a1b2c", func(r rune) bool { return r >= '0' && r <= '9' })
	sort.SliceStable(s, func(i, j int) bool { return s[i] > s[j] })
	fmt.Println(s)
}
