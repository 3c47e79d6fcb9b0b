package main

import (
	"errors"
	"fmt"
	"time"
)

type A int
type B int
type C struct{ A }
type E struct{}

func (E) Error() string { return "E!" }

func kind(x any) string {
	switch v := x.(type) {
	case nil:
		return "nil"
	case int, int64:
		return fmt.Sprintf("integer %v", v)
	case A:
		return fmt.Sprint("A", int(v))
	case B:
		return fmt.Sprint("B", int(v))
	case *C:
		return fmt.Sprint("*C", v.A)
	case C:
		return fmt.Sprint("C", v.A)
	case error:
		return "error " + v.Error()
	case fmt.Stringer:
		return "stringer " + v.String()
	case []A:
		return fmt.Sprint("[]A", len(v))
	case []int:
		return fmt.Sprint("[]int", len(v))
	case map[string]A:
		return fmt.Sprint("map", len(v))
	case func() int:
		return fmt.Sprint("func", v())
	case chan A:
		return "chan A"
	case [2]B:
		return fmt.Sprint(v[1])
	}
	return fmt.Sprintf("%T", x)
}

func main() {
	for _, x := range []any{nil, 1, int64(2), A(3), B(4), C{5}, &C{6}, E{}, &E{}, errors.New("e"), time.Second, []A{1},
		[]int{1, 2}, map[string]A{}, func() int { return 9 }, make(chan A), [2]B{1, 2}, 1.5, "s", struct{}{}, []B{}} {
		fmt.Println(kind(x))
	}
	var x any = A(1)
	_, isInt := x.(int)
	_, isA := x.(A)
	_, isErr := x.(error)
	fmt.Println(isInt, isA, isErr, x == any(1), x == any(A(1)), any(C{1}) == any(C{1}))
}
