package main

import (
	"fmt"
	"time"
)

func origin() struct{ X, Y int } { return struct{ X, Y int }{1, 2} }

type point struct{ X, Y int }

func main() {
	p := origin()
	var q point = p
	fmt.Println(p, q, p == struct{ X, Y int }{1, 2}, q == point(p))
	tests := []struct {
		in   string
		want int
	}{{"a", 1}, {"bb", 2}}
	for _, tt := range tests {
		fmt.Print(tt.in, len(tt.in) == tt.want, " ")
	}
	fmt.Println()
	m := map[string]struct {
		n    int
		tags []string
	}{"x": {1, []string{"t"}}}
	fmt.Println(m["x"].tags[0], m["y"].n, m)
	var x any = struct{ A int }{5}
	y, ok := x.(struct{ A int })
	_, no := x.(struct{ B int })
	fmt.Println(y.A, ok, no)
	fmt.Printf("%T %v %+v %#v\n", x, x, x, p)
	f := func(s interface{ String() string }) string { return s.String() }
	fmt.Println(f(time.Second))
	var pt *struct{ n int }
	pt = &struct{ n int }{3}
	pt.n++
	fmt.Println(pt.n, *pt)
	type local struct{ v any }
	fmt.Println(local{1} == local{1}, local{1} == local{"1"}, local{local{2}})
	ch := make(chan struct{ a, b int }, 1)
	ch <- struct{ a, b int }{1, 2}
	fmt.Println((<-ch).b)
}
