package main

import (
	"errors"
	"fmt"
)

type E struct{ c int }

func (e E) Error() string { return fmt.Sprint("E", e.c) }

type PE struct{ c int }

func (e *PE) Error() string { return fmt.Sprint("PE", e.c) }

type Both struct{}

func (Both) Error() string  { return "as error" }
func (Both) String() string { return "as string" }

func main() {
	fmt.Println(E{1}, &E{2}, &PE{3}, PE{4}, Both{})
	fmt.Printf("%v %s %d %q %+v %#v\n", E{1}, E{1}, E{1}, E{1}, E{1}, E{1})
	fmt.Println([]error{E{1}, nil, &PE{2}, errors.New("x")}, []E{{1}}, map[string]error{"k": E{5}})
	fmt.Println(struct {
		Err error
		e   error
	}{E{1}, E{2}})
	err := fmt.Errorf("ctx %d: %w and %w", 1, E{7}, &PE{8})
	fmt.Println(err, errors.Is(err, E{7}), errors.Unwrap(err) == nil)
	fmt.Println(fmt.Errorf("no wrap %v", E{1}), fmt.Errorf("bad %w", 5))
	fmt.Printf("%T %T %v\n", err, fmt.Errorf("a %w", E{1}), errors.Unwrap(fmt.Errorf("a %w", E{1})) == E{1})
}
