package main

import "fmt"

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func fibs(n int) (r []int) {
	a, b, c := 0, 1, 2
	for range n {
		r = append(r, a)
		a, b, c = b, a+b, a
	}
	return append(r, c)
}

func rotate(n int) (a, b, c, d int) {
	a, b, c, d = 1, 2, 3, 4
	for i := 0; i < n; i++ {
		a, b, c, d = d, a, b, c
		if i%2 == 0 {
			a, c = c, a
		}
	}
	return
}

func last(xs []int) (prev, cur int) {
	for _, x := range xs {
		prev, cur = cur, x
	}
	return
}

func count(s string) (vowels, others int, longest string) {
	word := ""
	for _, r := range s + " " {
		switch r {
		case 'a', 'e', 'i', 'o', 'u':
			vowels++
			word += string(r)
		case ' ':
			if len(word) > len(longest) {
				longest, word = word, ""
			} else {
				word = ""
			}
		default:
			others++
			word += string(r)
		}
	}
	return
}

func collatz(n int) (steps, peak int) {
	for peak = n; n != 1; steps++ {
		old := n
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		if old > peak {
			peak = old
		}
	}
	return
}

func main() {
	fmt.Println(gcd(48, 36), gcd(17, 5))
	fmt.Println(fibs(10))
	for i := range 5 {
		fmt.Print(rotate(i))
		fmt.Print(" ")
	}
	fmt.Println()
	fmt.Println(last([]int{1, 2, 3}))
	fmt.Println(count("hello beautiful world"))
	fmt.Println(collatz(27))
	x, y := 1.0, 2.0
	s, t := "a", "b"
	for range 3 {
		x, y = y, x+y
		s, t = t, s+t
	}
	fmt.Println(x, y, s, t)
	i := 0
	for i < 10 {
		j := i
		i++
		if j == 5 {
			fmt.Println("j", j, "i", i)
		}
	}
}
