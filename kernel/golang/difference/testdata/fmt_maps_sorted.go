package main

import (
	"fmt"
)

type K struct {
	A int
	B string
}
type E int

func (e E) String() string { return [...]string{"zero", "one", "two"}[e] }

func main() {
	fmt.Println(map[K]int{{2, "a"}: 1, {1, "b"}: 2, {1, "a"}: 3})
	fmt.Println(map[E]string{2: "b", 0: "a", 1: "c"}, map[[2]int]bool{{2, 1}: true, {1, 9}: false})
	fmt.Println(map[any]int{"b": 1, 2: 2, "a": 3, 1.5: 4, true: 5, 1: 6, nil: 7} != nil)
	fmt.Println(map[bool]int{true: 1, false: 0}, map[float64]int{2.5: 1, -1: 2}, map[rune]string{'b': "B", 'a': "A"})
	fmt.Printf("%v %+v %#v\n", map[string]K{"x": {1, "q"}}, map[K]K{{1, "a"}: {2, "b"}}, map[E]K{1: {}})
	var n map[string]E
	fmt.Printf("%v %d %#v\n", n, len(n), n)
}
