package main

import "fmt"

type node struct {
	pad  [3]int
	next *node
}

func main() {
	n := &node{}
	fmt.Println(n.next == nil)
	fmt.Println(n.next.next)
}
