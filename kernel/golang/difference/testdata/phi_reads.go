package main

import "fmt"

// The old value of a variable is read after the new one is computed.
func main() {
	xs := make([]int, 4)
	for i := 0; i < 4; {
		old := i
		i++
		xs[old] = old * 2
	}
	fmt.Println(xs)
	for i, s := 0, ""; i < 3; {
		before, text := i, s
		i += 2
		s += "x"
		fmt.Print(before, text, " ")
	}
	a, b := 1, 10
	for a < 50 {
		c := a
		a = a*2 + b
		b = c + b
		fmt.Print(a, ",", b, ",", c, " ")
	}
	var grid [3][3]int
	for y := 0; y < 3; {
		row := y
		y = y + 1
		for x := 0; x < 3; {
			column := x
			x = x + 1
			grid[row][column] = row*10 + column
		}
	}
	fmt.Println(grid)
	n, steps := 27, 0
	for n != 1 {
		last := n
		n = n/2*(1-n%2) + (3*n+1)*(n%2)
		steps++
		if last > 9000 {
			fmt.Print(last, ">", n, " ")
		}
	}
	fmt.Println(steps)
}
