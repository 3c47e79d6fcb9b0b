package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type Stats struct {
	hits atomic.Int64
	last atomic.Value
	on   atomic.Bool
	n    uint32
}

func main() {
	var s Stats
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			s.hits.Add(int64(i))
			atomic.AddUint32(&s.n, 1)
		})
	}
	wg.Wait()
	s.last.Store([]string{"x"})
	fmt.Println(s.hits.Load(), atomic.LoadUint32(&s.n), s.last.Load(), s.on.Swap(true), s.on.Load())
	var i32 int32 = 5
	fmt.Println(atomic.CompareAndSwapInt32(&i32, 5, 7), atomic.SwapInt32(&i32, 1))
	fmt.Println(i32)
	var u atomic.Uint64
	u.Store(6)
	fmt.Println(u.And(3), u.Or(8), u.Load())
}
