package main

import (
	"errors"
	"fmt"
)

type E struct{}

func (*E) Error() string { return "E" }

func bad(fail bool) error {
	var e *E
	if fail {
		e = &E{}
	}
	return e
}

func main() {
	err := bad(false)
	fmt.Println(err == nil, err != nil, err == (*E)(nil))
	var e error = (*E)(nil)
	fmt.Println(e == err, errors.Is(err, (*E)(nil)))
	var x any = (*int)(nil)
	var y any
	fmt.Println(x == nil, y == nil, x == (*int)(nil), x == y)
	switch x.(type) {
	case nil:
		fmt.Println("nil")
	case *int:
		fmt.Println("*int")
	}
	var f func() = nil
	y = f
	fmt.Println(y == nil)
}
