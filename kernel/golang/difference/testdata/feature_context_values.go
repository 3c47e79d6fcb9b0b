package main

import (
	"context"
	"errors"
	"fmt"
)

type key struct{}

func main() {
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), key{}, "v"))
	fmt.Println(ctx.Value(key{}), ctx.Value("k"), ctx.Err())
	cancel(errors.New("why"))
	<-ctx.Done()
	fmt.Println(ctx.Err(), context.Cause(ctx), errors.Is(ctx.Err(), context.Canceled))
}
