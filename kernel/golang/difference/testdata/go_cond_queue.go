package main

import (
	"fmt"
	"sync"
)

type Queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []int
}

func main() {
	q := &Queue{}
	q.cond = sync.NewCond(&q.mu)
	sum := make(chan int)
	go func() {
		s := 0
		for range 5 {
			q.mu.Lock()
			for len(q.items) == 0 {
				q.cond.Wait()
			}
			s += q.items[0]
			q.items = q.items[1:]
			q.mu.Unlock()
		}
		sum <- s
	}()
	for i := range 5 {
		q.mu.Lock()
		q.items = append(q.items, i*i)
		q.mu.Unlock()
		q.cond.Signal()
	}
	fmt.Println(<-sum)
}
