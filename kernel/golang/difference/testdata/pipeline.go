package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

func gen(xs ...int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for _, x := range xs {
			out <- x
		}
	}()
	return out
}

func stage[T, U any](in <-chan T, f func(T) U) <-chan U {
	out := make(chan U, 1)
	go func() {
		defer close(out)
		for v := range in {
			out <- f(v)
		}
	}()
	return out
}

func merge(cs ...<-chan int) <-chan int {
	var wg sync.WaitGroup
	out := make(chan int)
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

type semaphore chan struct{}

func (s semaphore) do(f func()) {
	s <- struct{}{}
	defer func() { <-s }()
	f()
}

func main() {
	sq := stage(gen(1, 2, 3), func(x int) int { return x * x })
	for s := range stage(sq, func(x int) string { return fmt.Sprint("<", x, ">") }) {
		fmt.Print(s, " ")
	}
	fmt.Println()
	sum := 0
	for v := range merge(gen(1, 2), gen(3, 4), gen(5)) {
		sum += v
	}
	fmt.Println(sum)
	sem := make(semaphore, 2)
	var n, peak atomic.Int32
	var wg sync.WaitGroup
	for range 6 {
		wg.Add(1)
		go sem.do(func() {
			defer wg.Done()
			if c := n.Add(1); c > peak.Load() {
				peak.Store(c)
			}
			runtime.Gosched()
			n.Add(-1)
		})
	}
	wg.Wait()
	fmt.Println(peak.Load() <= 2, n.Load())
	type req struct {
		x    int
		back chan<- int
	}
	reqs := make(chan req)
	go func() {
		for r := range reqs {
			r.back <- r.x + 1
		}
	}()
	back := make(chan int)
	reqs <- req{41, back}
	fmt.Println(<-back)
	var c chan<- int = back
	fmt.Println(cap(c), len(c))
	results := make([]int, 5)
	for i := range results {
		wg.Add(1)
		go func(p *int) { defer wg.Done(); *p = i * i }(&results[i])
	}
	wg.Wait()
	fmt.Println(results)
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			pong <- v + 1
		}
		close(pong)
	}()
	v := 0
	for range 100 {
		ping <- v
		v = <-pong
	}
	close(ping)
	_, open := <-pong
	fmt.Println(v, open)
}
