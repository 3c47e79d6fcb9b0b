package main

import (
	"fmt"
)

func main() {
	a := []int{0, 1, 2, 3, 4, 5}
	b := a[1:3]
	c := a[1:3:3]
	b = append(b, 100)
	c = append(c, 200)
	fmt.Println(a, b, c, len(a[2:4:5]), cap(a[2:4:5]))
	arr := [4]int{1, 2, 3, 4}
	s := arr[:2:3]
	s = append(s, 9)
	fmt.Println(arr, s, cap(s))
	s = append(s, 10)
	s[0] = 77
	fmt.Println(arr, s)
	e := a[6:]
	fmt.Println(e, len(e), cap(e), e == nil, a[:0] == nil)
	fmt.Println(a[len(a):cap(a)], a[2:2:2])
	str := "hello"
	fmt.Println(str[1:3], str[:0] == "", str[5:])
}
