package main

import (
	"fmt"
)

func t(s string) bool { fmt.Print(s, " "); return true }
func f(s string) bool { fmt.Print(s, " "); return false }

func main() {
	fmt.Println(f("a") && t("b") || t("c") && f("d") || !f("e"))
	fmt.Println(t("x") || t("y"), f("p") && t("q"), t("m") == f("n"), t("1") != t("2"))
	a, b, c := 7, 3, 2
	fmt.Println(a+b*c, a-b-c, a/b*c, a%b<<c, a&b|c, a^b&^c, -a+b, ^a&0xff, a<<1+1, a|b == 7, !(a > b) != (c < b))
	fmt.Println(a > b == (b > c), a&b == 3 && c|1 == 3, +a - -b, *&a, (&a == &a) == true)
	x := []func() int{func() int { fmt.Print("f0 "); return 1 }, func() int { fmt.Print("f1 "); return 2 }}
	fmt.Println(x[0]()+x[1]()*x[0](), x[x[0]()]())
	var n *int
	fmt.Println(n == nil || *n == 3, n != nil && *n == 3)
	if ok := t("if"); !ok {
	} else if ok = f("else"); !ok {
		fmt.Println("else branch")
	}
}
