package main

import (
	"fmt"
)

var a = b + 1
var b = f("b", c*2)
var c = f("c", 3)

func f(n string, v int) int { fmt.Print(n, v, " "); return v }
func init()                 { fmt.Print("init1 ") }
func init()                 { fmt.Print("init2 "); a++ }
func main()                 { fmt.Println(a, b, c) }

// Its initialisation prints.
