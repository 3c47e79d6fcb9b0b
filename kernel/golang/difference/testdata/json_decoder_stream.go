package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

type Msg struct {
	Name, Text string
	Sub        []Msg `json:",omitempty"`
}

func main() {
	dec := json.NewDecoder(strings.NewReader(`{"Name":"a","Text":"1"} {"Name":"b","Sub":[{"Name":"c"}]} {"Bad":1}`))
	for {
		var m Msg
		if err := dec.Decode(&m); err == io.EOF {
			break
		} else if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Printf("%+v\n", m)
	}
	dec = json.NewDecoder(strings.NewReader(`{"Name":"a","Zzz":1}`))
	dec.DisallowUnknownFields()
	var m Msg
	fmt.Println(dec.Decode(&m))
	dec = json.NewDecoder(strings.NewReader(`[{"Name":"x"},{"Name":"y"}]`))
	t, _ := dec.Token()
	for dec.More() {
		var m Msg
		fmt.Println(t, dec.Decode(&m), m.Name)
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	enc.Encode(Msg{"<x>", "&", []Msg{{"n", "", nil}}})
	dec = json.NewDecoder(strings.NewReader(`{"a":12345678901234567890}`))
	dec.UseNumber()
	dec.UseNumber()
	var mm map[string]any
	fmt.Println(dec.Decode(&mm), mm)
}
