package main

import (
	"fmt"
)

type Inner struct {
	Vals [3]int
	M    map[string]int
	S    []int
}

type Outer struct {
	Inner
	Ptr  *Inner
	List []Inner
}

func mutate(o Outer) Outer {
	o.Vals[0] = 1
	o.M["k"] = 2
	o.S[0] = 3
	o.Ptr.Vals[1] = 4
	o.List[0].Vals[2] = 5
	return o
}

func main() {
	in := Inner{M: map[string]int{}, S: []int{0}}
	o := Outer{in, &in, []Inner{in}}
	n := mutate(o)
	fmt.Println(o.Vals, n.Vals, o.M, o.S, o.Ptr.Vals, o.List)
	l := o.List[0]
	l.Vals[0] = 100
	fmt.Println(o.List[0].Vals, l.Vals)
	arr := [2]Outer{o, n}
	brr := arr
	brr[0].Vals[0] = 9
	fmt.Println(arr[0].Vals, brr[0].Vals)
	f := func() Outer { return arr[1] }
	fmt.Println(f().Vals, f().Inner.S)
	ch := make(chan Outer, 1)
	ch <- o
	o.Vals[2] = 8
	fmt.Println((<-ch).Vals, o.Vals)
}
