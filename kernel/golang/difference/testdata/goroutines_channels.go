package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func producer(n int, out chan<- int) {
	for i := 0; i < n; i++ {
		out <- i
	}
	close(out)
}

func main() {
	c := make(chan int)
	go producer(5, c)
	sum := 0
	for v := range c {
		sum += v
	}
	v, ok := <-c
	fmt.Println(sum, v, ok)
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for i := range 10 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			total += i
		}()
	}
	wg.Wait()
	fmt.Println(total)
	buf := make(chan string, 2)
	buf <- "a"
	buf <- "b"
	fmt.Println(len(buf), cap(buf), <-buf, <-buf)
	done := make(chan struct{})
	res := make(chan int, 1)
	go func() {
		defer close(done)
		res <- 42
	}()
	<-done
	fmt.Println(<-res)
	var n atomic.Int64
	for range 5 {
		wg.Add(1)
		go func() { n.Add(2); wg.Done() }()
	}
	wg.Wait()
	fmt.Println(n.Load())
	var once sync.Once
	for range 3 {
		once.Do(func() { fmt.Println("once") })
	}
}
