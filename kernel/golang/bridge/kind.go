package bridge

import (
	"container/heap"
	"fmt"
	"reflect"
	"sort"
)

const (
	unwraps  = "func() error"
	splits   = "func() []error"
	compares = "func(error) bool"
	converts = "func(interface {}) bool"
)

type plainError struct{ Box }

func (e plainError) Error() (s string) {
	e.call("Error", nil, list(p(&s)))
	return s
}

func (b Box) unwrap() (err error) {
	b.call("Unwrap", nil, list(p(&err)))
	return err
}

func (b Box) is(target error) (ok bool) {
	b.call("Is", list(p(&target)), list(p(&ok)))
	return ok
}

func (b Box) as(target any) (ok bool) {
	b.call("As", list(p(&target)), list(p(&ok)))
	return ok
}

type unwrapError plainError

func (e unwrapError) Error() string { return plainError(e).Error() }

func (e unwrapError) Unwrap() error { return e.unwrap() }

type splitError plainError

func (e splitError) Error() string { return plainError(e).Error() }

func (e splitError) Unwrap() (errs []error) {
	e.call("Unwrap", nil, list(p(&errs)))
	return errs
}

type isError plainError

func (e isError) Error() string { return plainError(e).Error() }

func (e isError) Is(target error) bool { return e.is(target) }

type asError plainError

func (e asError) Error() string { return plainError(e).Error() }

func (e asError) As(target any) bool { return e.as(target) }

type isAs plainError

func (e isAs) Error() string { return plainError(e).Error() }

func (e isAs) Is(target error) bool { return e.is(target) }

func (e isAs) As(target any) bool { return e.as(target) }

type unwrapIs plainError

func (e unwrapIs) Error() string { return plainError(e).Error() }

func (e unwrapIs) Unwrap() error { return e.unwrap() }

func (e unwrapIs) Is(target error) bool { return e.is(target) }

type unwrapAs plainError

func (e unwrapAs) Error() string { return plainError(e).Error() }

func (e unwrapAs) Unwrap() error { return e.unwrap() }

func (e unwrapAs) As(target any) bool { return e.as(target) }

type unwrapIsAs plainError

func (e unwrapIsAs) Error() string { return plainError(e).Error() }

func (e unwrapIsAs) Unwrap() error { return e.unwrap() }

func (e unwrapIsAs) Is(target error) bool { return e.is(target) }

func (e unwrapIsAs) As(target any) bool { return e.as(target) }

type stringer struct{ Box }

func (b stringer) String() (s string) {
	b.call("String", nil, list(p(&s)))
	return s
}

type sorter struct{ Box }

func (b sorter) Len() (n int) {
	b.call("Len", nil, list(p(&n)))
	return n
}

func (b sorter) Less(i, j int) (less bool) {
	b.call("Less", list(p(&i), p(&j)), list(p(&less)))
	return less
}

func (b sorter) Swap(i, j int) { b.call("Swap", list(p(&i), p(&j)), nil) }

type heaper struct{ sorter }

func (b heaper) Push(x any) { b.call("Push", list(p(&x)), nil) }

func (b heaper) Pop() (x any) {
	b.call("Pop", nil, list(p(&x)))
	return x
}

type reader struct{ Box }

func (b reader) Read(to []byte) (n int, err error) {
	b.call("Read", list(p(&to)), list(p(&n), p(&err)))
	return n, err
}

type writer struct{ Box }

func (b writer) Write(from []byte) (n int, err error) {
	b.call("Write", list(p(&from)), list(p(&n), p(&err)))
	return n, err
}

// proxies lists, for each interface, the proxies with the most optional methods first.
var proxies = map[reflect.Type][]kind{
	reflect.TypeFor[error](): {
		{map[string]string{"Unwrap": unwraps, "Is": compares, "As": converts},
			func(b Box) any { return unwrapIsAs{b} }},
		{map[string]string{"Unwrap": unwraps, "Is": compares}, func(b Box) any { return unwrapIs{b} }},
		{map[string]string{"Unwrap": unwraps, "As": converts}, func(b Box) any { return unwrapAs{b} }},
		{map[string]string{"Unwrap": unwraps}, func(b Box) any { return unwrapError{b} }},
		{map[string]string{"Unwrap": splits}, func(b Box) any { return splitError{b} }},
		{map[string]string{"Is": compares, "As": converts}, func(b Box) any { return isAs{b} }},
		{map[string]string{"Is": compares}, func(b Box) any { return isError{b} }},
		{map[string]string{"As": converts}, func(b Box) any { return asError{b} }},
		{nil, func(b Box) any { return plainError{b} }},
	},
	reflect.TypeFor[fmt.Stringer]():   {{nil, func(b Box) any { return stringer{b} }}},
	reflect.TypeFor[sort.Interface](): {{nil, func(b Box) any { return sorter{b} }}},
	reflect.TypeFor[heap.Interface](): {{nil, func(b Box) any { return heaper{sorter{b}} }}},
}

// New makes a proxy for an interface. methods are the exported methods of the value, with their signatures: a proxy
// shows those optional ones that compiled code asks for. It returns false if there is no proxy for the interface.
func New(iface reflect.Type, box Box, methods map[string]string) (any, bool) {
	kinds, ok := proxies[iface]
	if !ok {
		return nil, false
	}
	for _, k := range kinds {
		if k.fits(methods) {
			return k.make(box), true
		}
	}
	return nil, false
}
