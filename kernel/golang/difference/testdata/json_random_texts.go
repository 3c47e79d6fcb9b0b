// What encoding/json reads from random texts into types of programs, and what it says of those that do not fit.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"math/rand"
	"strings"
)

type Col int

func (c *Col) UnmarshalText(b []byte) error {
	if string(b) == "z" {
		return errors.New("bad z")
	}
	*c = Col(len(b))
	return nil
}

type Own struct{ S string }

func (o *Own) UnmarshalJSON(b []byte) error {
	if b[0] == '5' {
		return errors.New("five")
	}
	if b[0] == '[' {
		var x struct{ A, X int }
		if err := json.Unmarshal(b[1:len(b)-1], &x); len(b) > 2 && err != nil {
			return err
		}
	}
	o.S = string(b)
	return nil
}

type Str string
type In struct {
	A int
	B *Str `json:"b"`
	C []Str
	D map[Col]Own
}
type E struct {
	X Col `json:",string"`
	Y int `json:"y,string"`
}
type T struct {
	In
	*E
	A1 Col
	M  map[string]In
	N  map[int8]Str
	O  Own
	P  **In
	Q  []*In
	R  json.RawMessage
	S  any
	U  [2]In
	V  uint8 `json:"v,string"`
	W  *float64
	B  []byte
	K  bool `json:"k,string"`
	L  *Str `json:"l,string"`
	F  fmt.Stringer
	Z  struct{ A Str }
	H  image.Rectangle
	I  []image.Point
	J  map[Str]image.Point
}

var r = rand.New(rand.NewSource(7))

func sp() string { return []string{"", "", "", " ", "\n", "\t "}[r.Intn(6)] }

func val(d int) string {
	n := 14
	if d > 4 {
		n = 10
	}
	switch r.Intn(n) {
	case 0:
		return "null"
	case 1:
		return "true"
	case 2:
		return "5"
	case 3:
		return "-1.5e2"
	case 4:
		return `"z"`
	case 5:
		return `"12"`
	case 6:
		return `"null"`
	case 7:
		return `"\"q\""`
	case 8:
		return `"true"`
	case 9:
		return "300"
	case 10, 11:
		var b strings.Builder
		b.WriteString("[")
		for i, n := 0, r.Intn(4); i < n; i++ {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(sp() + val(d+1) + sp())
		}
		return b.String() + "]"
	}
	return obj(d)
}

var keys = []string{"A", "b", "C", "D", "X", "y", "A1", "a1", "M", "N", "O", "P", "Q", "R", "S", "U", "v", "W", "B", "k", "l", "F", "Z", "5", "300", "qq", "H", "I", "J", "Min", "X", "Y", "Max", "Z", "\\u0041"}

func obj(d int) string {
	var b strings.Builder
	b.WriteString("{")
	for i, n := 0, r.Intn(5); i < n; i++ {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(sp() + `"` + keys[r.Intn(len(keys))] + `"` + sp() + ":" + sp() + val(d+1) + sp())
	}
	return b.String() + "}"
}

func show(err error) string {
	if err == nil {
		return "-"
	}
	var u *json.UnmarshalTypeError
	if errors.As(err, &u) {
		return fmt.Sprintf("%v|%s|%d|%s|%s|%v", err, u.Value, u.Offset, u.Struct, u.Field, u.Type)
	}
	var s *json.SyntaxError
	if errors.As(err, &s) {
		return fmt.Sprintf("%v|%d", err, s.Offset)
	}
	return fmt.Sprintf("%T %v", err, err)
}

// digest stands for what was read.
func digest(v any) string {
	text, err := json.Marshal(v)
	return fmt.Sprintf("%08x %v", crc32.ChecksumIEEE(text), err)
}

func main() {
	for i := 0; i < 60; i++ {
		text := sp() + obj(0) + sp()
		if r.Intn(40) == 0 {
			text = text[:r.Intn(len(text)+1)]
		}
		data := append(make([]byte, 0, len(text)+r.Intn(40)), text...)
		var t T
		if r.Intn(3) == 0 {
			s := Str("old")
			t.Q = []*In{{A: 7}, {A: 8, B: &s}}
			t.M = map[string]In{"A": {A: 3}}
			t.S = &In{A: 9}
		}
		err := json.Unmarshal(data, &t)
		fmt.Println(i, digest(t), show(err))
		dec := json.NewDecoder(strings.NewReader(text + sp() + obj(1) + sp()))
		if r.Intn(2) == 0 {
			dec.DisallowUnknownFields()
		}
		if r.Intn(2) == 0 {
			dec.UseNumber()
		}
		for range 2 {
			var t T
			err := dec.Decode(&t)
			fmt.Println("  ", dec.InputOffset(), digest(t), show(err))
		}
	}
	var list []Str
	dec := json.NewDecoder(strings.NewReader("[ [\"a\"] , [ 1 ] ]"))
	fmt.Println(dec.Token())
	for dec.More() {
		fmt.Println(show(dec.Decode(&list)), list)
	}
}
