package main

import (
	"fmt"
)

type Big struct {
	A [20]int
	S string
	M map[string]int
}

func make1(n int) (b Big, err error, more [3]string) {
	for i := range b.A {
		b.A[i] = i * n
	}
	b.S = fmt.Sprint("s", n)
	more[1] = "m"
	return
}

func pass(b Big, c Big) (Big, Big) { b.A[0], c.A[0] = 1, 2; return c, b }

func many(a int8, b int64, c bool, d string, e float32, f []int, g func() int, h any, i [2]uint16) (int8,
	int64, bool, string, float32, []int, int, any, [2]uint16) {
	return a + 1, b + 1, !c, d + "!", e * 2, append(f, 1), g(), h, [2]uint16{i[1], i[0]}
}

func main() {
	b, err, more := make1(3)
	fmt.Println(b.A[19], b.S, b.M == nil, err, more)
	x, y := pass(b, b)
	fmt.Println(x.A[0], y.A[0], b.A[0], x.A[1])
	fmt.Println(many(127, 1<<40, true, "d", 1.25, nil, func() int { return 9 }, x.S, [2]uint16{1, 2}))
	f := func() (a, b, c any) { return b, a, "c" }
	fmt.Println(f())
	ch := make(chan Big, 2)
	ch <- b
	z := <-ch
	z.A[5]++
	fmt.Println(z.A[5], b.A[5], z.A == b.A)
}
