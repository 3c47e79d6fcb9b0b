package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestEveryItemOnce(t *testing.T) {
	t.Parallel()
	for _, threads := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 3, 100} {
			done := make([]atomic.Int32, n)
			var workers atomic.Int32
			err := For(t.Context(), threads, n, func() func(int) {
				workers.Add(1)
				return func(item int) { done[item].Add(1) }
			})
			expect.NoError(t, err)
			for i := range done {
				if got := done[i].Load(); got != 1 {
					t.Errorf("threads %d, n %d: item %d done %d times", threads, n, i, got)
				}
			}
			if got, maximum := int(workers.Load()), min(Threads(threads), n); got > maximum {
				t.Errorf("threads %d, n %d: %d workers", threads, n, got)
			}
		}
	}
}

func TestStopsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var done atomic.Int32
	err := For(ctx, 2, 1000, func() func(int) {
		return func(int) {
			if done.Add(1) == 10 {
				cancel()
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
	if n := done.Load(); n > 12 {
		t.Errorf("%d items were done after the end", n)
	}
}

func TestDoRunsAllAtTheSameTime(t *testing.T) {
	t.Parallel()
	turn := make(chan int) // unbuffered: each side waits for the other
	var got int
	Do(func() { got = <-turn }, func() { turn <- 7 })
	if got != 7 {
		t.Errorf("got %d", got)
	}
}
