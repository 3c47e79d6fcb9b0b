package main

import (
	"fmt"
)

var x = "global"

func main() {
	fmt.Print(x, " ")
	x := 1
	{
		x := x + 1
		fmt.Print(x, " ")
		if x := x * 10; x > 5 {
			fmt.Print(x, " ")
		} else {
			fmt.Print("no")
		}
	}
	for x := range 2 {
		fmt.Print(x, " ")
	}
	switch x := any(x).(type) {
	case int:
		fmt.Print(x+100, " ")
	}
	fmt.Println(x)
}
