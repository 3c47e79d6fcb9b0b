package main

import (
	"fmt"
)

type Account struct {
	Deposit func(int)
	Balance func() int
}

func open(start int) Account {
	b := start
	return Account{func(n int) { b += n }, func() int { return b }}
}

func main() {
	a, b := open(10), open(20)
	a.Deposit(5)
	b.Deposit(-5)
	c := a
	c.Deposit(100)
	fmt.Println(a.Balance(), b.Balance(), c.Balance())
	x := 1
	f := func() func() int {
		x := x + 1
		return func() int { x *= 2; return x }
	}()
	x = 50
	fmt.Println(f(), f(), x)
}
