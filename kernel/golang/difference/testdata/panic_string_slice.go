package main

import "fmt"

func cut(s string, n int) string { return s[n:] }

func main() {
	fmt.Println(cut("hello", 2))
	fmt.Println(cut("hello", 9))
}
