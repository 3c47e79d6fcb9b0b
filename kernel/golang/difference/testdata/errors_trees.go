// Trees of errors: lists of errors, those that cannot be compared, generic ones.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
)

type codeErr struct {
	code int
	err  error
}

func (c codeErr) Error() string { return fmt.Sprintf("code %d: %v", c.code, c.err) }
func (c codeErr) Unwrap() error { return c.err }

type multi []error

func (m multi) Error() string   { return fmt.Sprint(len(m), " errors") }
func (m multi) Unwrap() []error { return m }

type tmp struct{}

func (*tmp) Error() string   { return "tmp" }
func (*tmp) Temporary() bool { return true }

type asr struct{}

func (asr) Error() string { return "asr" }
func (asr) As(t any) bool {
	if p, ok := t.(*codeErr); ok {
		p.code = 99
		return true
	}
	return false
}

type val struct{ xs []int }

func (val) Error() string { return "val" }
func mayNil(f bool) error {
	var t *tmp
	if f {
		return t
	}
	return nil
}

type gen[T any] struct{ v T }

func (g gen[T]) Error() string { return fmt.Sprintf("gen %v", g.v) }
func main() {
	base := errors.New("base")
	e := fmt.Errorf("l2: %w", codeErr{3, fmt.Errorf("l1: %w", base)})
	var ce codeErr
	fmt.Println(errors.As(e, &ce), ce.code, errors.Is(e, base), e)
	m := multi{e, &tmp{}, fs.ErrNotExist}
	var t interface{ Temporary() bool }
	fmt.Println(errors.As(m, &t), errors.Is(m, fs.ErrNotExist), errors.Is(m, base), m)
	j := errors.Join(m, nil, asr{})
	ce = codeErr{}
	fmt.Println(errors.As(j, &ce), ce.code)
	fmt.Printf("%v|%q|%+v|%T\n", j, j, asr{}, j)
	fmt.Println(mayNil(true) == nil, mayNil(false) == nil, errors.Is(nil, base), errors.Is(base, nil),
		errors.As(asr{}, &ce), errors.Unwrap(m) == nil)
	func() { defer func() { fmt.Println(recover()) }(); fmt.Println(errors.Is(val{}, val{})) }()
	fmt.Println(errors.Is(gen[int]{1}, gen[int]{1}), errors.Is(gen[int]{1}, gen[int8]{1}))
	var gi gen[string]
	fmt.Println(errors.As(fmt.Errorf("x %w y %w", base, gen[string]{"q"}), &gi), gi)
	var ne *strconv.NumError
	_, err := strconv.ParseBool("x")
	fmt.Println(errors.As(fmt.Errorf("w %w", err), &ne), ne.Num, errors.Is(err, strconv.ErrSyntax))
	var pe *fs.PathError
	fmt.Println(errors.As(codeErr{1, &fs.PathError{Op: "o", Path: "p", Err: base}}, &pe), pe)
	switch err := e.(type) {
	case codeErr:
		fmt.Println("code")
	case interface{ Unwrap() error }:
		fmt.Println("wrap", err.Unwrap())
	}
	func() {
		defer func() {
			r := recover()
			err, ok := r.(error)
			fmt.Println(ok, err)
			var ce codeErr
			fmt.Println(errors.As(err, &ce), ce.code)
		}()
		panic(e)
	}()
	ch := make(chan error, 2)
	go func() { ch <- codeErr{1, nil}; ch <- nil; close(ch) }()
	for e := range ch {
		fmt.Println(e)
	}
	a, ok := errors.AsType[*tmp](m)
	fmt.Println(a, ok)
	fmt.Println(fmt.Errorf("%w", nil), fmt.Errorf("%v %w", 1, "x"), fmt.Errorf("%d", codeErr{4, nil}))
	var ee error = codeErr{1, nil}
	fmt.Println(ee == codeErr{1, nil}, ee != error(codeErr{2, nil}), map[error]int{codeErr{1, nil}: 5}[ee])
}
