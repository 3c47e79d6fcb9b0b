package main

import "fmt"

type conf struct{ m map[string][]int }

func main() {
	var c conf
	fmt.Println(len(c.m["x"]))
	c.m["x"] = nil
}
