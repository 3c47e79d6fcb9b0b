package bridge

import (
	"flag"
	"io"
	"maps"
	"math/rand"
	"reflect"
)

// Methods that compiled code asks a value for besides those of its interface. Each is a part of a proxy.

type closes struct{ c Box }

func (b closes) Close() (err error) {
	b.c.call("Close", nil, list(p(&err)))
	return err
}

type readsBytes struct{ r Box }

func (b readsBytes) ReadByte() (one byte, err error) {
	b.r.call("ReadByte", nil, list(p(&one), p(&err)))
	return one, err
}

type writesTo struct{ w Box }

func (b writesTo) WriteTo(to io.Writer) (n int64, err error) {
	b.w.call("WriteTo", list(p(&to)), list(p(&n), p(&err)))
	return n, err
}

type writesStrings struct{ s Box }

func (b writesStrings) WriteString(text string) (n int, err error) {
	b.s.call("WriteString", list(p(&text)), list(p(&n), p(&err)))
	return n, err
}

type readsFrom struct{ f Box }

func (b readsFrom) ReadFrom(from io.Reader) (n int64, err error) {
	b.f.call("ReadFrom", list(p(&from)), list(p(&n), p(&err)))
	return n, err
}

type flagValue struct{ stringer }

// String is also called by package flag for a proxy of nothing, which it takes for the zero value.
func (b flagValue) String() string {
	if b.S == nil {
		return ""
	}
	return b.stringer.String()
}

func (b flagValue) Set(text string) (err error) {
	b.call("Set", list(p(&text)), list(p(&err)))
	return err
}

type boolFlag struct{ f Box }

func (b boolFlag) IsBoolFlag() (is bool) {
	b.f.call("IsBoolFlag", nil, list(p(&is)))
	return is
}

type source struct{ Box }

func (b source) Int63() (n int64) {
	b.call("Int63", nil, list(p(&n)))
	return n
}

func (b source) Seed(seed int64) { b.call("Seed", list(p(&seed)), nil) }

type source64 struct{ s Box }

func (b source64) Uint64() (n uint64) {
	b.s.call("Uint64", nil, list(p(&n)))
	return n
}

func init() {
	type names = map[string]string
	closing, bytes := names{"Close": "func() error"}, names{"ReadByte": "func() (uint8, error)"}
	to, from := names{"WriteTo": "func(io.Writer) (int64, error)"}, names{"ReadFrom": "func(io.Reader) (int64, error)"}
	text := names{"WriteString": "func(string) (int, error)"}
	all := func(parts ...names) names {
		union := names{}
		for _, part := range parts {
			maps.Copy(union, part)
		}
		return union
	}
	proxies[reflect.TypeFor[io.Reader]()] = []kind{
		{all(closing, bytes, to), func(b Box) any {
			return struct {
				reader
				closes
				readsBytes
				writesTo
			}{reader{b}, closes{b}, readsBytes{b}, writesTo{b}}
		}},
		{all(closing, bytes), func(b Box) any {
			return struct {
				reader
				closes
				readsBytes
			}{reader{b}, closes{b}, readsBytes{b}}
		}},
		{all(closing, to), func(b Box) any {
			return struct {
				reader
				closes
				writesTo
			}{reader{b}, closes{b}, writesTo{b}}
		}},
		{all(bytes, to), func(b Box) any {
			return struct {
				reader
				readsBytes
				writesTo
			}{reader{b}, readsBytes{b}, writesTo{b}}
		}},
		{closing, func(b Box) any {
			return struct {
				reader
				closes
			}{reader{b}, closes{b}}
		}},
		{bytes, func(b Box) any {
			return struct {
				reader
				readsBytes
			}{reader{b}, readsBytes{b}}
		}},
		{to, func(b Box) any {
			return struct {
				reader
				writesTo
			}{reader{b}, writesTo{b}}
		}},
		{nil, func(b Box) any { return reader{b} }},
	}
	proxies[reflect.TypeFor[io.Writer]()] = []kind{
		{all(text, from), func(b Box) any {
			return struct {
				writer
				writesStrings
				readsFrom
			}{writer{b}, writesStrings{b}, readsFrom{b}}
		}},
		{text, func(b Box) any {
			return struct {
				writer
				writesStrings
			}{writer{b}, writesStrings{b}}
		}},
		{from, func(b Box) any {
			return struct {
				writer
				readsFrom
			}{writer{b}, readsFrom{b}}
		}},
		{nil, func(b Box) any { return writer{b} }},
	}
	proxies[reflect.TypeFor[flag.Value]()] = []kind{
		{names{"IsBoolFlag": "func() bool"}, func(b Box) any {
			return struct {
				flagValue
				boolFlag
			}{flagValue{stringer{b}}, boolFlag{b}}
		}},
		{nil, func(b Box) any { return flagValue{stringer{b}} }},
	}
	proxies[reflect.TypeFor[rand.Source]()] = []kind{
		{names{"Uint64": "func() uint64"}, func(b Box) any {
			return struct {
				source
				source64
			}{source{b}, source64{b}}
		}},
		{nil, func(b Box) any { return source{b} }},
	}
}
