// Goroutines, channels, conditions and timers with generic functions.
package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

type result[T any] struct {
	v   T
	err error
}

func async[T any](f func() (T, error)) <-chan result[T] {
	c := make(chan result[T], 1)
	go func() {
		defer close(c)
		defer func() {
			if r := recover(); r != nil {
				c <- result[T]{err: fmt.Errorf("panic: %v", r)}
			}
		}()
		v, err := f()
		c <- result[T]{v, err}
	}()
	return c
}
func merge[T any](cs ...<-chan T) <-chan T {
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
func gen(ctx context.Context, n int) <-chan int {
	c := make(chan int)
	go func() {
		defer close(c)
		for i := range n {
			select {
			case c <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	return c
}

type stm struct {
	mu sync.RWMutex
	m  map[string]int
}

func (s *stm) inc(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[string]int{}
	}
	s.m[k]++
}
func (s *stm) get(k string) int { s.mu.RLock(); defer s.mu.RUnlock(); return s.m[k] }
func main() {
	fmt.Println(<-async(func() (int, error) { return 3, nil }))
	q := <-async(func() (string, error) { var m map[string]string; m["a"] = "b"; return "", nil })
	fmt.Println(q.err)
	r := <-async(func() ([]int, error) { return nil, errors.New("e") })
	fmt.Println(r.v == nil, r.err)
	s := 0
	for v := range merge(gen(context.Background(), 10), gen(context.Background(), 5)) {
		s += v
	}
	fmt.Println(s)
	ctx, cancel := context.WithCancel(context.Background())
	c := gen(ctx, 1000)
	fmt.Println(<-c, <-c)
	cancel()
	time.Sleep(time.Millisecond)
	var st stm
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Add(1)
		go func(k string) { defer wg.Done(); st.inc(k) }(fmt.Sprint(i % 3))
	}
	wg.Wait()
	fmt.Println(st.get("0"), st.get("1"), st.get("2"))
	var n atomic.Int64
	var v atomic.Value
	v.Store(result[int]{v: 1})
	var b atomic.Bool
	wg.Add(20)
	for i := range 20 {
		go func() { defer wg.Done(); n.Add(int64(i)); runtime.Gosched(); b.CompareAndSwap(false, true) }()
	}
	wg.Wait()
	fmt.Println(n.Load(), v.Load().(result[int]).v, b.Load())
	func() { defer func() { fmt.Println(recover()) }(); v.Store("other") }()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	out := time.After(time.Minute)
	k := 0
loop:
	for {
		select {
		case <-tick.C:
			k++
			if k == 3 {
				break loop
			}
		case <-out:
			break loop
		}
	}
	fmt.Println(k)
	done := make(chan struct{})
	var order []int
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	turn := 0
	for i := range 3 {
		go func() {
			mu.Lock()
			for turn != i {
				cond.Wait()
			}
			order = append(order, i)
			turn++
			cond.Broadcast()
			mu.Unlock()
			if i == 2 {
				close(done)
			}
		}()
	}
	<-done
	fmt.Println(order)
	once := sync.OnceFunc(func() { fmt.Println("once") })
	once()
	once()
	sem := make(chan int)
	go func() {
		for i := range 3 {
			sem <- i
		}
		close(sem)
	}()
	for {
		v, ok := <-sem
		if !ok {
			break
		}
		fmt.Print(v)
	}
	fmt.Println()
	var chs [3]chan int
	for i := range chs {
		chs[i] = make(chan int, 1)
	}
	chs[1] <- 7
	select {
	case v := <-chs[0]:
		fmt.Println(0, v)
	case v := <-chs[f(1)]:
		fmt.Println(1, v)
	case chs[2] <- g(5):
		fmt.Println("sent")
	}
	defer fmt.Println("deferred main")
	ec := make(chan any)
	go func() { defer func() { ec <- recover() }(); defer func() { panic("second") }(); panic("first") }()
	fmt.Println(<-ec)
	timer := time.AfterFunc(time.Millisecond, func() { ec <- "timer" })
	fmt.Println(<-ec, timer.Stop())
	go func() { defer close(ec); runtime.Goexit(); fmt.Println("never") }()
	_, ok := <-ec
	fmt.Println(ok)
	p := &struct {
		sync.Mutex
		n int
	}{}
	p.Lock()
	p.n++
	p.Unlock()
	fmt.Println(p.n, p.TryLock())
	var rc chan<- int = chs[0]
	rc <- 1
	fmt.Println(len(chs[0]), cap(rc))
	chan_of := make(chan chan string, 1)
	in := make(chan string, 1)
	chan_of <- in
	in <- "nested"
	fmt.Println(<-<-chan_of)
}
func f(i int) int { fmt.Print("f"); return 0 }
func g(i int) int { fmt.Print("g"); return i }
