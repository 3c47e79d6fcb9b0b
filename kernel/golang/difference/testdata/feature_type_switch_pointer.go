package main

import (
	"fmt"
)

type node interface{}
type leaf struct{ v int }
type pair struct{ l, r node }

func sum(n node) int {
	switch n := n.(type) {
	case leaf:
		return n.v
	case *leaf:
		return n.v * 10
	case pair:
		return sum(n.l) + sum(n.r)
	case *pair:
		return -sum(*n)
	case nil:
		return 0
	default:
		panic(fmt.Sprintf("%T", n))
	}
}
func main() {
	fmt.Println(sum(pair{leaf{1}, &pair{&leaf{2}, nil}}))
	defer func() { fmt.Println(recover()) }()
	sum(3)
}
