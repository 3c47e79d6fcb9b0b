package bridge

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// Args replaces the values that package fmt would print differently from compiled Go.
func (p *Printer) Args(args []any) []any {
	out := args
	for i, v := range args {
		w, changed := p.arg(v)
		if !changed {
			w, changed = p.S.Still(v)
		}
		if changed {
			if &out[0] == &args[0] {
				out = slices.Clone(args)
			}
			out[i] = w
		}
	}
	return out
}

func (p *Printer) arg(v any) (any, bool) {
	switch v.(type) {
	case nil, string, int, float64, bool, int64, rune, byte, []byte, []int, []string, []float64:
		return v, false
	}
	rt := reflect.TypeOf(v)
	typ, ok := p.Types.CellType(rt)
	if !ok || p.plain(typ, 0) {
		return v, false
	}
	f := formatted{v, p, typ}
	if p.S.Methods(rt)["Error"] == "func() string" { // first: the runtime remembers what a type does not implement
		if e, ok := v.(error); ok {
			return failing{f, e}, true
		}
	}
	return f, true
}

// plain reports whether package fmt prints values of a type correctly: nothing in it comes from cells.
func (p *Printer) plain(typ types.Type, depth int) bool {
	if depth > 8 {
		return false
	}
	switch t := types.Unalias(typ).(type) {
	case *types.Basic:
		return true
	case *types.Named:
		return !p.Types.IsCell(t) && !types.IsInterface(t)
	case *types.Pointer:
		return p.plain(t.Elem(), depth+1)
	case *types.Slice:
		return p.plain(t.Elem(), depth+1)
	case *types.Array:
		return p.plain(t.Elem(), depth+1)
	case *types.Map:
		return p.plain(t.Key(), depth+1) && p.plain(t.Elem(), depth+1)
	case *types.Chan:
		return p.plain(t.Elem(), depth+1)
	case *types.Signature: // %#v names it
		return p.plainAll(t.Params(), depth) && p.plainAll(t.Results(), depth)
	}
	return false
}

func (p *Printer) plainAll(list *types.Tuple, depth int) bool {
	for v := range list.Variables() {
		if !p.plain(v.Type(), depth+1) {
			return false
		}
	}
	return true
}

// formatted is an argument that prints itself.
type formatted struct {
	v   any
	p   *Printer
	typ types.Type
}

// Format implements fmt.Formatter.
func (f formatted) Format(s fmt.State, verb rune) {
	switch verb {
	case ownVerbs['T']:
		fmt.Fprintf(s, fmt.FormatString(s, 's'), layout.Name(f.typ))
		return
	case ownVerbs['p']:
		switch f.typ.Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature:
			fmt.Fprintf(s, fmt.FormatString(s, 'p'), *(*unsafe.Pointer)(placed(reflect.ValueOf(f.v))))
			return
		}
		w := walker{Printer: f.p, state: s, verb: 'p'}
		w.unfit(layout.Name(f.typ), func(w *walker) { w.value(placed(reflect.ValueOf(f.v)), f.typ, 0, false) })
		return
	}
	memory := reflect.New(reflect.TypeOf(f.v))
	memory.Elem().Set(reflect.ValueOf(f.v))
	w := walker{Printer: f.p, state: s, verb: verb}
	w.value(memory.UnsafePointer(), f.typ, 0, true)
}

// failing is a formatted argument that can be wrapped with %w.
type failing struct {
	formatted
	error
}

func (f failing) Format(s fmt.State, verb rune) { f.formatted.Format(s, verb) }

func (f failing) Unwrap() error { return f.error }

// Argument returns the error of a cell that fmt.Errorf wrapped, and other values as they are.
func Argument(v any) any {
	if f, ok := v.(failing); ok {
		return f.v
	}
	return v
}

// maxNested is how deep values are printed. A value that contains itself has no end.
const maxNested = 1000

// value prints what lies at p. visible is false below an unexported field: methods are not called there.
func (w *walker) value(p unsafe.Pointer, typ types.Type, depth int, visible bool) {
	if depth > maxNested {
		w.text("...")
		return
	}
	rt := w.Types.Of(typ)
	if _, ok := typ.Underlying().(*types.Interface); ok {
		w.iface(p, typ, rt, depth, visible)
		return
	}
	if visible && w.methods(p, typ, rt) {
		return
	}
	v := reflect.NewAt(rt, p).Elem()
	if n, ok := types.Unalias(typ).(*types.Named); ok && !w.Types.IsCell(n) {
		w.printCompiled(v, depth, visible)
		return
	}
	switch u := typ.Underlying().(type) {
	case *types.Basic:
		w.basic(reflect.NewAt(layout.Unwrapped(rt), p).Elem().Interface(), typ)
	case *types.Struct:
		w.structure(p, typ, u, layout.Unwrapped(rt), depth, visible)
	case *types.Slice:
		w.list(reflect.NewAt(layout.Unwrapped(w.Types.Of(u)), p).Elem(), typ, u.Elem(), depth, visible)
	case *types.Array:
		w.list(reflect.NewAt(layout.Unwrapped(w.Types.Of(u)), p).Elem(), typ, u.Elem(), depth, visible)
	case *types.Map:
		w.printMap(reflect.NewAt(layout.Unwrapped(w.Types.Of(u)), p).Elem(), typ, u, depth, visible)
	case *types.Pointer:
		w.pointer(*(*unsafe.Pointer)(p), typ, u.Elem(), depth, visible)
	default:
		w.address(*(*unsafe.Pointer)(p), layout.Name(typ))
	}
}

