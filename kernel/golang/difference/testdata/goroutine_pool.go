package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

type job struct{ id, n int }
type result struct {
	job
	sum int
}

func worker(jobs <-chan job, results chan<- result, wg *sync.WaitGroup) {
	defer wg.Done()
	for j := range jobs {
		s := 0
		for i := 1; i <= j.n; i++ {
			s += i
		}
		results <- result{j, s}
	}
}

func main() {
	jobs, results := make(chan job), make(chan result)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go worker(jobs, results, &wg)
	}
	go func() {
		for i := range 20 {
			jobs <- job{i, i * 10}
		}
		close(jobs)
		wg.Wait()
		close(results)
	}()
	all := map[int]int{}
	for r := range results {
		all[r.id] = r.sum
	}
	fmt.Println(len(all), all[3], all[19])
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	select {
	case <-ctx.Done():
		fmt.Println(ctx.Err())
	case <-time.After(5 * time.Second):
		fmt.Println("slow")
	}
	var rw sync.RWMutex
	cond := sync.NewCond(&sync.Mutex{})
	ready := false
	go func() {
		rw.RLock()
		defer rw.RUnlock()
		cond.L.Lock()
		ready = true
		cond.L.Unlock()
		cond.Broadcast()
	}()
	cond.L.Lock()
	for !ready {
		cond.Wait()
	}
	cond.L.Unlock()
	fmt.Println(ready)
	type keyT struct{}
	v := context.WithValue(ctx, keyT{}, "val")
	fmt.Println(v.Value(keyT{}), v.Value("other"))
	var m sync.Map
	m.Store(job{1, 2}, "a")
	x, ok := m.Load(job{1, 2})
	fmt.Println(x, ok)
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	<-ticker.C
	errs := make(chan error, 1)
	go func() {
		defer func() { errs <- fmt.Errorf("caught %v", recover()) }()
		panic("in goroutine")
	}()
	fmt.Println(<-errs)
}
