package main

import (
	"fmt"
	"sync"
)

type Counter struct {
	sync.Mutex
	n map[string]int
}

func (c *Counter) Inc(k string) {
	c.Lock()
	defer c.Unlock()
	c.n[k]++
}

type RW struct {
	mu sync.RWMutex
	v  int
}

func (r *RW) Get() int  { r.mu.RLock(); defer r.mu.RUnlock(); return r.v }
func (r *RW) Add(n int) { r.mu.Lock(); r.v += n; r.mu.Unlock() }

func main() {
	c := Counter{n: map[string]int{}}
	var r RW
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.Inc([]string{"a", "b"}[i%2])
			r.Add(i)
			_ = r.Get()
		}()
	}
	wg.Wait()
	fmt.Println(c.n, r.Get(), c.TryLock())
}
