package main

import (
	"fmt"
)

const size = 6

type board [size][size]bool

func (b *board) next() (out board) {
	for y := range b {
		for x := range b[y] {
			n := 0
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if (dy != 0 || dx != 0) && b[(y+dy+size)%size][(x+dx+size)%size] {
						n++
					}
				}
			}
			out[y][x] = n == 3 || n == 2 && b[y][x]
		}
	}
	return
}
func main() {
	var b board
	for _, p := range [][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}} {
		b[p[0]][p[1]] = true
	}
	for range 4 {
		b = b.next()
	}
	for _, row := range b {
		for _, on := range row {
			if on {
				fmt.Print("#")
			} else {
				fmt.Print(".")
			}
		}
		fmt.Println()
	}
}
