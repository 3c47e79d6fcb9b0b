package main

import "fmt"

type Reader interface{ Read() string }
type Writer interface{ Write(string) int }
type ReadWriter interface {
	Reader
	Writer
}
type file struct{ data string }

func (f *file) Read() string       { return f.data }
func (f *file) Write(s string) int { f.data += s; return len(s) }

type logged struct {
	ReadWriter
	calls int
}

func (l *logged) Write(s string) int {
	l.calls++
	return l.ReadWriter.Write("[" + s + "]")
}

type both struct {
	Reader
	fmt.Stringer
}
type str string

func (s str) String() string { return "str:" + string(s) }

func main() {
	l := &logged{ReadWriter: &file{}}
	var rw ReadWriter = l
	rw.Write("a")
	var w Writer = rw
	fmt.Println(w.Write("bc"), rw.Read(), l.calls)
	r, ok := w.(Reader)
	fmt.Println(r.Read(), ok)
	b := both{l, str("x")}
	fmt.Println(b.Read(), b.String(), b.Stringer)
	fmt.Println(b)
	_, ok = any(b).(Writer)
	_, also := any(b).(fmt.Stringer)
	fmt.Println(ok, also)
	defer func() { fmt.Println(recover()) }()
	var empty logged
	empty.Read()
}
