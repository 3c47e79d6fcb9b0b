package main

import (
	"fmt"
)

type namer interface{ name() string }
type dog struct{ n string }

func (d dog) name() string { return d.n }
func main() {
	d := dog{"rex"}
	var n namer = d
	f, g := n.name, d.name
	d.n = "max"
	n = dog{"bob"}
	fmt.Println(f(), g(), d.name(), n.name(), namer.name(n), dog.name(d))
	defer func() { fmt.Println(recover()) }()
	n = nil
	_ = n.name
}
