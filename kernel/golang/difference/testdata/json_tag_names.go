// Names of tags that encoding/json does not take: the field keeps its own.
package main

import (
	"encoding/json"
	"fmt"
)

type inner struct{ X int }

type tags struct {
	A     int `json:"a b"`
	B     int `json:"q\"x"`
	C     int `json:"é,omitempty"`
	D     int `json:"$%-/"`
	E     int `json:"\\,string"`
	F     int `json:"'f'"`
	G     int `json:"世9"`
	inner `json:"in\tner"`
}

func main() {
	text, err := json.Marshal(tags{1, 2, 3, 4, 5, 6, 7, inner{8}})
	fmt.Println(string(text), err)
	var back tags
	fmt.Println(json.Unmarshal(text, &back), back)
	fmt.Println(json.Unmarshal([]byte(`{"B":10,"q\"x":11,"f":12,"'f'":13,"X":14}`), &back), back)
}
