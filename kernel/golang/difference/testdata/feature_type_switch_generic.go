package main

import (
	"fmt"
)

func kind[T any](v T) string {
	switch x := any(v).(type) {
	case int, int64:
		return fmt.Sprintf("int %v", x)
	case []T:
		return "slice of itself"
	case fmt.Stringer:
		return "stringer " + x.String()
	case error:
		return "error " + x.Error()
	case nil:
		return "nil"
	case func():
		return "func"
	}
	return fmt.Sprintf("%T", v)
}

type s int

func (s) String() string { return "S" }
func main() {
	fmt.Println(kind(1), kind(int64(2)), kind(s(1)), kind(fmt.Errorf("e")), kind([]int{}), kind[any](nil), kind(func() {}), kind(2.5))
}
