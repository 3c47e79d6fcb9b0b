package main

import (
	"fmt"
)

type I int
type U uint16
type F float64
type C complex64
type B bool
type S string
type By []byte
type A [2]byte
type P struct{ X, Y int }

func main() {
	fmt.Printf("%d %5d|%-5d|%05d %+d %x %X %o %b %c %q %U %e\n", I(65), I(65), I(65), I(65), I(65), I(65), I(65),
		I(65), I(65), I(65), I(65), I(65), I(65))
	fmt.Printf("%d %x %s %t\n", U(7), U(7), U(7), U(7))
	fmt.Printf("%f %.1f %g %e %d %v\n", F(2.5), F(2.55), F(2.5), F(2.5), F(2.5), F(2.5))
	fmt.Printf("%v %.1f %t %v %d\n", C(1+2i), C(1+2i), B(true), B(false), B(true))
	fmt.Printf("%s %q %x %X % x %d %v %10s|%-10s|%.2s\n", S("abc"), S("abc"), S("abc"), S("abc"), S("abc"),
		S("abc"), S("abc"), S("abc"), S("abc"), S("abc"))
	fmt.Printf("%s %q %x %v %d\n", By("hi"), By("hi"), By("hi"), By("hi"), By("hi"))
	fmt.Printf("%s %x %v %d\n", A{65, 66}, A{65, 66}, A{65, 66}, A{65, 66})
	fmt.Printf("%d %x %s %v %+v %T %5d|%05d\n", P{1, 20}, P{1, 20}, P{1, 20}, P{1, 20}, P{1, 20}, P{}, P{1, 20},
		P{1, 20})
	fmt.Printf("%s %d %q\n", []S{"a", "b"}, []I{1, 2}, []S{"c"})
	fmt.Printf("%x %X %s\n", []S{"ab"}, map[S]I{"k": 10}, map[S]S{"a": "b"})
	fmt.Printf("%6.2f|%v|%t\n", []F{1, 2.345}, []B{true}, []B{false})
}
