package main

import "fmt"

func main() {
	a := []int{1, 2, 3, 4, 5}
	b := a[1:3]
	b = append(b, 99)
	fmt.Println(a, b, len(b), cap(b))
	c := a[1:2:2]
	c = append(c, 7)
	fmt.Println(a, c, len(c) <= cap(c))
	d := make([]string, 2, 10)
	d[0] = "x"
	fmt.Printf("%q %d %d\n", d, len(d), cap(d))
	n := copy(d, []string{"p", "q", "r"})
	fmt.Println(n, d)
	var nilS []int
	fmt.Println(nilS == nil, len(nilS), append(nilS, 1, 2))
	m := [][]int{{1}, {2, 3}, nil}
	m[2] = append(m[2], 4, 5, 6)
	fmt.Println(m, len(m[2]))
	arr := [5]int{1, 2, 3}
	sl := arr[:]
	sl[4] = 9
	arr2 := arr
	arr2[0] = 100
	fmt.Println(arr, arr2, arr == arr2, arr == [5]int{1, 2, 3, 0, 9})
	p := &arr
	for i := range p {
		p[i] *= 2
	}
	fmt.Println(arr, len(p))
	bs := append([]byte("ab"), "cd"...)
	fmt.Println(string(bs))
	clear(a)
	fmt.Println(a)
	x := (*[2]int)(arr[:])
	x[0] = -1
	y := [2]int(arr[3:])
	fmt.Println(arr, *x, y, [...]string{3: "d", 1: "b"})
}
