package main

import (
	"encoding/json"
	"fmt"
)

type inner struct {
	N int      `json:"n,omitempty"`
	T []string `json:"t"`
}
type doc struct {
	ID int `json:"id"`
	inner
	P    *inner `json:"p,omitempty"`
	skip int
	M    map[string]any `json:"m"`
}

func main() {
	b, err := json.Marshal(doc{ID: 1, P: &inner{N: 2}, skip: 5, M: map[string]any{"b": 1.5, "a": nil}})
	fmt.Println(string(b), err)
	var d doc
	err = json.Unmarshal([]byte(`{"id":7,"p":{"t":["x"]},"m":{"z":[1,true]}}`), &d)
	fmt.Println(d.ID, d.P.T, d.M, err)
	err = json.Unmarshal([]byte(`{"id":"x"}`), &d)
	fmt.Println(err)
}
