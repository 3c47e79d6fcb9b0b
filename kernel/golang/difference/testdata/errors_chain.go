package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

type NotFound struct{ Name string }

func (e *NotFound) Error() string { return e.Name + " not found" }

type Temp struct{ code int }

func (t Temp) Error() string        { return fmt.Sprint("temp ", t.code) }
func (t Temp) Is(target error) bool { return target == ErrBase }

var ErrBase = errors.New("base")

type wrapped struct {
	msg string
	err error
}

func (w wrapped) Error() string { return w.msg + ": " + w.err.Error() }
func (w wrapped) Unwrap() error { return w.err }

func find(n string) error {
	if n == "" {
		return &NotFound{"empty"}
	}
	return nil
}

func main() {
	err := fmt.Errorf("ctx: %w", find(""))
	var nf *NotFound
	fmt.Println(err, errors.As(err, &nf), nf.Name)
	fmt.Println(find("x") == nil, errors.Is(err, ErrBase))
	w := wrapped{"w", fmt.Errorf("mid: %w", ErrBase)}
	fmt.Println(w, errors.Is(w, ErrBase), errors.Unwrap(w))
	var t Temp
	e2 := fmt.Errorf("x: %w", Temp{5})
	fmt.Println(errors.As(e2, &t), t.code, errors.Is(e2, ErrBase), errors.Is(e2, Temp{5}))
	j := errors.Join(Temp{1}, nil, &NotFound{"j"})
	fmt.Println(strings.ReplaceAll(j.Error(), "\n", "|"), errors.As(j, &nf), nf)
	var e error = Temp{1}
	fmt.Println(e == Temp{1}, e == error(Temp{2}), e != nil)
	_, err = strconv.ParseInt("zz", 10, 64)
	var ne *strconv.NumError
	fmt.Println(errors.As(err, &ne), ne.Func, errors.Is(err, strconv.ErrSyntax))
	_, err = os.Open("/no/such/file")
	fmt.Println(errors.Is(err, os.ErrNotExist), err)
	fmt.Printf("%v %+v %s %q\n", t, t, t, t)
}
