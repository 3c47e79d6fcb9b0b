package main

import (
	"fmt"
)

type T struct{}

func main() {
	var x any = T{}
	fmt.Println(x.(T))
	fmt.Println(x.(fmt.Stringer))
}
