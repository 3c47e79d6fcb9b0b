package main

import (
	"fmt"
)

func main() {
	defer func() { fmt.Println(recover()) }()
	var f func()
	defer f()
	fmt.Println("runs")
}
