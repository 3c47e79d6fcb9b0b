package main

import (
	"encoding/json"
	"fmt"
)

type Addr struct {
	Street string `json:"street"`
	Zip    *int   `json:"zip,omitempty"`
}

func main() {
	m := map[string]any{"a": 1, "b": []int{1, 2}, "c": nil, "d": map[string]bool{"x": true}}
	b, err := json.Marshal(m)
	fmt.Println(string(b), err)
	var v any
	fmt.Println(json.Unmarshal([]byte(`{"k":[1,"a",null,{"z":2.5}]}`), &v), v)
	_, err = json.Marshal(make(chan int))
	fmt.Println(err)
	var n struct{}
	fmt.Println(json.Unmarshal([]byte(`[1`), &n))
	var xs []float64
	fmt.Println(json.Unmarshal([]byte(`[1,2.5]`), &xs), xs)
}
