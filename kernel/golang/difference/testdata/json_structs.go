package main

import (
	"encoding/json"
	"fmt"
)

type Color int

type Point struct {
	X, Y int
	name string
}

type Shape struct {
	Name   string            `json:"name"`
	Points []Point           `json:"points,omitempty"`
	Meta   map[string]any    `json:"meta"`
	Color  Color             `json:"color"`
	Parent *Shape            `json:"parent,omitempty"`
	Tags   map[string]string `json:"-"`
	Ratio  float64           `json:",string"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
	Point                    // embedded
}

func main() {
	s := Shape{Name: "a", Points: []Point{{1, 2, "h"}}, Meta: map[string]any{"k": []int{1}, "c": Color(3)}, Color: 2,
		Parent: &Shape{Name: "p"}, Ratio: 1.5, Raw: json.RawMessage(`{"z":1}`), Point: Point{X: 9}}
	b, err := json.Marshal(s)
	fmt.Println(string(b), err)
	b, err = json.MarshalIndent([]Point{{1, 2, ""}}, "", " ")
	fmt.Println(string(b), err)
	var back Shape
	err = json.Unmarshal([]byte(`{"name":"n","points":[{"X":5,"Y":6},{}],"meta":{"a":[1,"x",null]},"color":7,
		"parent":{"name":"q","points":null},"Ratio":"2.5","X":4,"raw":[1, 2]}`), &back)
	fmt.Println(err, back.Name, back.Points, back.Meta, back.Color, back.Parent.Name, back.Ratio, back.X)
	fmt.Println(string(back.Raw))
	var list []Point
	fmt.Println(json.Unmarshal([]byte(`[{"x":1},{"y":2}]`), &list), list)
	var m map[string]Point
	fmt.Println(json.Unmarshal([]byte(`{"a":{"X":1}}`), &m), m)
	var e any
	fmt.Println(json.Unmarshal([]byte(`{"a":[1,2.5,"x"]}`), &e), e)
	fmt.Println(json.Unmarshal([]byte(`{"X":"no"}`), &Point{}))
	fmt.Println(json.Unmarshal([]byte(`{"X":`), &Point{}))
}
