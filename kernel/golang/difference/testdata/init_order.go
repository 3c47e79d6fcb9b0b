package main

// Its initialisation prints.

import "fmt"

var (
	a    = b + 1
	b    = f()
	c    = func() int { fmt.Println("c"); return d * 2 }()
	d    = 5
	x, y = pair()
	z    = T{}.get()
	_    = show("blank")
)

type T struct{}

func (T) get() int { return y * 10 }

func f() int {
	fmt.Println("f", d)
	return d + 1
}

func pair() (int, int) { fmt.Println("pair", a); return a, c }

func show(s string) int { fmt.Println(s); return 0 }

func init() { fmt.Println("init 1", a, b, c); a = 100 }

func init() { fmt.Println("init 2", a) }

func main() { fmt.Println(a, b, c, d, x, y, z) }
