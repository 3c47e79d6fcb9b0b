// JSON that is read into what interfaces, lists and maps hold.
package main

import "encoding/json"
import "fmt"
import "math/big"

type S interface{ Area() float64 }
type C struct{ R float64 }

func (c *C) Area() float64 { return c.R }

type H struct {
	S    S            `json:"s"`
	Str  fmt.Stringer `json:"str"`
	Any  any          `json:"any"`
	List []S          `json:"list"`
}

func main() {
	lists()
	n := 3
	h := H{S: &C{}, Str: big.NewInt(1), Any: &n, List: []S{&C{1}, nil}}
	fmt.Println(json.Unmarshal([]byte(`{"s":{"R":4},"str":77,"any":8}`), &h), h.S.Area(), h.Str, n)
	fmt.Println(json.Unmarshal([]byte(`{"list":[{"R":9}]}`), &h))
	fmt.Println(len(h.List), json.Unmarshal([]byte(`{"s":null}`), &h), h.S == nil)
	fmt.Println(json.Unmarshal([]byte(`{"s":{"R":4}}`), &h))
	fmt.Println(json.Unmarshal([]byte(`{"str":"x"}`), &h))
	var h2 H
	h2.S = &C{}
	fmt.Println(json.Unmarshal([]byte(`{"s":{"R":"x"}}`), &h2))
}

type P struct{ X, Y int }

func lists() {
	ps := []P{{1, 2}, {3, 4}, {5, 6}}
	keep := ps
	fmt.Println(json.Unmarshal([]byte(`[{"X":9},{"Y":8}]`), &ps), ps, keep, len(ps), cap(ps))
	fmt.Println(json.Unmarshal([]byte(`[{"X":7},{},{},{"Y":1}]`), &ps), ps, keep)
	arr := [3]P{{1, 1}, {2, 2}, {3, 3}}
	fmt.Println(json.Unmarshal([]byte(`[{"X":9}]`), &arr), arr)
	fmt.Println(json.Unmarshal([]byte(`[{"X":9},{},{},{}]`), &arr), arr)
	fmt.Println(json.Unmarshal([]byte(`[]`), &ps), ps == nil, cap(ps))
	fmt.Println(json.Unmarshal([]byte(`null`), &ps), ps == nil)
	m := map[string]P{"a": {1, 2}}
	fmt.Println(json.Unmarshal([]byte(`{"a":{"X":5},"b":{"Y":6}}`), &m), m)
	pm := map[string]*P{"a": {1, 2}}
	fmt.Println(json.Unmarshal([]byte(`{"a":{"X":5}}`), &pm), *pm["a"])
}
