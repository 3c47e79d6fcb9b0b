package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type Config struct {
	Name string
	N    int
}

func main() {
	var p atomic.Pointer[Config]
	fmt.Println(p.Load() == nil)
	p.Store(&Config{"a", 1})
	old := p.Swap(&Config{"b", 2})
	fmt.Println(*old, *p.Load(), p.CompareAndSwap(old, nil))
	once := sync.OnceValue(func() Config { fmt.Println("once"); return Config{"o", 3} })
	fmt.Println(once(), once())
	f := sync.OnceValues(func() (int, error) { return 4, nil })
	fmt.Println(f())
	var m sync.Map
	m.Store(Config{"k", 1}, "v")
	v, ok := m.Load(Config{"k", 1})
	fmt.Println(v, ok)
	pool := sync.Pool{New: func() any { return &Config{N: 9} }}
	fmt.Println(pool.Get().(*Config).N)
}
