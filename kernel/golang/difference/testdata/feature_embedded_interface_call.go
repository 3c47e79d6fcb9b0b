package main

import (
	"fmt"
)

type reader interface{ read() string }
type logged struct {
	reader
	n *int
}

func (l logged) read() string {
	*l.n++
	return "<" + l.reader.read() + ">"
}

type text string

func (t text) read() string { return string(t) }
func main() {
	n := 0
	var r reader = text("a")
	for range 3 {
		r = logged{r, &n}
	}
	fmt.Println(r.read(), n)
}
