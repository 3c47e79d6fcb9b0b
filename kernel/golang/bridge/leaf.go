package bridge

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// leaf lets package fmt print a value.
func (w *walker) leaf(v any) { fmt.Fprintf(w.state, fmt.FormatString(w.state, w.verb), v) }

// basic prints a number, text or bool. A verb that does not fit it names the type.
func (w *walker) basic(v any, typ types.Type) {
	text := fmt.Sprintf(fmt.FormatString(w.state, w.verb), v)
	fault := "%!" + string(w.verb) + "(" + reflect.TypeOf(v).String() + "="
	if rest, ok := strings.CutPrefix(text, fault); ok {
		text = "%!" + string(w.verb) + "(" + layout.Name(typ) + "=" + rest
	}
	w.text(text)
}

// unfit prints a value whose verb does not fit it.
func (w *walker) unfit(name string, value func(w *walker)) {
	w.text("%!" + string(w.verb) + "(" + name + "=")
	inner := *w
	inner.verb = 'v'
	value(&inner)
	w.text(")")
}

// usesMethods reports whether package fmt asks a type's own methods.
func usesMethods(rt reflect.Type) bool {
	return rt.Implements(reflect.TypeFor[fmt.Stringer]()) || rt.Implements(reflect.TypeFor[error]()) ||
		rt.Implements(reflect.TypeFor[fmt.Formatter]()) || rt.Implements(reflect.TypeFor[fmt.GoStringer]())
}

// hidden is a value that package fmt may look into but whose methods it must not call.
func hidden(v reflect.Value) reflect.Value {
	box := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "v", PkgPath: "main", Type: v.Type()}})).Elem()
	reflect.NewAt(v.Type(), box.Addr().UnsafePointer()).Elem().Set(v)
	return box.Field(0)
}

// pointerVerb reports whether package fmt prints an address for a verb.
func pointerVerb(verb rune) bool { return strings.ContainsRune("vpbodxX", verb) }

func (w *walker) address(p unsafe.Pointer, name string) {
	switch {
	case w.sharp() && p == nil:
		w.text("(" + name + ")(nil)")
	case w.sharp():
		w.text(fmt.Sprintf("(%s)(%#x)", name, uintptr(p)))
	case pointerVerb(w.verb):
		w.leaf(p)
	default:
		w.unfit(name, func(w *walker) { w.address(p, name) })
	}
}
