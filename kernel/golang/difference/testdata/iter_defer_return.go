package main

import "fmt"

func count(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		defer fmt.Println("count ends")
		for i := range n {
			if !yield(i) {
				fmt.Println("stopped at", i)
				return
			}
		}
	}
}

func find(n, want int) (r string) {
	defer func() { r += "!" }()
	for i := range count(n) {
		defer fmt.Println("deferred", i)
		if i == want {
			return fmt.Sprint("found ", i)
		}
	}
	return "none"
}

func main() {
	fmt.Println(find(5, 2))
	fmt.Println(find(2, 7))
}
