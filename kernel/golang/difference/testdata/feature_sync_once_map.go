package main

import (
	"fmt"
	"sync"
)

func main() {
	var m sync.Map
	for i := range 3 {
		m.Store(i, fmt.Sprint("v", i))
	}
	v, loaded := m.LoadOrStore(1, "new")
	fmt.Println(v, loaded)
	n := 0
	once := sync.OnceValue(func() int {
		n++
		return n * 10
	})
	fmt.Println(once(), once(), n)
	var o sync.Once
	for range 3 {
		o.Do(func() { n += 100 })
	}
	fmt.Println(n)
}
