package main

import (
	"fmt"
	"strings"
	"time"
)

type T struct{ n int }

func (t T) Get(k int) int                 { return t.n * k }
func (t *T) Set(n int)                    { t.n = n }
func (t T) Var(p string, v ...int) string { return fmt.Sprint(p, v, t.n) }

type G interface{ Get(int) int }

func main() {
	var t T
	set, get, pget := (*T).Set, T.Get, (*T).Get
	set(&t, 4)
	fmt.Println(get(t, 2), pget(&t, 3), G.Get(t, 5), T.Var(t, "p", 1, 2))
	fmt.Printf("%T %T %T %T\n", set, get, G.Get, T.Var)
	up := strings.ToUpper
	d := time.Duration.Seconds
	fmt.Println(up("a"), d(1500*time.Millisecond), (*strings.Builder).Len(new(strings.Builder)))
	table := map[string]func(T, int) int{"get": T.Get, "sq": func(t T, k int) int { return k * k }}
	fmt.Println(table["get"](t, 6), table["sq"](t, 6))
}
