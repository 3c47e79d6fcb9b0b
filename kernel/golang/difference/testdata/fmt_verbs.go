package main

import (
	"errors"
	"fmt"
	"strconv"
)

type T struct {
	A int
	b string
	C []float64
	D map[string]int
	E *int
	F any
	g error
	H func()
	I [2]bool
}

type Inner struct{ T *T }
type Named string
type Nums []int
type Dict map[Named]Nums

type Gopher struct{ n int }

func (g Gopher) GoString() string { return "Gopher!" }

type Hidden struct{ s str }
type str string

func (s str) String() string { return "<" + string(s) + ">" }

type Open struct{ S str }

type byPtr struct{ n int }

func (b *byPtr) String() string { return "ptr" + strconv.Itoa(b.n) }

func main() {
	t := T{A: 1, b: "x", C: []float64{1.5}, D: map[string]int{"z": 1, "a": 2}, F: Named("n")}
	fmt.Printf("%v\n%+v\n", t, t)
	fmt.Printf("%#v\n", Inner{})
	fmt.Printf("%#v %#v %#v\n", Nums{1, 2}, Named("q"), Dict{"k": {1}})
	fmt.Printf("%T %T %T %T %T\n", t, &t, Dict{}, []Named{}, func(Named) Nums { return nil })
	fmt.Printf("%v %s %q %x %d\n", Named("s"), Named("s"), Named("s"), Named("s"), Nums{10, 11})
	fmt.Printf("%#v %v\n", Gopher{1}, Gopher{2})
	fmt.Println(Hidden{"h"}, Open{"o"}, []str{"a", "b"}, map[str]str{"k": "v"}, struct{ X any }{str("y")})
	fmt.Println(&Open{"p"}, []*byPtr{}, byPtr{1}, &byPtr{2}, []any{str("l"), 1, nil, Gopher{3}})
	fmt.Printf("%5d|%-5d|%05d|%x|%X|%o|%b|%+d|%t|%08.3f|%6.2f%%\n", 42, 42, 42, 255, 255, 8, 5, 3, true, 3.14159, 99.5)
	fmt.Printf("%6v|%-6v|%q|%v|%c\n", str("a"), str("b"), 'x', 'x', 0x4E16)
	fmt.Printf("%d %s\n", "wrong", 5)
	fmt.Printf("%d\n", 1, 2)
	fmt.Printf("%d %d\n", 1)
	fmt.Printf("%[2]d %[1]d %*d\n", 1, 2, 5, 3)
	fmt.Println(fmt.Sprint("a", 1, 2, "b", "c", 3.0), fmt.Sprintln("x", 1))
	var np *byPtr
	var ne error
	fmt.Println(np == nil, ne, []error{nil, errors.New("z")})
	fmt.Printf("%v %+v\n", struct {
		P *int
		Q []string
	}{}, []struct{ X, Y int }{{1, 2}})
	fmt.Printf("%s|%v|%d\n", []string{"a", "b"}, [3]byte{1, 2, 3}, []byte("hi"))
}
