package main

import (
	"fmt"
)

type p struct {
	X int
	s string
}

func main() {
	fmt.Printf("[%5d][%-5d][%05d][%+d][%x][%#X][%o][%b][%c][%U]\n", 42, 42, 42, 42, 255, 255, 8, 5, 'é', 'é')
	fmt.Printf("[%8.3f][%-8.2e][%g][%6s][%-6s][%.2s][%q][%x]\n", 3.14159, 12345.678, 1e21, "ab", "ab", "abc", "q\"", "hi")
	fmt.Printf("%v %+v %#v %T %t %p\n", p{1, "a"}, p{1, "a"}, p{1, "a"}, p{}, true, nil)
	fmt.Printf("%*d|%-*d|%[2]d %[1]d|%d%%\n", 4, 7, 3, 8, 50)
}
