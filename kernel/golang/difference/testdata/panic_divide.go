package main

import "fmt"

func main() {
	d := 0
	for i := range 3 {
		d = 2 - i
		fmt.Println(10 / d)
	}
}
