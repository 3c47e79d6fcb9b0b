package main

import (
	"fmt"
	"strconv"
)

type code int

func (c code) String() string { return "code " + strconv.Itoa(int(c)) }

func main() {
	c := make(chan any)
	go func() {
		defer func() { c <- recover() }()
		panic(code(3))
	}()
	v := <-c
	fmt.Println(v, v == code(3))
	panic(code(4))
}
