package interp

import (
	"fmt"
	"io"
	"reflect"
	"sort"
	"strings"

	"github.com/cosmos72/gomacro/go/types"
	"github.com/cosmos72/gomacro/xreflect"
)

// deepestPrint bounds a method that prints its own value: it calls itself by way of package fmt, where gomacro does not
// count the calls.
const deepestPrint = 2000

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
		defer v.engine.printDepth.Add(-1)
		if v.engine.printDepth.Add(1) > deepestPrint {
			panic(mistake("stack overflow: a method String or Error of " + goTypeName(v.t) + " prints its own value"))
		}
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
	if verb == 'v' && !f.Flag('#') {
		if how := e.howToPrint(t); how.byParts {
			var b strings.Builder
			p := printer{engine: e, out: &b, plus: f.Flag('+')}
			p.parts(v, how, 0)
			_, _ = io.WriteString(f, b.String())
			return
		}
	}
	text := fmt.Sprintf(fmt.FormatString(f, verb), v.Interface())
	if f.Flag('#') { // names of unexported fields
		text = strings.ReplaceAll(text, xreflect.StrGensymPrivate, "")
	}
	_, _ = io.WriteString(f, text)
}

// how is how values of a type print. It is found out once, while nothing else uses gomacro's tables of types, since cells print from any number of goroutines.
type how struct {
	t         xreflect.Type
	kind      reflect.Kind
	method    []func(v xreflect.Value) (interface{}, bool) // to interfaces by whose methods values print
	byParts   bool                                         // package fmt would not print the parts as they should
	key, elem *how                                         // of pointers, too
	fields    []howField
}

// howField is a field.
type howField struct {
	name string
	how  *how
}

// howToPrint gives how values of t print. What it finds holds until the next piece of code is compiled, which may add methods.
func (e *Engine) howToPrint(t xreflect.Type) *how {
	if h, ok := e.printing.Load(t.GoType()); ok {
		return h.(*how)
	}
	e.code.Lock()
	defer e.code.Unlock()
	return e.learnToPrint(t)
}

// learnToPrint is howToPrint for a caller that holds e.code.
func (e *Engine) learnToPrint(t xreflect.Type) *how {
	if h, ok := e.printing.Load(t.GoType()); ok {
		return h.(*how)
	}
	var all []*how
	h := e.learn(t, make(map[types.Type]*how), &all)
	for changed := true; changed; { // types may refer to themselves
		changed = false
		for _, h := range all {
			if !h.byParts && h.hasParts() {
				h.byParts, changed = true, true
			}
		}
	}
	e.printing.Store(t.GoType(), h)
	return h
}

// learn collects how a type and its parts print.
func (e *Engine) learn(t xreflect.Type, known map[types.Type]*how, all *[]*how) *how {
	if h := known[t.GoType()]; h != nil {
		return h
	}
	h := &how{t: t, kind: t.Kind()}
	known[t.GoType()] = h
	*all = append(*all, h)
	if t.ReflectType() == nil {
		return h
	}
	for _, i := range printers {
		if conv := e.converter(e.ir.Comp, t, i); conv != nil {
			h.method = append(h.method, conv)
		}
	}
	switch h.kind {
	case reflect.Interface:
		h.byParts = xreflect.IsEmulatedInterface(t)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		h.elem = e.learn(t.Elem(), known, all)
	case reflect.Map:
		h.key, h.elem = e.learn(t.Key(), known, all), e.learn(t.Elem(), known, all)
	case reflect.Struct:
		rt := t.ReflectType()
		if rt.Name() != "" { // compiled
			return h
		}
		for i := range t.NumField() {
			f := t.Field(i)
			h.byParts = h.byParts || i < rt.NumField() && rt.Field(i).Name != f.Name
			h.fields = append(h.fields, howField{f.Name, e.learn(f.Type, known, all)})
		}
	}
	return h
}

// hasParts reports whether parts need the interpreter to print as they should, as far as it is known.
func (h *how) hasParts() bool {
	part := func(h *how) bool { return len(h.method) > 0 || h.byParts && h.kind != reflect.Pointer } // inside a value, pointers print as addresses
	switch h.kind {
	case reflect.Pointer:
		return h.elem != nil && h.elem.byParts
	case reflect.Slice, reflect.Array:
		return part(h.elem)
	case reflect.Map:
		return part(h.key) || part(h.elem)
	}
	for _, f := range h.fields {
		if part(f.how) {
			return true
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
func (p printer) value(v xreflect.Value, h *how, depth int) {
	if !v.IsValid() {
		p.out.WriteString("<nil>")
		return
	}
	if h.kind == reflect.Interface {
		x := p.engine.unwrapped(v, h.t)
		if m, ok := x.(methodsValue); ok {
			x = m.method
		}
		p.plain(x)
		return
	}
	for _, conv := range h.method {
		if m, ok := conv(v); ok {
			p.plain(m)
			return
		}
	}
	if depth > 20 || !h.byParts {
		if rt := v.Type(); rt.Kind() == reflect.Pointer && depth > 0 && !v.IsNil() && !rt.Implements(printers[1]) && !rt.Implements(printers[2]) {
			fmt.Fprintf(p.out, "%p", v.Interface())
			return
		}
		p.plain(v.Interface())
		return
	}
	p.parts(v, h, depth)
}

func (p printer) plain(x interface{}) {
	if p.plus {
		fmt.Fprintf(p.out, "%+v", x)
		return
	}
	fmt.Fprint(p.out, x)
}

// parts prints what a value is made of.
func (p printer) parts(v xreflect.Value, h *how, depth int) {
	switch h.kind {
	case reflect.Interface:
		p.value(v, h, depth)
	case reflect.Pointer:
		switch {
		case v.IsNil():
			p.out.WriteString("<nil>")
		case depth > 0:
			fmt.Fprintf(p.out, "%p", v.Interface())
		default:
			p.out.WriteByte('&')
			p.parts(v.Elem(), h.elem, depth+1)
		}
	case reflect.Slice, reflect.Array:
		p.out.WriteByte('[')
		for i := range v.Len() {
			p.space(i)
			p.value(v.Index(i), h.elem, depth+1)
		}
		p.out.WriteByte(']')
	case reflect.Map:
		p.out.WriteString("map[")
		for i, entry := range p.entries(v, h, depth) {
			p.space(i)
			p.out.WriteString(entry)
		}
		p.out.WriteByte(']')
	case reflect.Struct:
		p.out.WriteByte('{')
		for i, f := range h.fields {
			p.space(i)
			if p.plus {
				p.out.WriteString(f.name + ":")
			}
			p.value(v.Field(i), f.how, depth+1)
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
func (p printer) entries(v xreflect.Value, h *how, depth int) []string {
	keys := v.MapKeys()
	sort.SliceStable(keys, func(i, j int) bool {
		a, b := keys[i].ReflectValue(), keys[j].ReflectValue()
		if a.Kind() == b.Kind() && ordered(a.Kind()) {
			return less(a, b)
		}
		return fmt.Sprint(a.Interface()) < fmt.Sprint(b.Interface())
	})
	list := make([]string, len(keys))
	for i, key := range keys {
		var b strings.Builder
		q := printer{p.engine, &b, p.plus}
		q.value(key, h.key, depth+1)
		b.WriteByte(':')
		q.value(v.MapIndex(key), h.elem, depth+1)
		list[i] = b.String()
	}
	return list
}
