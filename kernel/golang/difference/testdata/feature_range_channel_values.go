package main

import (
	"fmt"
)

func main() {
	c := make(chan [2]string, 3)
	c <- [2]string{"a", "b"}
	c <- [2]string{"c"}
	close(c)
	for p := range c {
		fmt.Printf("%q ", p)
	}
	v, ok := <-c
	fmt.Printf("%q %v\n", v, ok)
}
