package main

import (
	"fmt"
	"strconv"
	"strings"
)

type Shower interface {
	~int | ~string
	Show() string
}

type Celsius int

func (c Celsius) Show() string { return strconv.Itoa(int(c)) + "°" }

type Name string

func (n Name) Show() string { return "<" + string(n) + ">" }

func join[T Shower](xs ...T) string {
	var parts []string
	for _, x := range xs {
		parts = append(parts, x.Show())
	}
	return strings.Join(parts, ",")
}

func biggest[T Shower](xs ...T) T {
	m := xs[0]
	for _, x := range xs[1:] {
		if x > m {
			m = x
		}
	}
	return m
}

func main() {
	fmt.Println(join(Celsius(3), Celsius(-4)), join(Name("a"), "b"))
	fmt.Printf("%v %T\n", biggest(Celsius(3), 9, -4), biggest(Name("x"), "y"))
}
