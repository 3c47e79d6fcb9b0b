package main

import (
	"fmt"
	"strconv"
)

func grade(n int) string {
	switch {
	case n >= 90:
		return "A"
	case n >= 80:
		return "B"
	}
	return "F"
}

func fall(n int) (s string) {
	switch n {
	case 0:
		s += "zero "
		fallthrough
	case 1:
		s += "one "
		fallthrough
	case 2:
		s += "two "
	case 3, 4:
		s += "more "
	default:
		s += "default "
	}
	return
}

func main() {
	for _, n := range []int{95, 85, 10} {
		fmt.Print(grade(n), " ")
	}
	for i := -1; i < 5; i++ {
		fmt.Print(fall(i), "|")
	}
	fmt.Println()
outer:
	for i := 0; i < 3; i++ {
		for j := 0; ; j++ {
			if j == 2 {
				continue outer
			}
			if i == 2 {
				break outer
			}
			fmt.Print(i, j, " ")
		}
	}
	fmt.Println()
	i := 0
again:
	if i < 3 {
		fmt.Print("g", i, " ")
		i++
		goto again
	}
	fmt.Println()
	for i, j := 0, 10; i < j; i, j = i+1, j-2 {
		fmt.Print(i, ",", j, " ")
	}
	switch x := i * 2; x {
	case 6:
		fmt.Println("six")
	}
	for i := range 10 {
		if i%2 == 0 {
			continue
		}
		if i > 7 {
			break
		}
		fmt.Print(i, " ")
	}
	if x, err := strconv.Atoi("12x"); err != nil {
		fmt.Println(x, err)
	} else {
		fmt.Println("ok")
	}
	a, b, c := 1, 2, 3
	a, b, c = c, a, b
	fmt.Println(a, b, c)
	xs := []int{1, 2, 3}
	j := 0
	j, xs[j] = 2, 9
	xs[0], xs[2] = xs[2], xs[0]
	fmt.Println(j, xs)
}
