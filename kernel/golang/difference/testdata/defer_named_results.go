package main

import (
	"errors"
	"fmt"
)

func a() (n int) {
	defer func() { n++ }()
	return 10
}

func b() (n int) {
	n = 5
	defer func(m int) { n += m }(n)
	n = 7
	return n * 2
}

func c() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("wrapped: %v", r)
		}
	}()
	panic(errors.New("inner"))
}

func d() (x, y int) {
	defer func() { x, y = y, x }()
	return 1, 2
}

func e() (s []int) {
	defer func() { s = append(s, 9) }()
	for i := range 3 {
		defer func() { s = append(s, i) }()
	}
	return []int{7}
}

func main() { fmt.Println(a(), b(), c()); fmt.Println(d()); fmt.Println(e()) }
