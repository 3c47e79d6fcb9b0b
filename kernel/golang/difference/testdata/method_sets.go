package main

import "fmt"

type Reader interface{ Read() string }
type Writer interface{ Write(string) }
type RW interface {
	Reader
	Writer
}
type file struct{ data string }

func (f *file) Write(s string) { f.data += s }
func (f file) Read() string    { return f.data }

type ro struct{ file }
type rw struct{ *file }
type deep struct{ rw }

func kinds(x any) (s string) {
	if _, ok := x.(Reader); ok {
		s += "R"
	}
	if _, ok := x.(Writer); ok {
		s += "W"
	}
	if _, ok := x.(RW); ok {
		s += "!"
	}
	return
}

type Temp float64
type Temp2 = Temp

func (t Temp) F() Temp { return t*9/5 + 32 }

type Stack []int

func (s *Stack) Push(x int) *Stack { *s = append(*s, x); return s }
func (s Stack) Top() int           { return s[len(s)-1] }

type outer struct {
	inner
	name string
}
type inner struct{ name string }

func (i inner) Name() string  { return "inner " + i.name }
func (o outer) Name() string  { return "outer " + o.name + " " + o.inner.Name() }
func (i *inner) Set(s string) { i.name = s }

func main() {
	f := file{"x"}
	fmt.Println(kinds(f), kinds(&f), kinds(ro{f}), kinds(&ro{f}), kinds(rw{&f}), kinds(deep{rw{&f}}), kinds(3))
	d := deep{rw{&f}}
	d.Write("yz")
	fmt.Println(d.Read(), f.data)
	var t Temp2 = 100
	fmt.Println(t.F(), Temp.F(0), Temp2(10).F())
	var s Stack
	s.Push(1).Push(2)
	top := (*Stack).Push(&s, 9).Top()
	fmt.Println(s, s.Top(), top)
	o := outer{inner{"i"}, "o"}
	o.Set("changed")
	fmt.Println(o.Name(), o.name, o.inner.name)
	var n interface{ Name() string } = &o
	fmt.Println(n.Name())
	w := Writer.Write
	w(&f, "!")
	fmt.Println(f.data)
	fs := map[string]func(string){"w": f.Write, "s": o.Set}
	fs["w"]("?")
	fs["s"]("again")
	fmt.Println(f.data, o.inner.name)
}
