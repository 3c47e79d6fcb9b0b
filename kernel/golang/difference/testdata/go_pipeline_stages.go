package main

import (
	"fmt"
)

func stage[T, U any](in <-chan T, f func(T) U) <-chan U {
	out := make(chan U)
	go func() {
		defer close(out)
		for v := range in {
			out <- f(v)
		}
	}()
	return out
}

type Rec struct {
	ID   int
	Text string
}

func main() {
	src := make(chan int)
	go func() {
		for i := range 4 {
			src <- i
		}
		close(src)
	}()
	recs := stage(src, func(i int) Rec { return Rec{i, fmt.Sprint("r", i)} })
	lens := stage(recs, func(r Rec) map[string]Rec { return map[string]Rec{r.Text: r} })
	for m := range lens {
		fmt.Print(m, " ")
	}
	fmt.Println()
}
