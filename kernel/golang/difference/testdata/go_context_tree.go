package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

type key struct{ name string }

func main() {
	root := context.WithValue(context.Background(), key{"user"}, "ann")
	ctx, cancel := context.WithCancelCause(root)
	child, stop := context.WithTimeout(ctx, time.Hour)
	defer stop()
	fmt.Println(child.Value(key{"user"}), child.Value(key{"x"}), child.Value("user"))
	cancel(errors.New("my reason"))
	<-child.Done()
	fmt.Println(child.Err(), context.Cause(child), errors.Is(child.Err(), context.Canceled))
	short, end := context.WithTimeout(root, time.Millisecond)
	defer end()
	<-short.Done()
	fmt.Println(short.Err(), errors.Is(short.Err(), context.DeadlineExceeded))
	done := make(chan string)
	c2, cancel2 := context.WithCancel(root)
	context.AfterFunc(c2, func() { done <- "after" })
	cancel2()
	fmt.Println(<-done)
	fmt.Println(context.WithoutCancel(c2).Err())
}
