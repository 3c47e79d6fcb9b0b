package main

import (
	"fmt"
	"math"
)

type key struct {
	a int
	b string
}

func main() {
	m := map[string]int{"a": 1, "b": 2}
	m["c"]++
	m["a"] += 10
	v, ok := m["zz"]
	fmt.Println(m, len(m), v, ok)
	delete(m, "a")
	delete(m, "nope")
	_, has := m["a"]
	fmt.Println(m, has)
	k := map[key][]int{}
	k[key{1, "x"}] = append(k[key{1, "x"}], 5, 6)
	fmt.Println(k[key{1, "x"}], len(k[key{2, "x"}]))
	var nilM map[int]bool
	fmt.Println(nilM[3], len(nilM), nilM == nil)
	sum := 0
	for i, s := range map[int]int{1: 10, 2: 20} {
		sum += i * s
	}
	fmt.Println(sum)
	any1 := map[any]string{1: "int", "1": "string", 1.0: "float", key{1, ""}: "key"}
	fmt.Println(any1[1], any1["1"], any1[1.0], any1[key{1, ""}], any1[int8(1)] == "")
	nested := map[string]map[string]int{"x": {"y": 1}}
	nested["x"]["z"] = 2
	fmt.Println(nested, len(nested["q"]))
	f := map[float64]int{math.NaN(): 1}
	f[math.NaN()] = 2
	fmt.Println(len(f))
	clear(f)
	fmt.Println(len(f))
	seen := map[rune]bool{}
	for _, r := range "hello" {
		if seen[r] {
			fmt.Println("again", string(r))
		}
		seen[r] = true
	}
}
