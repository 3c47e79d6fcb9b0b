package main

import (
	"fmt"
)

func main() {
	fmt.Println(fmt.Sprint("a", 1, 2, "b", "c", 3.5, nil, true), fmt.Sprintln("x", 1))
	fmt.Print("a", "b", 1, 2, '\n', []string{"p", "q"}, "\n")
	fmt.Println(fmt.Sprintf("%d %s", "x", 5), fmt.Sprintf("%d"), fmt.Sprintf("a", 1))
}
