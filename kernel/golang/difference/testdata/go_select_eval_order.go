package main

import (
	"fmt"
)

func ch(n string, c chan int) chan int { fmt.Println("chan", n); return c }
func val(v int) int                    { fmt.Println("val", v); return v }

func main() {
	a, b := make(chan int, 1), make(chan int)
	select {
	case ch("a", a) <- val(1):
		fmt.Println("sent")
	case v := <-ch("b", b):
		fmt.Println(v)
	}
	arr := []int{0, 0}
	i := func() int { fmt.Println("index"); return 1 }
	select {
	case arr[i()] = <-ch("a", a):
	case b <- val(2):
	}
	fmt.Println(arr)
}
