package main

import "fmt"

func kind[T any](v T) string {
	switch x := any(v).(type) {
	case int:
		return fmt.Sprint("int ", x+1)
	case string:
		return "string " + x
	case []T:
		return "slice"
	case fmt.Stringer:
		return "stringer " + x.String()
	case nil:
		return "nil"
	}
	var zero T
	return fmt.Sprintf("other %T %v", zero, zero)
}

type S struct{ a int }

func (s S) String() string { return fmt.Sprintf("S(%d)", s.a) }

type E struct{ a int }

func isZero[T comparable](v T) bool {
	var zero T
	return v == zero
}

func main() {
	fmt.Println(kind(1), kind("a"), kind(S{2}), kind(E{3}), kind([]int{1}), kind[any](nil), kind[any](4))
	fmt.Println(isZero(E{}), isZero(E{1}), isZero(""), isZero[any](nil), isZero[error](nil), isZero([2]int{}))
}
