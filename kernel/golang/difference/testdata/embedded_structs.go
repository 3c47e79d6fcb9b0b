package main

import (
	"fmt"
	"sync"
)

type Animal interface {
	Name() string
	Sound() string
}

type Base struct {
	name string
	Age  int
}

func (b Base) Name() string     { return b.name }
func (b *Base) Rename(s string) { b.name = s }
func (b Base) Sound() string    { return "..." }

type Dog struct {
	Base
	breed string
}

func (d Dog) Sound() string { return "Woof" }

type Puppy struct {
	*Dog
	Age int
}

type Named interface{ Name() string }

type Wrapper struct {
	Named
	extra int
}

type Safe struct {
	sync.Mutex
	n int
}

func main() {
	d := Dog{Base{"Rex", 3}, "lab"}
	p := Puppy{&d, 1}
	p.Rename("Max")
	fmt.Println(d.name, p.Name(), p.Sound(), p.Base.Sound(), p.Age, p.Dog.Age, p.Base.Age)
	var a Animal = p
	fmt.Println(a.Name(), a.Sound())
	w := Wrapper{d, 1}
	fmt.Println(w.Name(), w.extra)
	f := p.Name
	g := Dog.Sound
	h := (*Base).Rename
	h(&d.Base, "Zed")
	fmt.Println(f(), g(d), p.Name())
	s := &Safe{}
	s.Lock()
	s.n++
	s.Unlock()
	fmt.Println(s.n, s.TryLock())
	fmt.Printf("%v %+v\n", d, d)
}
