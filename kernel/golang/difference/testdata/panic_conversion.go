package main

import "fmt"

type shape interface{ Area() float64 }
type sq float64

func (s sq) Area() float64 { return float64(s * s) }

func try(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}

func main() {
	var x any = "text"
	var s shape = sq(2)
	try(func() { fmt.Println(x.(int)) })
	try(func() { fmt.Println(x.(shape)) })
	try(func() { fmt.Println(x.(fmt.Stringer)) })
	try(func() { fmt.Println(s.(interface{ Perimeter() int })) })
	var none any
	try(func() { fmt.Println(none.(int)) })
	try(func() { fmt.Println(none.(shape)) })
	try(func() { fmt.Println(any(s).(*sq)) })
	fmt.Println(s.(sq))
}
