package main

import "fmt"

func upto(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}

func main() {
outer:
	for i := range upto(4) {
		for j := range upto(4) {
			switch {
			case j == 2 && i == 1:
				continue outer
			case i == 3:
				break outer
			case j == 3:
				break
			}
			fmt.Print(i, j, " ")
		}
		fmt.Println("end", i)
	}
	n := 0
loop:
	for i := range upto(100) {
		for range upto(3) {
			n++
			if n > 10 {
				goto done
			}
			if n%4 == 0 {
				continue loop
			}
		}
		_ = i
	}
done:
	fmt.Println(n)
}
