package main

import "fmt"

var none *[4]int

func nothing() *[4]int { fmt.Println("called"); return nil }

type row [3]string

type table struct{ rows *row }

func faults(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}

func main() {
	fmt.Println(len(*none), cap(none), len(none))
	faults(func() { fmt.Println(len(*nothing())) })
	faults(func() { fmt.Println(len(nothing())) })
	for i := range *none {
		fmt.Print(i, " ")
	}
	for range *none {
		fmt.Print(". ")
	}
	faults(func() {
		for i, _ := range *none {
			fmt.Print(i, " ")
		}
	})
	for i := range none {
		fmt.Print(i, " ")
	}
	var last int
	for last = range *none {
		fmt.Print(last, " ")
	}
	var at any
	for at = range none {
		fmt.Print(at, " ")
	}
	fmt.Println(last, at)
	var t table
	for i := range *t.rows {
		fmt.Print(i, " ")
	}
	var empty *table
	for i := range empty.rows {
		fmt.Print(i, " ")
	}
	fmt.Println()
	faults(func() {
		for range *nothing() {
			fmt.Println("turn")
		}
	})
	faults(func() {
		for i := range nothing() {
			fmt.Print(i, " ")
		}
		fmt.Println()
	})
	faults(func() {
		for _, v := range *none {
			fmt.Println(v)
		}
	})
	faults(func() {
		for _, v := range none {
			fmt.Println(v)
		}
	})
	values := [3]int{7, 8, 9}
	for i := range values {
		values[i] += i
		i++
	}
	fmt.Println(values)
	c := make(chan [2]int, 1)
	c <- [2]int{}
	for i := range <-c {
		fmt.Print(i, len(c), " ")
	}
	fmt.Println()
}
