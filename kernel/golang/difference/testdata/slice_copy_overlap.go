package main

import (
	"fmt"
)

func main() {
	s := []int{1, 2, 3, 4, 5}
	fmt.Println(copy(s[1:], s), s)
	s = []int{1, 2, 3, 4, 5}
	fmt.Println(copy(s, s[2:]), s)
	b := make([]byte, 4)
	n := copy(b, "héllo")
	fmt.Println(n, b, copy(b, ""), copy(b[:0], "x"))
	s = append(s[:1], s[2:]...)
	fmt.Println(s)
	s = append(s[:1], append([]int{8, 9}, s[1:]...)...)
	fmt.Println(s)
	type T struct{ p *int }
	x := 5
	ts := []T{{&x}, {nil}}
	us := make([]T, 1)
	fmt.Println(copy(us, ts), *us[0].p)
	ss := [][]int{{1}, {2}}
	tt := make([][]int, 2)
	copy(tt, ss)
	tt[0][0] = 100
	fmt.Println(ss)
	ss = append(ss, ss...)
	ss[3] = nil
	fmt.Println(ss, tt)
}
