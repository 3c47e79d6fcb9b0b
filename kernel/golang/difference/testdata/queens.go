package main

import (
	"fmt"
)

func queens(n, row int, cols, d1, d2 uint) int {
	if row == n {
		return 1
	}
	count := 0
	for c := range n {
		a, b, e := uint(1)<<c, uint(1)<<(row+c), uint(1)<<(row-c+n)
		if cols&a != 0 || d1&b != 0 || d2&e != 0 {
			continue
		}
		count += queens(n, row+1, cols|a, d1|b, d2|e)
	}
	return count
}
func main() {
	for n := 1; n <= 7; n++ {
		fmt.Print(queens(n, 0, 0, 0, 0), " ")
	}
	fmt.Println()
}
