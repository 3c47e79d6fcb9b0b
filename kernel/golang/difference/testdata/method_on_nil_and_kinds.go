package main

import (
	"fmt"
)

type M map[string]int
type S []int
type A [2]int
type C chan int
type N *int
type I int

func (m M) Inc(k string) { m[k]++ }
func (s *S) Add(v int)   { *s = append(*s, v) }
func (a A) Set(v int) A  { a[0] = v; return a }
func (a *A) PSet(v int)  { a[1] = v }
func (c C) Put(v int)    { c <- v }
func (i *I) Inc() *I     { *i++; return i }
func (p *S) Len() int {
	if p == nil {
		return -1
	}
	return len(*p)
}

func main() {
	m := M{}
	m.Inc("a")
	var s S
	s.Add(1)
	s.Add(2)
	var a A
	b := a.Set(5)
	a.PSet(7)
	c := make(C, 1)
	c.Put(3)
	var i I
	i.Inc().Inc()
	fmt.Println(m, s, a, b, <-c, i, (*S)(nil).Len(), s.Len())
	fmt.Printf("%T %T %T %T %T\n", m, s, a, c, N(nil))
}
