package main

import (
	"fmt"
)

type Level int

func (l Level) String() string { return fmt.Sprint("level ", int(l)) }

func main() {
	fmt.Println(Level(2))
	panic(Level(3))
}
