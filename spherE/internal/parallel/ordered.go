package parallel

import "context"

// Ordered runs the items 0 to n-1 as For does, and calls merge with their results in the order of the items, on the
// caller's goroutine. Workers never wait for merge. If merge panics, the workers stop before the panic continues.
func Ordered[R any](
	ctx context.Context, threads, n int, worker func() func(item int) R, merge func(item int, result R),
) error {
	ctx, cancel := context.WithCancel(ctx)
	results := make([]chan R, n) // with room for the result
	for i := range results {
		results[i] = make(chan R, 1)
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = For(ctx, threads, n, func() func(int) { // the loop below sees ctx's end itself
			do := worker()
			return func(item int) { results[item] <- do(item) }
		})
	}()
	defer func() {
		cancel()
		<-stopped
	}()
	for item, result := range results {
		select {
		case r := <-result:
			merge(item, r)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
