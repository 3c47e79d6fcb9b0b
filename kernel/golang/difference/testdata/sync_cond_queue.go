// Goroutines wait for a condition; a copied condition panics.
package main

import (
	"fmt"
	"sync"
	"time"
)

type queue[T any] struct {
	mu    sync.Mutex
	ready *sync.Cond
	items []T
	ended bool
}

func newQueue[T any]() *queue[T] {
	q := &queue[T]{}
	q.ready = sync.NewCond(&q.mu)
	return q
}

func (q *queue[T]) put(v T) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	q.ready.Signal()
}

func (q *queue[T]) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.ready.Broadcast()
}

func (q *queue[T]) take() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.ended {
		q.ready.Wait()
	}
	if len(q.items) == 0 {
		return v, false
	}
	v, q.items = q.items[0], q.items[1:]
	return v, true
}

func main() {
	q := newQueue[int]()
	sums := make(chan int, 4)
	for range 4 {
		go func() {
			sum := 0
			for v, ok := q.take(); ok; v, ok = q.take() {
				sum += v
			}
			sums <- sum
		}()
	}
	for i := range 100 {
		q.put(i)
	}
	time.Sleep(time.Millisecond)
	q.end()
	fmt.Println(<-sums + <-sums + <-sums + <-sums)

	defer func() { fmt.Println("recovered:", recover()) }()
	q.ready.Signal()
	copied := *q.ready
	copied.L.Lock()
	copied.Wait()
}
