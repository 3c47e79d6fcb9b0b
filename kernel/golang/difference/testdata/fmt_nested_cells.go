package main

import (
	"errors"
	"fmt"
)

type Level int

func (l Level) String() string { return [...]string{"low", "high"}[l] }

type Secret struct{ v string }

func (s Secret) Format(f fmt.State, verb rune) {
	w, ok := f.Width()
	fmt.Fprintf(f, "<%c %d %v %v>", verb, w, ok, f.Flag('+'))
}

type Go struct{ a int }

func (g Go) GoString() string { return "Go!" }

type Err struct{ code int }

func (e *Err) Error() string { return fmt.Sprint("code ", e.code) }

type Box struct {
	L   Level
	P   *Level
	S   []Level
	M   map[Level]Secret
	E   error
	A   any
	l   Level
	Go  Go
	Arr [2]Level
	F   func()
	inner
}
type inner struct{ x, Y int }

func main() {
	l := Level(1)
	b := Box{L: 1, S: []Level{0, 1}, M: map[Level]Secret{0: {"x"}}, E: &Err{3}, A: l, l: 1, inner: inner{1, 2}}
	fmt.Printf("%v\n%+v\n", b, b)
	fmt.Printf("%#v\n", b.Arr)
	fmt.Printf("%d %x %s %q %v %08.3f\n", l, l, l, l, &l != nil, 3.14159)
	fmt.Printf("%v %+v %5v %s\n", Secret{}, Secret{}, Secret{}, []Secret{{}})
	fmt.Printf("%#v %#v %#v\n", Go{1}, []Go{{1}}, struct{ G Go }{Go{2}})
	fmt.Printf("%v %s %d\n", b.E, b.E, b.E.(*Err))
	fmt.Printf("%T %T %T %T\n", b, &b, b.M, b.E)
	fmt.Println(b.S, b.M, b.A, []any{l, Level(0), b.E, nil}, map[string]Level{"b": 1, "a": 0})
	fmt.Printf("%[2]v %[1]d %[1]v %v\n", l, b.E)
	fmt.Printf("%v %d %s\n", [3]Level{1, 0, 1}, []Level{1}, struct {
		L Level
		e error
	}{1, errors.New("x")})
	fmt.Printf("%6.2v|%-6v|%6v|%t\n", l, l, l, l == 1)
	fmt.Printf("%!|%z %d\n", l)
	fmt.Printf("%d %d\n", l)
	fmt.Printf("%s\n", fmt.Sprintf("%v", fmt.Errorf("wrap %w of %v", b.E, l)))
	var np *Level
	var ne *Err
	fmt.Printf("%v %v %+v %s\n", np, ne == nil, np, []*Level{nil})
	fmt.Printf("%v %v\n", struct{ p *int }{}, []error{nil, b.E})
	fmt.Printf("%x %X %s %v\n", []byte("hi"), "hi", []byte("hi"), []byte("hi"))
	fmt.Printf("%v %+d %q %U %c %e\n", 'x', 5, 'x', 'x', 0x4e16, 12345.678)
	fmt.Printf("%*d|%-*d|%.*f\n", 5, 42, 5, 42, 2, 3.14159)
}
