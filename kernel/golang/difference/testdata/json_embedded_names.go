package main

import (
	"encoding/json"
	"fmt"
	"net/url"
)

type A struct {
	X int
	Y string `json:",omitempty"`
}

type B struct {
	X int
	Z float64
}

type Tagged struct {
	W int `json:"X"`
}

type Both struct {
	A
	B
}

type TagWins struct {
	A
	Tagged
}

type OuterWins struct {
	*A
	Y int
	*B
	Q bool `json:"q"`
}

type hidden struct {
	X  int
	In *A
}

type ByHidden struct {
	*hidden
	Last int
}

type Deep struct {
	Both
	*OuterWins
}

type Self struct {
	*Self
	N int
}

type Order struct {
	First A
	B
	X     int `json:"x"`
	A     `json:"named"`
	Z     int `json:",string"`
	Tail  any `json:"-,"`
	Gone  int `json:"-"`
	Empty struct{}
	More  struct{} `json:",omitzero"`
}

type Link struct {
	url.Userinfo
	*url.URL
	Host int
}

type pt int

func (p *pt) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "p%d", int(*p)), nil }

type Inner struct{ P pt }

type ByPointer struct {
	*Inner
	R pt
}

type ByValue struct {
	Inner
	R pt
}

type L0 struct{ Deepest int }
type L1 struct{ L0 }
type L2 struct{ L1 }
type L3 struct{ L2 }
type L4 struct{ L3 }
type L5 struct{ L4 }
type L6 struct{ L5 }
type L7 struct{ L6 }
type L8 struct{ L7 }
type L9 struct{ *L8 }

type Options struct {
	Any   any            `json:",string"`
	Num   *int           `json:",string"`
	Map   map[string]int `json:",omitzero,omitempty"`
	Dash  int            `json:"-,"`
	Twice string         `json:"t,string,string"`
}

// Once has A at one level twice, so that none of its fields shows, and less deep B alone.
type Once struct {
	Left
	Right
}

type Left struct{ A }

type Right struct {
	A
	B
}

func show(v any) {
	b, err := json.Marshal(v)
	fmt.Printf("%T %s %v\n", v, b, err)
}

func main() {
	show(Both{A{1, "y"}, B{2, 3}})
	show(TagWins{A{1, ""}, Tagged{2}})
	show(OuterWins{})
	show(OuterWins{A: &A{1, "y"}, Y: 5})
	show(OuterWins{B: &B{7, 8}, Q: true})
	show(OuterWins{A: &A{1, "y"}, B: &B{7, 8}})
	show(ByHidden{})
	show(ByHidden{&hidden{4, nil}, 5})
	show(ByHidden{&hidden{4, &A{}}, 5})
	show(Deep{})
	show(Deep{Both{A{1, "a"}, B{2, 3}}, &OuterWins{Y: 9}})
	show(Self{})
	show(Self{&Self{nil, 2}, 1})
	show(Order{Tail: []A{{1, ""}}, B: B{3, 4}})
	show(Link{})
	show(Link{URL: &url.URL{Scheme: "s", Host: "h"}, Host: 3})
	show(ByPointer{})
	show(ByPointer{&Inner{4}, 5})
	show(ByValue{Inner{4}, 5})
	show(&ByValue{Inner{4}, 5})
	show([]ByValue{{Inner{4}, 5}})
	show(map[string]*OuterWins{"a": nil, "b": {B: &B{1, 2}}})
	show(struct {
		A
		*Tagged
		L []struct{ B }
	}{L: []struct{ B }{{B{1, 2}}}})
	show(L9{&L8{L7{L6{L5{L4{L3{L2{L1{L0{3}}}}}}}}}})
	n := 4
	show(Options{Any: "m4", Num: &n, Map: map[string]int{}})
	show(Options{Any: 5, Map: map[string]int{"a": 1}, Twice: "x"})
	show(Once{Left{A{1, "y"}}, Right{A{2, "z"}, B{3, 4}}})
	var d Deep
	fmt.Println(json.Unmarshal([]byte(`{"X":1,"Z":2,"Y":3,"q":true}`), &d), d.Both, d.OuterWins.Y, d.OuterWins.Q)
	var o Order
	fmt.Println(json.Unmarshal([]byte(`{"x":1,"X":2,"named":{"X":5},"z":"7","Z":"8"}`), &o), o)
}
