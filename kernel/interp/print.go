package interp

import (
	"fmt"
	"io"
	"reflect"
	"sort"
	"strings"

	"github.com/cosmos72/gomacro/xreflect"
)

// methodsValue prints a value by its type's own method, as package fmt does: for the verbs of text, not for %d or %T.
type methodsValue struct {
	engine *Engine
	method interface{} // an error or a fmt.Stringer
	value  xreflect.Value
	t      xreflect.Type
}

// errorValue is a methodsValue that is an error, for %w and for errors.Is and errors.As.
type errorValue struct{ methodsValue }

// Error implements error.
func (v errorValue) Error() string { return v.method.(error).Error() }

// Unwrap gives what the error of a cell wraps, so that compiled code finds it too.
func (v errorValue) Unwrap() []error { return v.engine.wrapped(v) }

// Format implements fmt.Formatter.
func (v methodsValue) Format(f fmt.State, verb rune) {
	if strings.ContainsRune("vsxXq", verb) && !(verb == 'v' && f.Flag('#')) {
		text := ""
		switch m := v.method.(type) {
		case error:
			text = m.Error()
		case fmt.Stringer:
			text = m.String()
		}
		fmt.Fprintf(f, fmt.FormatString(f, verb), text)
		return
	}
	v.engine.format(f, verb, v.value, v.t)
}

// partsValue prints a value whose parts print by methods that only the interpreter knows, or have names that only it knows.
type partsValue struct {
	engine *Engine
	value  xreflect.Value
	t      xreflect.Type
}

// Format implements fmt.Formatter.
func (v partsValue) Format(f fmt.State, verb rune) { v.engine.format(f, verb, v.value, v.t) }

// format prints a value without regard to its type's own methods.
func (e *Engine) format(f fmt.State, verb rune, v xreflect.Value, t xreflect.Type) {
	if verb == 'v' && !f.Flag('#') && e.hasParts(t, nil) {
		var b strings.Builder
		p := printer{engine: e, out: &b, plus: f.Flag('+')}
		p.parts(v, t, 0)
		_, _ = io.WriteString(f, b.String())
		return
	}
	text := fmt.Sprintf(fmt.FormatString(f, verb), v.Interface())
	if f.Flag('#') { // names of unexported fields
		text = strings.ReplaceAll(text, xreflect.StrGensymPrivate, "")
	}
	_, _ = io.WriteString(f, text)
}

// hasParts reports whether parts of a value of t need the interpreter to print as they should.
func (e *Engine) hasParts(t xreflect.Type, seen []xreflect.Type) bool {
	if t == nil || t.ReflectType() == nil {
		return false
	}
	for _, s := range seen {
		if s.IdenticalTo(t) {
			return false
		}
	}
	seen = append(seen, t)
	part := func(t xreflect.Type) bool { return e.printsByMethod(t) || e.hasParts(t, seen) }
	switch t.Kind() {
	case reflect.Interface:
		return xreflect.IsEmulatedInterface(t)
	case reflect.Pointer:
		if len(seen) > 1 { // inside a value, pointers print as addresses
			return false
		}
		return e.hasParts(t.Elem(), seen)
	case reflect.Slice, reflect.Array:
		return part(t.Elem())
	case reflect.Map:
		return part(t.Key()) || part(t.Elem())
	case reflect.Struct:
		rt := t.ReflectType()
		for i := range t.NumField() {
			f := t.Field(i)
			if i < rt.NumField() && rt.Field(i).Name != f.Name || part(f.Type) {
				return true
			}
		}
	}
	return false
}

// printsByMethod reports whether values of t print by a method that only the interpreter knows.
func (e *Engine) printsByMethod(t xreflect.Type) bool {
	for _, i := range printers {
		if _, ok := e.implements(t, i); ok {
			return true
		}
		if t.Kind() == reflect.Pointer {
			if _, ok := e.implements(t.Elem(), i); ok {
				return true
			}
		}
	}
	return false
}

// printer writes values as %v and %+v do.
type printer struct {
	engine *Engine
	out    *strings.Builder
	plus   bool
}

// value prints a part: by its method if it has one.
func (p printer) value(v xreflect.Value, t xreflect.Type, depth int) {
	e := p.engine
	if !v.IsValid() {
		p.out.WriteString("<nil>")
		return
	}
	if t.Kind() == reflect.Interface {
		x := e.unwrapped(v, t)
		if m, ok := x.(methodsValue); ok {
			x = m.method
		}
		p.plain(x)
		return
	}
	for _, i := range printers {
		if m, ok := e.convert(v, t, i); ok {
			p.plain(m)
			return
		}
	}
	if depth > 20 || !e.hasParts(t, nil) {
		if rt := v.Type(); rt.Kind() == reflect.Pointer && depth > 0 && !v.IsNil() && !rt.Implements(printers[1]) && !rt.Implements(printers[2]) {
			fmt.Fprintf(p.out, "%p", v.Interface())
			return
		}
		p.plain(v.Interface())
		return
	}
	p.parts(v, t, depth)
}

func (p printer) plain(x interface{}) {
	if p.plus {
		fmt.Fprintf(p.out, "%+v", x)
		return
	}
	fmt.Fprint(p.out, x)
}

// parts prints what a value is made of.
func (p printer) parts(v xreflect.Value, t xreflect.Type, depth int) {
	switch t.Kind() {
	case reflect.Interface:
		p.value(v, t, depth)
	case reflect.Pointer:
		switch {
		case v.IsNil():
			p.out.WriteString("<nil>")
		case depth > 0:
			fmt.Fprintf(p.out, "%p", v.Interface())
		default:
			p.out.WriteByte('&')
			p.parts(v.Elem(), t.Elem(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		p.out.WriteByte('[')
		for i := range v.Len() {
			p.space(i)
			p.value(v.Index(i), t.Elem(), depth+1)
		}
		p.out.WriteByte(']')
	case reflect.Map:
		p.out.WriteString("map[")
		for i, entry := range p.entries(v, t, depth) {
			p.space(i)
			p.out.WriteString(entry)
		}
		p.out.WriteByte(']')
	case reflect.Struct:
		p.out.WriteByte('{')
		for i := range t.NumField() {
			p.space(i)
			f := t.Field(i)
			if p.plus {
				p.out.WriteString(f.Name + ":")
			}
			p.value(v.Field(i), f.Type, depth+1)
		}
		p.out.WriteByte('}')
	default:
		p.plain(v.Interface())
	}
}

func (p printer) space(i int) {
	if i > 0 {
		p.out.WriteByte(' ')
	}
}

// entries prints the entries of a map in the order of its keys.
func (p printer) entries(v xreflect.Value, t xreflect.Type, depth int) []string {
	keys := v.MapKeys()
	sort.SliceStable(keys, func(i, j int) bool {
		a, b := keys[i].ReflectValue(), keys[j].ReflectValue()
		if a.Kind() == b.Kind() && (ordered(a.Kind())) {
			return less(a, b)
		}
		return fmt.Sprint(a.Interface()) < fmt.Sprint(b.Interface())
	})
	list := make([]string, len(keys))
	for i, key := range keys {
		var b strings.Builder
		q := printer{p.engine, &b, p.plus}
		q.value(key, t.Key(), depth+1)
		b.WriteByte(':')
		q.value(v.MapIndex(key), t.Elem(), depth+1)
		list[i] = b.String()
	}
	return list
}
