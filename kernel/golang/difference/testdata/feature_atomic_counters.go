package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func main() {
	var n atomic.Int64
	var p atomic.Pointer[string]
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			n.Add(int64(i))
			s := "x"
			p.CompareAndSwap(nil, &s)
		})
	}
	wg.Wait()
	fmt.Println(n.Load(), *p.Load())
	var v atomic.Value
	v.Store([]int{1})
	fmt.Println(v.Load().([]int))
}
