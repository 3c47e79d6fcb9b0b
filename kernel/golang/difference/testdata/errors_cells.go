package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

type NotFound struct{ Key string }

func (n NotFound) Error() string { return "no " + n.Key }

type Temporary struct {
	Err   error
	Tries int
}

func (t *Temporary) Error() string { return fmt.Sprintf("try %d: %v", t.Tries, t.Err) }
func (t *Temporary) Unwrap() error { return t.Err }

type Code int

func (c Code) Error() string        { return fmt.Sprint("code ", int(c)) }
func (c Code) Is(target error) bool { return target == io.EOF && c == 0 }

type Multi []error

func (m Multi) Error() string   { return fmt.Sprint(len(m), " errors") }
func (m Multi) Unwrap() []error { return m }

var ErrBase = errors.New("base")

type timeout interface{ Timeout() bool }

func (Temporary) Timeout() bool { return true }

func main() {
	err := fmt.Errorf("outer: %w", &Temporary{NotFound{"k"}, 2})
	var nf NotFound
	var tmp *Temporary
	var to timeout
	fmt.Println(err, errors.As(err, &nf), errors.As(err, &tmp), errors.As(err, &to))
	fmt.Println(nf.Key, tmp.Tries, to.Timeout())
	fmt.Println(errors.Is(err, NotFound{"k"}), errors.Is(err, NotFound{"x"}))
	fmt.Println(errors.Is(Code(0), io.EOF), errors.Is(Code(1), io.EOF))
	j := errors.Join(ErrBase, Code(7), nil, err)
	fmt.Println(j, errors.Is(j, ErrBase), errors.Is(j, Code(7)))
	var c Code
	fmt.Println(errors.As(j, &c))
	fmt.Println(c, errors.Is(Multi{io.EOF}, io.EOF))
	fmt.Println(errors.As(Multi{ErrBase, Code(3)}, &c))
	fmt.Println(int(c))
	w := fmt.Errorf("%w and %w", ErrBase, fs.ErrNotExist)
	fmt.Println(errors.Is(w, fs.ErrNotExist), errors.Unwrap(w), errors.Unwrap(err) == error(tmp))
	var perr *fs.PathError
	fmt.Println(errors.As(&fs.PathError{Op: "open", Path: "x", Err: Code(2)}, &perr))
	fmt.Println(perr.Err == Code(2), perr)
	var e error
	fmt.Println(e == nil, errors.Is(nil, e), errors.Is(nil, ErrBase))
	m := map[error]int{NotFound{"a"}: 1, ErrBase: 2}
	fmt.Println(m[NotFound{"a"}], m[ErrBase], m[NotFound{"b"}])
	switch x := errors.Unwrap(err).(type) {
	case *Temporary:
		fmt.Println("temporary", x.Tries)
	}
}
