package main

import (
	"fmt"
)

type Text string

func kind[T any](v T) string {
	switch any(v).(type) {
	case int:
		return "int"
	case string:
		return "string"
	case Text:
		return "Text"
	case []T:
		return "slice of T"
	case *T:
		return "pointer to T"
	case fmt.Stringer:
		return "Stringer"
	}
	return fmt.Sprintf("other %T", v)
}

type S struct{}

func (S) String() string { return "s" }

func isSlice[T any](v any) bool { _, ok := v.([]T); return ok }

func main() {
	fmt.Println(kind(1), kind("a"), kind(Text("a")), kind(S{}), kind(&S{}), kind(2.5), kind([]int{}))
	fmt.Println(isSlice[int]([]int{}), isSlice[Text]([]string{}), isSlice[Text]([]Text{}), isSlice[any]([]any{}))
}
