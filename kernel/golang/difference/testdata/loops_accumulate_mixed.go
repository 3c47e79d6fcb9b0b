package main

import (
	"fmt"
)

func collatz(n uint) (steps int) {
	for ; n != 1; steps++ {
		if n&1 == 0 {
			n >>= 1
		} else {
			n = 3*n + 1
		}
	}
	return
}

func sieve(n int) (ps []int) {
	comp := make([]bool, n+1)
	for i := 2; i <= n; i++ {
		if comp[i] {
			continue
		}
		ps = append(ps, i)
		for j := i * i; j <= n; j += i {
			comp[j] = true
		}
	}
	return
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func pow(b, e, m uint64) uint64 {
	r := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			r = r * b % m
		}
		b = b * b % m
	}
	return r
}

func main() {
	fmt.Println(collatz(27), sieve(50), gcd(1071, 462), pow(3, 200, 1000007))
	h := uint32(2166136261)
	for _, c := range []byte("hash me") {
		h ^= uint32(c)
		h *= 16777619
	}
	x := .5
	for range 30 {
		x = 3.7 * x * (1 - x)
	}
	fmt.Println(h, x)
	a, b := 0, 1
	for range 90 {
		a, b = b, a+b
	}
	fmt.Println(a, b)
}
