package main

import "fmt"

type status int

func main() {
	fmt.Println("start")
	panic(status(5))
}
