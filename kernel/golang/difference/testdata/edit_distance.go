package main

import (
	"fmt"
)

func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(x); i++ {
		last := row[0]
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := last
			if x[i-1] != y[j-1] {
				cost = 1 + min(last, row[j], row[j-1])
			}
			last, row[j] = row[j], cost
		}
	}
	return row[len(y)]
}
func main() {
	fmt.Println(distance("kitten", "sitting"), distance("", "abc"), distance("naïve", "naive"), distance("x", "x"))
}
