package main

import (
	"fmt"
)

type Fault struct {
	Op  string
	Err error
}

func (f Fault) Error() string { return f.Op + ": " + f.Err.Error() }

func main() {
	defer fmt.Println("deferred runs")
	defer func() {
		if r := recover(); r != nil {
			panic(Fault{"again", fmt.Errorf("%v", r)})
		}
	}()
	var m map[Fault]int
	m[Fault{}]++
}
