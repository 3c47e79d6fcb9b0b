// JSON of events, shapes and trees.
package main

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

type Level int

const (
	Debug Level = iota
	Info
)

var names = map[Level]string{Debug: "debug", Info: "info"}

func (l Level) String() string               { return names[l] }
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }
func (l *Level) UnmarshalText(b []byte) error {
	for k, v := range names {
		if v == string(b) {
			*l = k
			return nil
		}
	}
	return fmt.Errorf("unknown level %q", b)
}

type Event struct {
	At    time.Time      `json:"at"`
	Level Level          `json:"level"`
	Took  time.Duration  `json:"took"`
	Attrs map[string]any `json:"attrs,omitempty"`
	Sub   []*Event       `json:"sub,omitempty"`
}

type Wrapper[T any] struct {
	Data T `json:"data"`
	Meta struct {
		Count int `json:"count"`
	} `json:"meta"`
}

type Shape interface{ Area() float64 }
type Circle struct{ R float64 }
type Rect struct{ W, H float64 }

func (c Circle) Area() float64 { return 3 * c.R * c.R }
func (r Rect) Area() float64   { return r.W * r.H }

type Shapes []Shape

func (s *Shapes) UnmarshalJSON(b []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	for _, r := range raw {
		var kind struct{ Kind string }
		if err := json.Unmarshal(r, &kind); err != nil {
			return err
		}
		switch kind.Kind {
		case "circle":
			var c Circle
			if err := json.Unmarshal(r, &c); err != nil {
				return err
			}
			*s = append(*s, c)
		case "rect":
			c := new(Rect)
			if err := json.Unmarshal(r, c); err != nil {
				return err
			}
			*s = append(*s, c)
		default:
			return fmt.Errorf("kind %q", kind.Kind)
		}
	}
	return nil
}

type Money int64

func (m Money) MarshalJSON() ([]byte, error) {
	return json.Marshal(fmt.Sprintf("%d.%02d", m/100, m%100))
}

type Node struct {
	Name     string           `json:"name"`
	Children map[string]*Node `json:"children,omitempty"`
}

func (n *Node) Walk(f func(string, *Node) bool) bool {
	if !f(n.Name, n) {
		return false
	}
	for _, k := range []string{"a", "b"} {
		if c := n.Children[k]; c != nil && !c.Walk(f) {
			return false
		}
	}
	return true
}

func main() {
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	e := Event{at, Info, 1500 * time.Millisecond, map[string]any{"l": Debug, "m": Money(1234), "e": &Event{At: at},
		"n": nil}, []*Event{{At: at}, nil}}
	b, err := json.MarshalIndent(e, "", "\t")
	fmt.Println(string(b), err)
	var back Event
	fmt.Println(json.Unmarshal(b, &back), back.Level, back.Took, back.Sub[0].At.Equal(at), back.Sub[1],
		back.Attrs["l"])
	fmt.Println(json.Unmarshal([]byte(`{"level":"loud"}`), &back))

	var w Wrapper[map[Level][]Money]
	w.Data = map[Level][]Money{Info: {1, 250}, Debug: nil}
	w.Meta.Count = 2
	b, _ = json.Marshal(w)
	fmt.Println(string(b))
	var ws Wrapper[Shapes]
	fmt.Println(json.Unmarshal([]byte(`{"data":[{"kind":"circle","R":2},{"kind":"rect","W":2,"H":3}],"meta":{"count":2}}`), &ws))
	for _, s := range ws.Data {
		fmt.Printf("%T %v %v\n", s, s, s.Area())
	}
	fmt.Println(json.Unmarshal([]byte(`{"data":[{"kind":"blob"}]}`), &ws))
	var anyShape Shape
	fmt.Println(json.Unmarshal([]byte(`{"R":1}`), &anyShape))
	anyShape = &Circle{}
	fmt.Println(json.Unmarshal([]byte(`{"R":5}`), &anyShape), anyShape.Area())

	tree := &Node{Name: "root"}
	fmt.Println(json.Unmarshal([]byte(`{"name":"r","children":{"a":{"name":"x","children":{"b":{"name":"y"}}},"b":null}}`), tree))
	tree.Walk(func(s string, n *Node) bool { fmt.Print(s, len(n.Children), " "); return s != "y" })
	b, _ = json.Marshal(tree)
	fmt.Println(string(b))

	var tm encoding.TextMarshaler = Info
	text, _ := tm.MarshalText()
	fmt.Printf("%s %v %d\n", text, tm, tm)
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	for _, v := range []any{e.Level, &e.Level, []Level{0, 1}, map[Level]int{1: 1}, struct{ Level }{1},
		struct{ L *Level }{}, [1]Money{5}, Money(7)} {
		if err := enc.Encode(v); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Print(buf.String())
	d := json.NewDecoder(strings.NewReader(`{"a":1.0,"b":[1,2,{"c":12345678901234567890}]}`))
	d.UseNumber()
	var m map[string]any
	fmt.Println(d.Decode(&m), m["a"].(json.Number), m)
	tw := tabwriter.NewWriter(os.Stdout, 2, 4, 1, ' ', 0)
	for _, r := range []Level{Debug, Info, 7} {
		fmt.Fprintf(tw, "%v\t%d\t%q\n", r, r, r)
	}
	tw.Flush()
	fmt.Println(json.Valid([]byte(`{"a":}`)), json.Compact(&buf, []byte(`{ "z" : [ 1 ] }`)), len(buf.String()) > 10)
}
