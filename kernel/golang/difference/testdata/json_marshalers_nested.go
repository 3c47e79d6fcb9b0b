package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

type Color int

func (c Color) MarshalText() ([]byte, error) { return []byte([]string{"red", "green"}[c]), nil }
func (c *Color) UnmarshalText(b []byte) error {
	switch string(b) {
	case "red":
		*c = 0
	case "green":
		*c = 1
	default:
		return fmt.Errorf("no color %q", b)
	}
	return nil
}

type Point struct{ X, Y int }

func (p Point) MarshalJSON() ([]byte, error) { return json.Marshal([]int{p.X, p.Y}) }
func (p *Point) UnmarshalJSON(b []byte) error {
	var a []int
	if err := json.Unmarshal(b, &a); err != nil {
		return err
	}
	p.X, p.Y = a[0], a[1]
	return nil
}

type PM struct{ s string }

func (p *PM) MarshalJSON() ([]byte, error) { return []byte(`"` + strings.ToUpper(p.s) + `"`), nil }

type Doc struct {
	C  Color
	M  map[Color]Point
	L  []Point
	P  *Point
	I  any
	V  PM
	VP *PM
}

func main() {
	d := Doc{1, map[Color]Point{0: {1, 2}}, []Point{{3, 4}}, &Point{5, 6}, Color(1), PM{"v"}, &PM{"vp"}}
	b, err := json.Marshal(d)
	fmt.Println(string(b), err)
	b, err = json.Marshal(&d)
	fmt.Println(string(b), err)
	var e Doc
	err = json.Unmarshal([]byte(`{"C":"green","M":{"red":[7,8]},"L":[[1,1],[2,2]],"P":[9,9],"I":"x"}`), &e)
	fmt.Println(err, int(e.C), e.M, e.L, *e.P, e.I)
	fmt.Println(json.Unmarshal([]byte(`{"C":"blue"}`), &e))
	fmt.Println(json.Unmarshal([]byte(`{"M":{"pink":[1,2]}}`), &e))
}
