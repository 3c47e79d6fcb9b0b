package main

import (
	"errors"
	"fmt"
)

func main() {
	err := fmt.Errorf("outer: %w", errors.New("inner"))
	defer func() {
		r := recover()
		fmt.Println(errors.Unwrap(r.(error)))
		panic(r)
	}()
	panic(err)
}
