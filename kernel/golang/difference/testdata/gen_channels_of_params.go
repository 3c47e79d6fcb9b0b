package main

import (
	"fmt"
	"sync"
)

func Merge[T any](cs ...<-chan T) <-chan T {
	out := make(chan T)
	var wg sync.WaitGroup
	for _, c := range cs {
		wg.Go(func() {
			for v := range c {
				out <- v
			}
		})
	}
	go func() { wg.Wait(); close(out) }()
	return out
}

func Gen[T any](vs ...T) <-chan T {
	c := make(chan T, len(vs))
	for _, v := range vs {
		c <- v
	}
	close(c)
	return c
}

type Pt struct{ X int }

func main() {
	sum := 0
	for p := range Merge(Gen(Pt{1}, Pt{2}), Gen(Pt{3}), Gen[Pt]()) {
		sum += p.X
	}
	fmt.Println(sum)
	n := 0
	for s := range Merge(Gen("a", "bb"), Gen("ccc")) {
		n += len(s)
	}
	fmt.Println(n)
}
