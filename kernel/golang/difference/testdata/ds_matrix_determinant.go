package main

import (
	"fmt"
	"math"
)

type Mat [][]float64

func (m Mat) Clone() Mat {
	out := make(Mat, len(m))
	for i := range m {
		out[i] = append([]float64(nil), m[i]...)
	}
	return out
}

func (m Mat) Det() float64 {
	m = m.Clone()
	d := 1.0
	for c := range m {
		p := c
		for r := c + 1; r < len(m); r++ {
			if math.Abs(m[r][c]) > math.Abs(m[p][c]) {
				p = r
			}
		}
		if m[p][c] == 0 {
			return 0
		}
		if p != c {
			m[p], m[c] = m[c], m[p]
			d = -d
		}
		d *= m[c][c]
		for r := c + 1; r < len(m); r++ {
			f := m[r][c] / m[c][c]
			for k := c; k < len(m); k++ {
				m[r][k] -= f * m[c][k]
			}
		}
	}
	return d
}

func main() {
	a := Mat{{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}
	fmt.Printf("%.4f %.4f %v\n", a.Det(), Mat{{1, 2}, {2, 4}}.Det(), a)
	var conv [3][3]int
	k := [2][2]int{{1, 2}, {3, 4}}
	for i := range 2 {
		for j := range 2 {
			for x := range k {
				for y := range k[x] {
					conv[i+x][j+y] += k[x][y]
				}
			}
		}
	}
	fmt.Println(conv)
}
