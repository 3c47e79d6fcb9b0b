package main

import (
	"fmt"
)

type Worker struct {
	id  int
	out chan<- string
}

func (w Worker) Run(n int)          { w.out <- fmt.Sprint("run ", w.id, n) }
func (w *Worker) PRun(xs ...string) { w.out <- fmt.Sprint("prun ", w.id, xs) }

type Runner interface{ Run(int) }

func main() {
	c := make(chan string)
	w := Worker{1, c}
	go w.Run(5)
	fmt.Println(<-c)
	go w.PRun("a", "b")
	fmt.Println(<-c)
	var r Runner = &w
	go r.Run(6)
	fmt.Println(<-c)
	f := w.Run
	w.id = 2
	go f(7)
	fmt.Println(<-c)
	go Worker.Run(w, 8)
	fmt.Println(<-c)
	go func(f func(int)) { f(9) }(r.Run)
	fmt.Println(<-c)
	go fmt.Fprintln(writer{c}, "compiled")
	fmt.Println(<-c)
}

type writer struct{ c chan<- string }

func (w writer) Write(b []byte) (int, error) { w.c <- string(b); return len(b), nil }
