package main

import (
	"encoding/json"
	"fmt"
)

type Status string
type Num float64
type List []Status
type Dict map[Status]Num
type Ptr *int

type All struct {
	S    Status
	N    Num
	L    List
	D    Dict
	A    [2]Status
	B    bool `json:",omitempty"`
	I8   int8
	P    Ptr
	PP   **int
	E    struct{} `json:"e"`
	U    uint64
	Case string `json:"CASE"`
}

func main() {
	n := 5
	p := &n
	a := All{"ok", 1.5, List{"a"}, Dict{"k": 2}, [2]Status{"x"}, false, -3, p, &p, struct{}{}, 1 << 63, "c"}
	b, err := json.Marshal(a)
	fmt.Println(string(b), err)
	var c All
	err = json.Unmarshal([]byte(`{"s":"low","N":2,"l":["q","r"],"D":{"z":1e3},"A":["1","2","3"],"P":7,"PP":8,"case":"lower","unknown":[1,{"a":2}]}`), &c)
	fmt.Println(err, c.S, c.N, c.L, c.D, c.A, *c.P, **c.PP, c.Case)
	var x any
	json.Unmarshal([]byte(`{"a":[1,"b",null,true,{"c":1.5}]}`), &x)
	fmt.Printf("%v %T\n", x, x.(map[string]any)["a"].([]any)[0])
	l := List{"keep", "x", "y"}
	json.Unmarshal([]byte(`["new"]`), &l)
	fmt.Println(l, len(l))
	d := Dict{"old": 1}
	json.Unmarshal([]byte(`{"new":2}`), &d)
	fmt.Println(d)
	json.Unmarshal([]byte(`null`), &l)
	fmt.Println(l == nil)
}
