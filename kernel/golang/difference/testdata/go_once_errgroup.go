package main

import (
	"errors"
	"fmt"
	"sync"
)

type Group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
}

func (g *Group) Go(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	}()
}

func (g *Group) Wait() error { g.wg.Wait(); return g.err }

func main() {
	var g Group
	bad := errors.New("bad")
	for i := range 4 {
		g.Go(func() error {
			if i == 2 {
				return fmt.Errorf("task %d: %w", i, bad)
			}
			return nil
		})
	}
	err := g.Wait()
	fmt.Println(err, errors.Is(err, bad))
	var once sync.Once
	for range 3 {
		once.Do(func() { fmt.Println("once") })
	}
}
