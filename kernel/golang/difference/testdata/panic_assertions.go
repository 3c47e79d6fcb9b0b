package main

import (
	"fmt"
	"io"
)

type A int
type B struct{}

func (B) Read([]byte) (int, error) { return 0, nil }
func (*B) Close() error            { return nil }

type I interface{ M() }

func try(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}

func main() {
	var e any = A(1)
	var nilE any
	var r io.Reader = B{}
	var i I
	try(func() { _ = e.(int) })
	try(func() { _ = e.(string) })
	try(func() { _ = e.(B) })
	try(func() { _ = nilE.(A) })
	try(func() { _ = e.(fmt.Stringer) })
	try(func() { _ = nilE.(I) })
	try(func() { _ = r.(io.Closer) })
	try(func() { _ = r.(*B) })
	try(func() { _ = r.(I) })
	try(func() { i.M() })
	try(func() { _ = any(r).(io.ReadCloser) })
	try(func() { _ = e.(*A) })
	try(func() { _ = any([]A{}).([]int) })
	try(func() { _ = any(func() {}).(func(int)) })
	try(func() { _ = any(struct{ X int }{}).(struct{ Y int }) })
}
