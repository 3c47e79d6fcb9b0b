package main

import (
	"fmt"
)

func main() {
	tests := []struct {
		name string
		in   []int
		want map[string]struct{ n int }
	}{
		{"a", []int{1, 2}, map[string]struct{ n int }{"x": {1}}},
		{name: "b"},
	}
	for i, tt := range tests {
		fmt.Println(i, tt.name, tt.in, tt.want, tt.want == nil)
	}
	var p struct {
		A *struct{ A int }
		B struct{ C []struct{ D string } }
	}
	p.B.C = append(p.B.C, struct{ D string }{"d"})
	fmt.Printf("%v %+v %T\n", p.B, p.B, p.B.C)
	pp := []*struct{ X, Y int }{{1, 2}, {3, 4}}
	pp[0].X = 9
	fmt.Println(*pp[0], pp[1].Y)
	m := map[struct{ a, b int }]string{{1, 2}: "x"}
	fmt.Println(m[struct{ a, b int }{1, 2}])
}
