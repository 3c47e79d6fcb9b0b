package main

import (
	"encoding/json"
	"fmt"
)

type Addr struct {
	Street string `json:"street"`
	Zip    string `json:"zip,omitempty"`
	priv   int
}

type Person struct {
	Name   string         `json:"name"`
	Age    int            `json:"age,string"`
	Email  *string        `json:"email"`
	Tags   []string       `json:"tags,omitempty"`
	Skip   int            `json:"-"`
	Dash   int            `json:"-,"`
	Meta   map[string]any `json:"meta"`
	Addr   Addr           `json:"addr"`
	Extra  any            `json:"extra,omitempty"`
	F      float64
	Raw    json.RawMessage `json:"raw"`
	Bytes  []byte
	Nested map[string][]Addr `json:"nested,omitempty"`
	Z      Addr              `json:"z,omitzero"`
}

func main() {
	p := Person{Name: "A<b>", Age: 3, Meta: map[string]any{"z": 1, "a": []int{1}},
		Raw: json.RawMessage(`{"x":1}`), Bytes: []byte("hi"),
		Nested: map[string][]Addr{"k": {{"s", "", 1}}}}
	b, err := json.Marshal(p)
	fmt.Println(string(b), err)
	var q Person
	err = json.Unmarshal(b, &q)
	fmt.Println(err, q.Name, q.Age, q.Email == nil, q.Dash, q.Meta, q.Addr, string(q.Raw), string(q.Bytes), q.Nested)
	b, _ = json.MarshalIndent(map[string]Addr{"one": {Street: "s"}}, ">", "  ")
	fmt.Println(string(b))
}
