package main

import (
	"fmt"
)

func main() {
	g := make([][]rune, 3)
	for i := range g {
		g[i] = []rune(fmt.Sprintf("%03d", i*i*11))
	}
	g[1], g[2] = g[2], g[1]
	h := append([][]rune{}, g...)
	h[0][0] = 'x'
	for _, r := range g {
		fmt.Print(string(r), " ")
	}
	fmt.Println(len(h))
}
