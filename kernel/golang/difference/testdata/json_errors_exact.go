// What encoding/json says of values that do not fit types of programs: words, types of errors, and places.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

type day int

type broken struct{ A int }

func (*broken) MarshalJSON() ([]byte, error) { return []byte("{"), nil }

type badKey map[[1]day]int

type omits struct {
	B badKey  `json:",omitempty"`
	C *broken `json:",omitempty"`
}

type color int

func (c color) MarshalText() ([]byte, error) {
	if c > 1 {
		return nil, fmt.Errorf("no color %d", int(c))
	}
	return []byte([]string{"red", "green"}[c]), nil
}

func (c *color) UnmarshalText(b []byte) error {
	if string(b) != "red" {
		return errors.New("not red: " + string(b))
	}
	*c = 0
	return nil
}

type own struct{}

func (own) MarshalJSON() ([]byte, error) { return nil, color(7) }

func (c color) Error() string { return fmt.Sprint("color ", int(c)) }

type inner struct {
	N day               `json:"n"`
	T time.Duration     `json:"t"`
	M map[day][]uint8   `json:"m"`
	C map[string]*color `json:"c"`
}

type outer struct {
	inner
	In   *inner      `json:"in"`
	List []inner     `json:"list"`
	Q    day         `json:"q,string"`
	P    *float64    `json:"p,string"`
	S    string      `json:"s,string"`
	B    bool        `json:"b,string"`
	Num  json.Number `json:"num,string"`
	Any  any         `json:"any"`
	Arr  [2]day      `json:"arr"`
}

type loop struct {
	Next *loop
	Map  map[string]any
}

func decode(text string) {
	var x outer
	err := json.Unmarshal([]byte(text), &x)
	if wrong, ok := err.(*json.UnmarshalTypeError); ok {
		fmt.Printf("%s | %s %v %d %q %q\n", err, wrong.Value, wrong.Type, wrong.Offset, wrong.Struct, wrong.Field)
	} else {
		fmt.Printf("%v | %T\n", err, err)
	}
	fmt.Println(x.N, x.Q, x.S, x.B, x.Num, x.Any, x.Arr, len(x.List), x.P != nil)
}

func encode(v any) {
	b, err := json.Marshal(v)
	_, isType := err.(*json.UnsupportedTypeError)
	_, isValue := err.(*json.UnsupportedValueError)
	_, isMethod := err.(*json.MarshalerError)
	fmt.Println(string(b), err, isType, isValue, isMethod, errors.Is(err, color(7)))
}

func main() {
	for _, text := range []string{
		`{"n": "x"}`, ` {"n":1.5,"arr":[1,2,3]}`, `{"n":99999999999999999999}`, `[1]`, `"s"`, `true`, `12`,
		`{"in":{"t":"1s"}}`, `{"in":{"n":true},"q":"7"}`, `{"list":[{},{"n":[]},{"n":2}]}`, `{"list":{"n":1}}`,
		`{"m":{"x":"aGk="}}`, `{"m":{"1":"aGk=", "2\u0030": "!"}}`, `{"m":{"1":[1,300]}}`, `{"m":[]}`,
		`{"c":{"a":"red","b":"blue"}}`, `{"c":{"a":5}}`, `{"c":{"a":{}}}`, `{"q":"5x"}`, `{"q":"007"}`, `{"q":7}`, `{"q":""}`,
		`{"q":"null"}`, `{"q":null,"b":"true"}`, `{"q":"true"}`, `{"q":"1.5","n":3}`, `{"p":"2.5"}`, `{"p":"null"}`, `{"p":"x"}`,
		`{"s":"\"a\""}`, `{"s":"a"}`, `{"s":"\"a"}`, `{"s":"1"}`, `{"b":"yes"}`, `{"b":"false"}`, `{"num":"12"}`, `{"num":"1x"}`,
		`{"any":1e999}`, `{"any":[1,{"a":2}]}`, `{"arr":[1,"2"]}`, `{"arr":{}}`, `{"arr":"x"}`, `{"n":1}x`, `{"n":`,
	} {
		fmt.Print(text, " => ")
		decode(text)
	}
	stream := json.NewDecoder(strings.NewReader(`{"n":1} {"n":"a"}` + "\n" + `{"n":2,"z":1}`))
	for stream.More() {
		var x inner
		err := stream.Decode(&x)
		fmt.Println(x.N, err)
		stream.DisallowUnknownFields()
	}
	encode(map[color]color{0: 1})
	encode(map[color]int{5: 1})
	encode([]any{color(3)})
	encode(map[string]own{"a": {}})
	encode(struct{ C chan day }{})
	encode(func(day) {})
	encode(map[float64]day{1: 2})
	encode([]complex128{1})
	encode(&broken{})
	encode([]broken{{}})
	encode([]own{{}})
	encode(badKey{})
	encode(badKey{{1}: 2})
	encode(badKey(nil))
	encode(omits{})
	encode(omits{B: badKey{}})
	encode(omits{B: badKey{{1}: 2}})
	encode(map[*day]string{})
	l := &loop{}
	l.Next = l
	encode(l)
	l.Next, l.Map = nil, map[string]any{"me": l}
	encode(l)
	fmt.Println(json.Unmarshal([]byte("1"), nil), json.Unmarshal([]byte("1"), day(1)), json.Unmarshal([]byte("1"), (*day)(nil)))
}
