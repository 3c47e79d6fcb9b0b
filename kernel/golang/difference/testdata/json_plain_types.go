package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp/syntax"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

type Grade float64
type Label string
type Level int8

type Row struct {
	Name  Label  `json:"name"`
	Grade Grade  `json:"grade,omitempty"`
	Level *Level `json:"level"`
	Marks []Grade
	Pairs [2]Level
	Inner struct{ A, B int }
	note  string
}

type Locked struct {
	mu sync.Mutex
	A  int
}

type Dated struct {
	At   time.Time
	Wait time.Duration
	Tags map[string]Grade
	Any  any
}

type Folded struct {
	ID   int
	Id   int
	Kind string
}

type Built struct {
	M debug.Module
	R *syntax.Regexp
}

type Counted struct {
	N    json.Number
	More []json.Number
}

type Pointer *int

type Quoted struct {
	Named Pointer `json:",string"`
	Plain *int    `json:",string"`
}

func show(v any, err error) {
	text, other := json.Marshal(v)
	fmt.Println(string(text), other, err)
}

func main() {
	level := Level(3)
	show([]Row{{Name: "a<b", Grade: 1.5, Level: &level, Marks: []Grade{1, 2.25}, note: "n"}, {}}, nil)
	show(map[string]*Row{"x": {Name: "p"}, "nil": nil}, nil)
	show(Locked{A: 1}, nil)
	show(&Dated{At: time.Unix(0, 0).UTC(), Wait: time.Second}, nil)
	show([]Grade{1, 2}, nil)
	show([]Level{1, 2}, nil)
	show(Label("q"), nil)

	var rows []Row
	err := json.Unmarshal([]byte(`[{"name":"x","grade":2,"level":7,"marks":[1.5],"Pairs":[1],"Inner":{"a":1,"B":2}},
		{"NAME":"\u00e9\t","level":null,"more":{"deep":[[],{}]}}, null]`), &rows)
	fmt.Println(len(rows), cap(rows), *rows[0].Level, rows[0].Pairs, rows[0].Inner)
	show(rows, err)

	kept := Row{Name: "kept", Level: &level, Marks: []Grade{9, 9, 9}}
	err = json.Unmarshal([]byte(`{"level":5,"Marks":[1]}`), &kept)
	fmt.Println(level, len(kept.Marks), cap(kept.Marks), kept.Marks[:3])
	show(kept, err)

	for _, text := range []string{
		`[{"name":1}]`, `[{"level":300}]`, `[{"grade":"x"},{"name":"after"}]`, `[{"Pairs":[1,2,3]}]`, `[{"name":"x"}`,
		`[{"Inner":{"A":1.5}}]`, `{"name":"x"}`, `[{"Marks":[1,"x",3]}]`, `[01]`, `[{"grade":1e400}]`,
	} {
		var rows []Row
		err := json.Unmarshal([]byte(text), &rows)
		show(rows, err)
	}

	l := Locked{A: 1}
	l.mu.Lock()
	err = json.Unmarshal([]byte(`{"A":2,"mu":{}}`), &l)
	fmt.Println(l.mu.TryLock(), l.A, err)

	var d Dated
	err = json.Unmarshal([]byte(`{"At":"2020-01-02T03:04:05Z","Wait":5,"Tags":{"a":1},"Any":[1,"x",{"k":null}]}`), &d)
	fmt.Println(d.At, d.Wait, d.Tags, d.Any, err)
	err = json.Unmarshal([]byte(`{"At":"never"}`), &d)
	fmt.Println(err)

	var f Folded
	err = json.Unmarshal([]byte(`{"id":1,"ID":2,"Id":3,"kind":"k","iD":4}`), &f)
	fmt.Println(f, err)
	flat := []Folded{{Kind: "before"}}
	err = json.Unmarshal([]byte(`{"ID":5}`), &flat[0])
	fmt.Println(flat, err)

	dec := json.NewDecoder(strings.NewReader(`{"ID":1,"more":2} {"ID":3,"Kind":"z"} {"ID":"x"}`))
	dec.DisallowUnknownFields()
	for range 3 {
		var f Folded
		err := dec.Decode(&f)
		fmt.Println(f, err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent(">", " ")
	fmt.Println(enc.Encode([]Row{{Name: "<"}}), out.String())

	var b Built
	err = json.Unmarshal([]byte(`{"M":{"Path":"x","Replace":{"Path":"y","Replace":null}},"R":{"Op":3,"Sub":[{"Min":1}]}}`), &b)
	fmt.Println(b.M.Path, b.M.Replace, b.R.Op, len(b.R.Sub), err)
	show(b, nil)

	for _, text := range []string{
		`{"N":1.50,"More":[1e400,"-2"]}`, `{"N":"abc"}`, `{"N":""}`, `{"More":[1,"1x",3]}`, `{"N":null}`, `{"N":true}`,
	} {
		var c Counted
		err := json.Unmarshal([]byte(text), &c)
		fmt.Printf("%+v %v\n", c, err)
	}

	five := 5
	show(Quoted{Named: &five, Plain: &five}, nil)
	show([]Pointer{&five, nil}, nil)
	for _, text := range []string{`{"Named":6,"Plain":"7"}`, `{"Named":"6"}`, `{"Named":null,"Plain":7}`} {
		var q Quoted
		err := json.Unmarshal([]byte(text), &q)
		show(q, err)
	}
}
