package main

import "fmt"

func main() {
outer:
	for i := 0; i < 3; i++ {
	inner:
		for j := 0; ; j++ {
			switch {
			case j == 1:
				continue inner
			case j == 3:
				continue outer
			case i == 2:
				break outer
			}
			fmt.Print(i, j, " ")
		}
	}
	fmt.Println()
sw:
	switch x := 3; {
	case x > 2:
		for {
			if x++; x > 5 {
				break sw
			}
		}
		fmt.Println("unreachable")
	}
	c := make(chan int, 3)
	c <- 1
	c <- 2
sel:
	for {
		select {
		case v := <-c:
			if v == 2 {
				break sel
			}
			fmt.Println("got", v)
		default:
			break
		}
	}
	i := 0
L:
	if i < 3 {
		fmt.Print("L", i, " ")
		i++
		goto L
	}
	fmt.Println()
	switch i {
	case 1, 2:
		fmt.Println("small")
	case 3:
		fmt.Println("three")
		fallthrough
	case 4:
		fmt.Println("four")
	default:
		fmt.Println("other")
	}
	switch {
	default:
		fmt.Println("default first")
	case i > 100:
	}
	switch y := any(i).(type) {
	case string, int:
		fmt.Printf("%T\n", y)
	}
}
