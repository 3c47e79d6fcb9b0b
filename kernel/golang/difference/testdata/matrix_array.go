package main

import (
	"fmt"
)

type mat [2][2]int

func (m mat) mul(n mat) (r mat) {
	for i := range m {
		for j := range n {
			for k := range r {
				r[i][j] += m[i][k] * n[k][j]
			}
		}
	}
	return
}
func (m mat) pow(n int) mat {
	r := mat{{1, 0}, {0, 1}}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r = r.mul(m)
		}
		m = m.mul(m)
	}
	return r
}
func main() {
	f := mat{{1, 1}, {1, 0}}
	for _, n := range []int{0, 1, 10, 50} {
		fmt.Println(n, f.pow(n)[0][1])
	}
	g := f
	g[0][0] = 9
	fmt.Println(f, g, f == g, f == mat{{1, 1}, {1, 0}})
}
