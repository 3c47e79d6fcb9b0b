package main

import (
	"fmt"
)

func main() {
	m := map[string]any{"a": 1, "b": []any{1, "x", map[string]any{"c": true}}, "d": nil}
	fmt.Println(m["b"].([]any)[2].(map[string]any)["c"])
	_, ok := m["d"]
	fmt.Println(ok, m["d"] == nil, m)
	if n, ok := m["a"].(int); ok {
		fmt.Println(n + 1)
	}
}
