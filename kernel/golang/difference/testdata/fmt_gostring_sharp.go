package main

import (
	"fmt"
)

type T struct {
	A int
	b string
	C []byte
	D map[string]int
	E any
	F *int
	G func()
	H [2]bool
	I error
	J struct{ K float64 }
}

type G int

func (g G) GoString() string { return fmt.Sprintf("G<%d>", int(g)) }

type Str string
type Sl []Str
type M map[Str]G
type U8 uint8
type Fl float32

func main() {
	fmt.Printf("%#v\n", T{A: 1, b: "x", C: []byte{1}, D: map[string]int{"a": 1}, E: 2})
	fmt.Printf("%#v %#v %#v %#v %#v %#v\n", G(1), []G{2}, M{"a": 3}, Str("q"), Sl{"a"}, Sl(nil))
	fmt.Printf("%#v %#v %#v %#v %#v\n", U8(3), Fl(1.5), []U8{1}, struct{ X any }{G(1)}, [1]Str{"z"})
	fmt.Printf("%#v %#v %#v %#v %#v\n", any(nil), error(nil), []any{1, "a", nil, 1.0, 'x'}, map[int]any{}, (*T)(nil))
	fmt.Printf("%#x %#o %#q %#U %#b %#g\n", 255, 8, "a`", 'x', 5, 1.0)
	fmt.Printf("%#v %#v %#v\n", &struct{ A G }{1}, &Sl{"p"}, &M{})
}
