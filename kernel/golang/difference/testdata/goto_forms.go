package main

import "fmt"

func search(m [][]int, want int) (x, y int) {
	i := 0
row:
	if i >= len(m) {
		goto missing
	}
	for j, v := range m[i] {
		if v == want {
			return i, j
		}
	}
	i++
	goto row
missing:
	return -1, -1
}

func retry() (n int) {
again:
	n++
	if n < 5 {
		goto again
	}
	return
}

func main() {
	fmt.Println(search([][]int{{1, 2}, {3, 4}}, 3))
	fmt.Println(search([][]int{{1, 2}, {3, 4}}, 5))
	fmt.Println(retry())
	{
		goto inner
	}
inner:
	switch n := 2; n {
	case 2:
		if n == 2 {
			goto after
		}
		fmt.Println("skipped")
	after:
		fmt.Println("after")
		fallthrough
	case 3:
		fmt.Println("three")
	}
}
