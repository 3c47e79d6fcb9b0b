package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

type NotFound struct{ Name string }

func (n NotFound) Error() string { return n.Name + " not found" }
func (n NotFound) Is(target error) bool {
	t, ok := target.(NotFound)
	return ok && (t.Name == "" || t.Name == n.Name)
}

type Temp interface{ Temporary() bool }
type netErr struct{ error }

func (netErr) Temporary() bool { return true }
func (n netErr) Unwrap() error { return n.error }

type Code int

func (c *Code) Error() string { return fmt.Sprint("code ", int(*c)) }

type multi []error

func (m multi) Error() string   { return fmt.Sprint(len(m), " errors") }
func (m multi) Unwrap() []error { return m }

type asser struct{}

func (asser) Error() string { return "asser" }
func (asser) As(t any) bool {
	if p, ok := t.(*NotFound); ok {
		p.Name = "from As"
		return true
	}
	return false
}

func main() {
	base := NotFound{"x"}
	err := fmt.Errorf("a: %w", netErr{fmt.Errorf("b: %w", base)})
	var nf NotFound
	var tmp Temp
	var code *Code
	fmt.Println(errors.Is(err, base), errors.Is(err, NotFound{}), errors.Is(err, NotFound{"y"}))
	fmt.Println(errors.As(err, &nf), nf.Name, errors.As(err, &tmp), tmp.Temporary(), errors.As(err, &code))
	c := Code(5)
	j := errors.Join(nil, &c, io.EOF, err)
	fmt.Println(errors.As(j, &code), *code, errors.Is(j, io.EOF), errors.Is(j, &c))
	fmt.Printf("%v\n", j)
	m := multi{io.ErrUnexpectedEOF, multi{fs.ErrNotExist}}
	fmt.Println(errors.Is(m, fs.ErrNotExist), errors.Is(m, io.EOF), m)
	fmt.Println(errors.As(asser{}, &nf), nf.Name, errors.Join() == nil, errors.Join(nil, nil) == nil)
	_, e := os.Open("/does/not/exist")
	var pe *fs.PathError
	fmt.Println(errors.Is(e, fs.ErrNotExist), errors.As(e, &pe), pe.Op, pe.Path)
	x, ok := errors.AsType[NotFound](err)
	fmt.Println(x, ok)
}
