package main

import "fmt"

type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64
}
type Unsigned interface {
	~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}
type Number interface {
	Integer | Unsigned | ~float32 | ~float64
}

func sum[T Number](xs []T) (s T) {
	for _, x := range xs {
		s += x
	}
	return
}

func mean[T Number](xs []T) float64 { return float64(sum(xs)) / float64(len(xs)) }

func convert[To, From Number](x From) To { return To(x) }

type Meters float64

func main() {
	fmt.Println(sum([]int8{100, 27}), sum([]int8{100, 28}), sum([]uint8{200, 100}))
	fmt.Println(mean([]Meters{1.5, 2.5}), mean([]int{1, 2}))
	fmt.Println(convert[int8](300.7), convert[uint8](int64(-1)), convert[float32](int32(1<<24+1)))
	fmt.Printf("%T %T\n", sum([]Meters{}), convert[Meters](3))
}
