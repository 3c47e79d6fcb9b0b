package native

import (
	"encoding"
	"flag"
	"reflect"
	"unsafe"
)

// textFlags are flag.TextVar and its method, which compare the types of their two values.
func textFlags() map[string]function {
	return map[string]function{
		"flag.TextVar": func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			s.textVar(flag.CommandLine, a)
			return nil
		},
		"(*flag.FlagSet).TextVar": func(s *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			s.textVar(a[0].Interface().(*flag.FlagSet), a[1:])
			return nil
		},
	}
}

func (s *Session) textVar(set *flag.FlagSet, a []reflect.Value) {
	to, _ := a[0].Interface().(encoding.TextUnmarshaler)
	value, _ := a[2].Interface().(encoding.TextMarshaler)
	name, usage := a[1].String(), a[3].String()
	p, v := s.Unwrap(to), s.Unwrap(value)
	if p == nil || v == nil || s.Methods(reflect.TypeOf(p)) == nil && s.Methods(reflect.TypeOf(v)) == nil {
		set.TextVar(to, name, value, usage)
		return
	}
	target, initial := reflect.ValueOf(p), reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer {
		panic("variable value type must be a pointer")
	}
	if initial.Kind() == reflect.Pointer {
		initial = initial.Elem()
	}
	if have, want := initial.Type(), target.Type().Elem(); have != want {
		panic("default type does not match variable type: " + s.DynamicName(have) + " != " + s.DynamicName(want))
	}
	target.Elem().Set(initial)
	set.Var(textFlag{to, p, s}, name, usage)
}

// textFlag is a flag whose variable has a cell's type.
type textFlag struct {
	to encoding.TextUnmarshaler
	p  any
	c  *Session
}

func (t textFlag) Set(text string) error { return t.to.UnmarshalText([]byte(text)) }

// Get implements flag.Getter.
func (t textFlag) Get() any { return t.p }

// String is also called for the zero flag, by package flag.
func (t textFlag) String() string {
	if t.c == nil || t.c.Methods(reflect.TypeOf(t.p))["MarshalText"] != "func() ([]uint8, error)" {
		return ""
	}
	var text []byte
	var err error
	t.c.Invoke(t.p, "MarshalText", nil, []unsafe.Pointer{unsafe.Pointer(&text), unsafe.Pointer(&err)})
	if err != nil {
		return ""
	}
	return string(text)
}
