// Nil functions, channels and pointers inside of values, with widths and with %#v.
package main

import "fmt"

type unit int

type box struct {
	f func(unit) error
	c chan<- unit
	p *unit
	m map[unit]func()
	e error
}

type fn func(...unit) (unit, *box)

func main() {
	var b box
	for _, format := range []string{"%v", "%8v|", "%-8v|", "%08v", "%+v", "%#v", "%d", "%6x", "%s", "%t"} {
		fmt.Printf(format+"\n", b)
		fmt.Printf(format+"\n", []any{b.f, b.c, b.p, fn(nil)})
	}
	fmt.Printf("%#v %#v %#v %#v\n", b.f, b.c, b.p, fn(nil))
	fmt.Printf("%8v|%-8v|%v %T\n", b.f, b.c, b.p, b.f)
}
