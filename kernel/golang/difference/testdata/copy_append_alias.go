package main

import "fmt"

type T struct{ a, b int }

func grow(s []int) []int { return append(s, 99) }

func main() {
	a := [5]int{1, 2, 3, 4, 5}
	s := a[1:3]
	t := append(s, 10)
	fmt.Println(a, s, t, len(s), cap(s))
	u := append(s[:1:1], 20)
	u[0] = 7
	fmt.Println(a, u)
	copy(a[1:], a[:])
	fmt.Println(copy(a[:2], []int{8, 9, 10}))
	fmt.Println(a)
	x := make([]int, 2, 4)
	y, z := grow(x), append(x, 5)
	fmt.Println(y, z, x, &y[0] == &z[0])
	b := append([]byte("ab"), "cd"...)
	n := copy(b[1:], "xyz")
	fmt.Println(string(b), n)
	list := []T{{1, 2}, {3, 4}}
	for _, v := range list {
		v.a = 100
	}
	for i := range list {
		list[i].b *= 10
	}
	p := &list[0]
	list = append(list, T{5, 6})
	p.a = -1
	fmt.Println(list, *p)
	m := [][]int{{1}, {2, 3}}
	c := append([][]int(nil), m...)
	c[0][0] = 50
	c[1] = []int{0}
	fmt.Println(m, c)
	var nilSlice []string
	nilSlice = append(nilSlice, nilSlice...)
	fmt.Println(nilSlice == nil, len(append(nilSlice, "a")), append([]any(nil), 1, "x", nil))
	s2 := []int{1, 2, 3, 4, 5}
	s2 = append(s2[:1], s2[3:]...)
	fmt.Println(s2, s2[:5])
	arr := [...]string{2: "c", 0: "a"}
	for i, v := range arr {
		arr[2] = "changed"
		fmt.Print(i, v, " ")
	}
	q := &arr
	for i, v := range q {
		q[2] = "again"
		fmt.Print(i, v, " ")
	}
	fmt.Println(len(q), arr)
}
