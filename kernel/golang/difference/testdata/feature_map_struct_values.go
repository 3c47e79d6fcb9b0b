package main

import (
	"fmt"
)

type p struct{ x, y int }

func main() {
	m := map[p]*p{}
	for i := range 3 {
		m[p{i, i}] = &p{i * 2, 0}
	}
	m[p{1, 1}].y = 5
	v, ok := m[p{9, 9}]
	fmt.Println(*m[p{1, 1}], v, ok)
	w := map[string]p{"a": {1, 2}}
	q := w["a"]
	q.x = 9
	fmt.Println(w["a"], q, w["b"])
}
