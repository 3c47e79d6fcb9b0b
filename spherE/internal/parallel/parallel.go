// Package parallel runs independent work concurrently: the items of a loop, or a few functions.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Threads returns the number of workers for a setting of threads: 0 means one per processor that Go may use.
func Threads(setting int) int {
	if setting == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return setting
}

// For runs the items 0 to n-1 on up to threads workers (0: one per processor), one of which is the caller's goroutine.
// Each worker calls worker once; the function that it returns runs items and can own scratch memory. Free workers take
// items in ascending order. After ctx has ended no item starts, and For returns the error of ctx.
func For(ctx context.Context, threads, n int, worker func() func(item int)) error {
	var next atomic.Int64
	work := func() {
		do := worker()
		for ctx.Err() == nil {
			item := int(next.Add(1)) - 1
			if item >= n {
				return
			}
			do(item)
		}
	}
	var group sync.WaitGroup
	for range min(Threads(threads), n) - 1 {
		group.Go(work)
	}
	if n > 0 {
		work()
	}
	group.Wait()
	return ctx.Err()
}

// Do runs the functions concurrently, the first on the caller's goroutine, and returns when all have ended.
func Do(functions ...func()) {
	var group sync.WaitGroup
	for _, f := range functions[1:] {
		group.Go(f)
	}
	functions[0]()
	group.Wait()
}
