package main

import (
	"fmt"
)

type t struct{ n int }

func (v t) show()   { fmt.Println("value", v.n) }
func (p *t) showp() { fmt.Println("pointer", p.n) }
func main() {
	v := t{1}
	defer v.show()
	defer v.showp()
	defer (&v).show()
	v.n = 2
}
