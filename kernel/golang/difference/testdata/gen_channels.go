package main

import (
	"fmt"
	"sync"
)

func produce[T any](xs ...T) <-chan T {
	c := make(chan T)
	go func() {
		defer close(c)
		for _, x := range xs {
			c <- x
		}
	}()
	return c
}

func mapped[T, U any](in <-chan T, f func(T) U) <-chan U {
	out := make(chan U)
	go func() {
		defer close(out)
		for x := range in {
			out <- f(x)
		}
	}()
	return out
}

type Safe[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func (s *Safe[K, V]) Update(k K, f func(V, bool) V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[K]V{}
	}
	old, ok := s.m[k]
	s.m[k] = f(old, ok)
}

func main() {
	for s := range mapped(produce(1, 2, 3), func(n int) string { return fmt.Sprint("n", n) }) {
		fmt.Println(s)
	}
	var s Safe[string, int]
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { s.Update(fmt.Sprint(i%3), func(v int, ok bool) int { return v + 1 }) })
	}
	wg.Wait()
	fmt.Println(s.m)
}
