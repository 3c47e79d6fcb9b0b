package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

type T struct {
	N int
	S []struct{ A uint8 }
	M map[int]bool
}

func main() {
	for _, s := range []string{`{"N":"x"}`, `{"S":[{"A":300}]}`, `{"N":1.5}`, `[1]`, `{"N":`, `{"N":1}x`,
		`{"M":{"a":true}}`, `{"S":{"A":1}}`, ``, `nul`} {
		var t T
		err := json.Unmarshal([]byte(s), &t)
		var ute *json.UnmarshalTypeError
		var se *json.SyntaxError
		fmt.Println(err, errors.As(err, &ute), errors.As(err, &se), t)
	}
	_, err := json.Marshal(struct{ C chan int }{})
	fmt.Println(err)
	_, err = json.Marshal(map[bool]int{true: 1})
	fmt.Println(err)
	_, err = json.Marshal(struct{ F func() }{})
	fmt.Println(err)
	var t T
	fmt.Println(json.Unmarshal([]byte("{}"), t), json.Unmarshal([]byte("{}"), nil))
	b, err := json.Marshal([]any{nil, 1, "é\u2028<", 1e21, 1.0, T{}, []byte(nil), map[int]string{2: "b", 1: "a"},
		[2]bool{true}})
	fmt.Println(string(b), err)
}
