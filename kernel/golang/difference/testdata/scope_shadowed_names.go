// Predeclared names that are declared anew, and jumps.
package main

import (
	"fmt"
	"strconv"
)

func true_() bool { return true }
func main() {
	len := func(x any) int { return 42 }
	fmt.Println(len("a"))
	{
		len := 3
		fmt.Println(len)
	}
	type int string
	var i int = "shadow"
	fmt.Printf("%v %T\n", i, i)
	nil := 5
	fmt.Println(nil)
	true := false
	fmt.Println(true, !true)
	string := func(b []byte) []byte { return b }
	fmt.Println(string([]byte("x")))
	append := strconv.Itoa
	fmt.Println(append(7))
	var iota = 3
	const c = 1
	fmt.Println(iota)
	fmt := struct{ X float64 }{2}
	_ = fmt
	print := func(a ...any) {}
	print(fmt.X)
	if x := f(); x > 2 {
		goto end
	} else if y := x * 2; y > 1 {
		x = y
		_ = x
	}
	{
		goto end
	}
end:
	switch x := f(); {
	case x > 0 && x < 2:
		h("one")
		fallthrough
	case x > 5:
		h("five")
	default:
		h("def")
	}
	switch {
	default:
		h("d1")
	case f() == 1:
		h("c1")
	}
	switch y := any(f()).(type) {
	case float64:
		h("float")
	default:
		_ = y
		h("other")
	}
L:
	for i := 0; ; i++ {
		switch {
		case i == 1:
			continue L
		case i > 3:
			break L
		}
		h(strconv.Itoa(i))
		select {
		default:
			if i == 2 {
				break L
			}
		}
	}
	var a [3]func()
	for i := range a {
		a[i] = func() { h(strconv.Itoa(i)) }
	}
	for _, f := range a {
		f()
	}
	x, y := 1, 2
	x, y = y, x+y
	{
		x := x + 10
		x++
		y += x
	}
	h(strconv.Itoa(x) + " " + strconv.Itoa(y))
	func() { x := 1; defer func() { h(strconv.Itoa(x)) }(); x = 2 }()
	const (
		k0 = 10 << iota_
		k1
		k2
	)
	h(strconv.Itoa(k2))
	for i, j := 0, 10; i < j; i, j = i+1, j-3 {
		h(strconv.Itoa(i*100 + j))
	}
	m := map[string2][]int2{"a": {1}}
	m["a"][0]++
	m["b"] = m["b"][:0]
	h(strconv.Itoa(m["a"][0]))
	p := &struct{ a [2]struct{ b *int2 } }{}
	p.a[1].b = new(int2)
	*p.a[1].b += 4
	h(strconv.Itoa(*p.a[1].b))
	var z struct{}
	var zs [5]struct{}
	_ = z
	h(strconv.Itoa(blen(zs[:])))
	fib := func() func() int2 { a, b := 0, 1; return func() int2 { a, b = b, a+b; return a } }()
	for range 5 {
		h(strconv.Itoa(fib()))
	}
	var rec func(n int2) int2
	rec = func(n int2) int2 {
		if n == 0 {
			return 0
		}
		return n + rec(n-1)
	}
	h(strconv.Itoa(rec(100)))
}

type int2 = int
type string2 = string

const iota_ = 1

func blen[T any](x []T) int { return len(x) }
func f() int                { return 1 }
func h(s string)            { fmt.Print(s, ";") }
