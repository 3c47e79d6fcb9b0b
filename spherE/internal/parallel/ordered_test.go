package parallel

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

func TestOrderedMergesInOrder(t *testing.T) {
	t.Parallel()
	for _, threads := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 3, 100} {
			merged := 0 // the race detector sees a merge on another goroutine
			err := Ordered(t.Context(), threads, n, func() func(int) int {
				return func(item int) int { return item * item }
			}, func(item, result int) {
				if item != merged || result != item*item {
					t.Errorf("threads %d, n %d: item %d with result %d at place %d", threads, n, item, result, merged)
				}
				merged++
			})
			if err != nil || merged != n {
				t.Errorf("threads %d, n %d: %d merged, %v", threads, n, merged, err)
			}
		}
	}
}

func TestOrderedStops(t *testing.T) {
	t.Parallel()
	var working atomic.Int32
	worker := func() func(int) int {
		return func(item int) int {
			working.Add(1)
			defer working.Add(-1)
			for range 1000 { // so that workers would outlive a loop that does not wait for them
				runtime.Gosched()
			}
			return item
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := Ordered(ctx, 2, 1000, worker, func(int, int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a panic of merge was lost")
			}
		}()
		_ = Ordered(t.Context(), 2, 1000, worker, func(int, int) { panic("merge") })
	}()
	if n := working.Load(); n != 0 {
		t.Errorf("%d workers outlived the loop", n)
	}
}
