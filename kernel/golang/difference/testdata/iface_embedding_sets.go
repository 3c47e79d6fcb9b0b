package main

import (
	"fmt"
	"io"
	"strings"
)

type R interface{ Read() string }
type W interface{ Write(string) }
type RW interface {
	R
	W
}

type RWC interface {
	RW
	Close() error
	R
}

type file struct{ b []string }

func (f *file) Read() string   { s := f.b[0]; f.b = f.b[1:]; return s }
func (f *file) Write(s string) { f.b = append(f.b, s) }
func (f *file) Close() error   { f.b = nil; return io.EOF }

func main() {
	var c RWC = &file{}
	c.Write("a")
	var rw RW = c
	rw.Write("b")
	var r R = rw
	fmt.Println(r.Read(), c.Read())
	fmt.Println(r.(RWC).Close(), r.(W) == c.(W))
	var x any = strings.NewReader("z")
	_, isR := x.(R)
	_, isIO := x.(io.Reader)
	_, both := x.(interface {
		io.Reader
		io.Seeker
	})
	fmt.Println(isR, isIO, both)
}
