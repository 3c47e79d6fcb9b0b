package main

import (
	"fmt"
)

type T struct {
	n int
	s string
}

func get() [2]T { return [2]T{{1, "a"}, {2, "b"}} }

func main() {
	fmt.Println(get()[1].s, [3]int{1, 2, 3}[1], len(get()))
	i := 1
	fmt.Println(get()[i], [...]func() int{func() int { return 7 }}[0]())
	var fs [2]func(int) int
	fs[1] = func(n int) int { return n + i }
	fmt.Println(fs[0] == nil, fs[1](1))
	var e [2]any = [2]any{1, "x"}
	e[0], e[1] = e[1], e[0]
	fmt.Println(e)
	var z [0]int
	fmt.Println(z, len(z), z == [0]int{})
	m := map[[2]string]int{{"a", "b"}: 1}
	m[[2]string{"a", "b"}]++
	fmt.Println(m)
	var ch [2]chan int
	ch[0] = make(chan int, 1)
	ch[0] <- 4
	fmt.Println(<-ch[0], ch[1] == nil)
	pa := &[3]int{1, 2, 3}
	for i := range pa {
		pa[i] *= 2
	}
	fmt.Println(*pa, pa[1:], len(pa))
}
