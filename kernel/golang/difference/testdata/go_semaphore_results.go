package main

import (
	"fmt"
	"slices"
	"sync"
)

func main() {
	sem := make(chan struct{}, 3)
	results := make([]int, 10)
	var wg sync.WaitGroup
	var mu sync.Mutex
	active, most := 0, 0
	for i := range results {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			sem <- struct{}{}
			defer func() { <-sem }()
			mu.Lock()
			active++
			most = max(most, active)
			mu.Unlock()
			results[i] = i * i
			mu.Lock()
			active--
			mu.Unlock()
		}(i)
	}
	wg.Wait()
	fmt.Println(results, most <= 3, slices.Max(results))
}
