package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

type res struct{ id int }

func (r res) Close() error {
	fmt.Print("c", r.id, " ")
	if r.id == 1 {
		return errors.New("close failed")
	}
	return nil
}

func use(n int) (err error) {
	for i := range n {
		r := res{i}
		defer func() {
			if e := r.Close(); e != nil && err == nil {
				err = e
			}
		}()
	}
	return nil
}

func modify() (s []int) {
	defer func() { s = append(s, 3) }()
	s = []int{1}
	defer func(t []int) { s = append(s, len(t)) }(s)
	return append(s, 2)
}

func rethrow() (msg string) {
	defer func() { msg = fmt.Sprint("outer ", recover()) }()
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Sprint("again ", r))
		}
	}()
	panic("one")
}

func depth(n int) {
	defer func() {
		if r := recover(); r != nil {
			if n > 0 {
				panic(fmt.Sprint(r, n))
			}
			fmt.Println(r)
		}
	}()
	if n == 3 {
		panic("p")
	}
	depth(n + 1)
}

func early(n int) (s string) {
	defer func() { s += "!" }()
	if n > 0 {
		defer func() { s += "?" }()
		return "pos"
	}
	return "neg"
}

func goexit() {
	done := make(chan bool)
	go func() {
		defer close(done)
		defer fmt.Print("exiting ")
		runtime.Goexit()
		fmt.Print("unreachable")
	}()
	<-done
	fmt.Println("exited")
}

type T struct{ n int }

func (t *T) inc() *T { t.n++; return t }

func main() {
	fmt.Println(use(3))
	fmt.Println(modify(), rethrow())
	depth(0)
	fmt.Println(early(1), early(0))
	goexit()
	t := &T{}
	func() {
		defer t.inc().inc()
		fmt.Println(t.n)
	}()
	fmt.Println(t.n)
	func() {
		defer func() { fmt.Println(recover()) }()
		var f func()
		defer f()
		fmt.Println("before nil deferred")
	}()
	var mu sync.Mutex
	func() {
		defer func() { recover() }()
		mu.Lock()
		defer mu.Unlock()
		panic("locked")
	}()
	fmt.Println(mu.TryLock())
	defer func() {
		fmt.Println(recover() != nil)
	}()
	var p *T
	p.n++
}