// printCompiled prints a value whose type no cell declares.
func (w *walker) printCompiled(v reflect.Value, depth int, visible bool) {
	switch {
	case visible && (v.Kind() != reflect.Pointer || depth == 0 || usesMethods(v.Type())):
		w.leaf(v.Interface())
	case v.Kind() == reflect.Pointer && depth > 0:
		if !pointerVerb(w.verb) {
			w.unfit(v.Type().String(), func(w *walker) { w.leaf(hidden(v)) })
			return
		}
		w.address(v.UnsafePointer(), v.Type().String())
	default:
		w.leaf(hidden(v))
	}
}

func (w *walker) iface(p unsafe.Pointer, typ types.Type, rt reflect.Type, depth int, visible bool) {
	v := w.S.Dynamic(p, typ)
	if v == nil {
		if w.sharp() {
			w.text(layout.Name(typ) + "(nil)")
		} else {
			w.text("<nil>")
		}
		return
	}
	dynamic, ok := w.Types.CellType(reflect.TypeOf(v))
	if !ok {
		w.printCompiled(reflect.ValueOf(v), depth+1, visible)
		return
	}
	memory := reflect.New(reflect.TypeOf(v))
	memory.Elem().Set(reflect.ValueOf(v))
	w.value(memory.UnsafePointer(), dynamic, depth+1, visible)
}

func (w *walker) structure(p unsafe.Pointer, typ types.Type, u *types.Struct, rt reflect.Type, depth int,
	visible bool) {
	sharp, showsNames := w.sharp(), w.verb == 'v' && (w.state.Flag('+') || w.state.Flag('#'))
	if sharp {
		w.text(layout.Name(typ))
	}
	w.text("{")
	for i := range u.NumFields() {
		if i > 0 {
			if sharp {
				w.text(", ")
			} else {
				w.text(" ")
			}
		}
		f := u.Field(i)
		if showsNames {
			w.text(f.Name() + ":")
		}
		at, inner := unsafe.Add(p, rt.Field(i).Offset), f.Type()
		if s, ok := inner.Underlying().(*types.Struct); ok && visible && f.Embedded() && !f.Exported() {
			w.structure(at, inner, s, layout.Unwrapped(w.Types.Of(inner)), depth+1, true) // but none of its own methods
			continue
		}
		w.value(at, inner, depth+1, visible && token.IsExported(f.Name()))
	}
	w.text("}")
}

func (w *walker) list(v reflect.Value, typ, elem types.Type, depth int, visible bool) {
	if b, ok := elem.Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 &&
		strings.ContainsRune("sqxX", w.verb) {
		bytes := make([]byte, v.Len())
		for i := range bytes {
			bytes[i] = *(*byte)(v.Index(i).Addr().UnsafePointer())
		}
		w.leaf(bytes)
		return
	}
	sharp := w.sharp()
	begin, between, end := "[", " ", "]"
	if sharp {
		w.text(layout.Name(typ))
		if v.Kind() == reflect.Slice && v.IsNil() {
			w.text("(nil)")
			return
		}
		begin, between, end = "{", ", ", "}"
	}
	w.text(begin)
	for i := range v.Len() {
		if i > 0 {
			w.text(between)
		}
		var p unsafe.Pointer
		if v.Kind() == reflect.Slice {
			p = unsafe.Add(v.UnsafePointer(), uintptr(i)*v.Type().Elem().Size())
		} else {
			p = unsafe.Add(v.Addr().UnsafePointer(), uintptr(i)*v.Type().Elem().Size())
		}
		w.value(p, elem, depth+1, visible)
	}
	w.text(end)
}

func (w *walker) printMap(v reflect.Value, typ types.Type, u *types.Map, depth int, visible bool) {
	begin, between, end := "map[", " ", "]"
	if w.sharp() {
		w.text(layout.Name(typ))
		if v.IsNil() {
			w.text("(nil)")
			return
		}
		begin, between, end = "{", ", ", "}"
	}
	w.text(begin)
	var entries [][2]reflect.Value // a key that is not equal to itself cannot be looked up
	for key, value := range entriesOf(w.S, v) {
		entries = append(entries, [2]reflect.Value{key, value})
	}
	slices.SortStableFunc(entries, func(a, b [2]reflect.Value) int { return compareKeys(a[0], b[0]) })
	for i, entry := range entries {
		if i > 0 {
			w.text(between)
		}
		w.value(placed(entry[0]), u.Key(), depth+1, visible)
		w.text(":")
		w.value(placed(entry[1]), u.Elem(), depth+1, visible)
	}
	w.text(end)
}

func (w *walker) pointer(p unsafe.Pointer, typ, elem types.Type, depth int, visible bool) {
	if depth == 0 && p != nil {
		switch elem.Underlying().(type) {
		case *types.Struct, *types.Slice, *types.Array, *types.Map:
			w.text("&")
			w.value(p, elem, depth+1, visible)
			return
		}
	}
	if rt := w.Types.Of(typ); visible && usesMethods(rt) {
		w.leaf(reflect.NewAt(rt, unsafe.Pointer(&p)).Elem().Interface())
		return
	}
	if !pointerVerb(w.verb) {
		w.unfit(layout.Name(typ), func(w *walker) { w.value(unsafe.Pointer(&p), typ, 0, false) })
		return
	}
	w.address(p, layout.Name(typ))
}
