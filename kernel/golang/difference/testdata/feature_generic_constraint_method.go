package main

import (
	"fmt"
)

type number interface{ ~int | ~float64 }
type unit[T number] interface {
	number
	scale(T) T
}
type meter float64

func (m meter) scale(by meter) meter { return m * by }
func total[T unit[T]](xs []T, by T) (t T) {
	for _, x := range xs {
		t += x.scale(by)
	}
	return
}
func conv[A, B number](a A) B { return B(a) }
func main() {
	fmt.Println(total([]meter{1, 2.5}, 2), conv[float64, int](3.9), conv[int, meter](4))
	fmt.Printf("%T\n", total[meter])
}
