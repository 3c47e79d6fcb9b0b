// %p of values without an address calls no methods, and a format that ends in a verb keeps its words.
package main

import (
	"fmt"
	"strings"
	"time"
)

type level int

func (l level) String() string { return "level" }

type money float64

func (m money) Format(f fmt.State, verb rune) { fmt.Fprint(f, "money") }

type pair struct {
	A level
	M []money
	E error
	D time.Duration
	S fmt.Stringer
	T time.Month
}

type failure struct{ level }

func (failure) Error() string { return "failure" }

type (
	table map[string]level
	list  []money
	pipe  chan level
	call  func(int) level
	at    *pair
)

func main() {
	p := pair{A: 1, M: []money{2}, E: failure{3}, D: 4, S: level(5), T: 6}
	for _, v := range []any{level(1), money(2), p, [2]level{1, 2}, failure{1}, struct{ fmt.Stringer }{level(1)}} {
		fmt.Printf("%p %8p\n", v, v)
	}
	for _, v := range []any{table{}, list{1}, make(pipe), call(func(int) level { return 0 }), at(&p), &p, []level{1}} {
		text := fmt.Sprintf("%p", v) // where the heap begins differs from run to run
		fmt.Println(strings.HasPrefix(text, "0x"), len(text) > len("0x0"))
	}
	for _, v := range []any{table(nil), list(nil), pipe(nil), call(nil), at(nil), (*pair)(nil), []level(nil)} {
		fmt.Printf("%p %6p|%-6p|%T\n", v, v, v, v)
	}
	x := level(1)
	fmt.Println(fmt.Sprintf("%-", x), fmt.Sprintf("%d %", x), fmt.Sprintf("%d %", x, x), fmt.Sprintf("%[2]", x, x), fmt.Sprintf("%"))
	fmt.Println(fmt.Sprintf("%#08", x), fmt.Sprintf("a%+d%", x, p.M))
}
