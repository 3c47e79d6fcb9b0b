package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

type ctxKey string

func work(ctx context.Context, n int) (int, error) {
	for i := range n {
		select {
		case <-ctx.Done():
			return i, ctx.Err()
		default:
		}
		if i == 3 {
			time.Sleep(time.Millisecond)
		}
	}
	return n, nil
}

func main() {
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), ctxKey("id"), 7))
	fmt.Println(work(ctx, 5))
	fmt.Println(ctx.Value(ctxKey("id")), ctx.Value("id"))
	cancel()
	_, err := work(ctx, 5)
	fmt.Println(err, errors.Is(err, context.Canceled), context.Cause(ctx))
	ctx2, cancel2 := context.WithCancelCause(context.Background())
	cancel2(errors.New("why"))
	fmt.Println(ctx2.Err(), context.Cause(ctx2))
	stop := context.AfterFunc(ctx, func() {})
	fmt.Println(stop())
	done := make(chan string)
	ctx3, cancel3 := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel3()
	go func() {
		<-ctx3.Done()
		done <- ctx3.Err().Error()
	}()
	fmt.Println(<-done)
}
