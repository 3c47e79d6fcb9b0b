package main

import (
	"fmt"
	"sync"
)

func main() {
	jobs, out := make(chan int), make(chan int)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for j := range jobs {
				out <- j * j
			}
		})
	}
	go func() {
		for i := range 20 {
			jobs <- i
		}
		close(jobs)
		wg.Wait()
		close(out)
	}()
	t := 0
	for v := range out {
		t += v
	}
	fmt.Println(t)
}
