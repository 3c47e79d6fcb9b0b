package interp

import (
	"fmt"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/go/types"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel/display"
)

// printers are the interfaces by which package fmt prints a value, in its order.
var printers = []reflect.Type{reflect.TypeFor[fmt.Formatter](), reflect.TypeFor[error](), reflect.TypeFor[fmt.Stringer]()}

// implements reports whether t has i's methods in a way that only the interpreter knows, and gives the interpreter's form of i.
func (e *Engine) implements(t xreflect.Type, i reflect.Type) (xreflect.Type, bool) {
	if t == nil || t.ReflectType() == nil || t.ReflectType().Implements(i) || t.Kind() == reflect.Interface {
		return nil, false
	}
	if t.Name() == "" && (t.Kind() != reflect.Ptr || t.Elem().Name() == "") && t.Kind() != reflect.Struct {
		return nil, false
	}
	owner := t
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		owner = t.Elem()
	}
	for n := range i.NumMethod() {
		if e.unmade[method{owner.GoType(), i.Method(n).Name}] {
			return nil, false
		}
	}
	x := e.universeType(i)
	return x, t.Implements(x)
}

// printable changes an argument that is printed: if its type prints by methods that only the interpreter knows, it becomes a value that has them.
func (e *Engine) printable(c *fast.Comp, arg *fast.Expr) {
	if arg.NumOut() != 1 || arg.Type == nil || arg.Untyped() {
		return
	}
	t := arg.Type
	if t.Kind() == reflect.Interface {
		if t.NumMethod() > 0 {
			value := arg.AsX1()
			replace(c, arg, func(env *fast.Env) xreflect.Value { return boxed(e.unwrapped(value(env), t)) })
		}
		return
	}
	for _, i := range printers {
		conv := e.converter(c, t, i)
		if conv == nil {
			continue
		}
		value := arg.AsX1()
		replace(c, arg, func(env *fast.Env) xreflect.Value {
			v := value(env)
			if m, ok := conv(v); ok {
				return boxed(e.withMethod(m, v, t))
			}
			return boxed(v.Interface())
		})
		return
	}
	if e.learnToPrint(t).byParts {
		value := arg.AsX1()
		replace(c, arg, func(env *fast.Env) xreflect.Value { return boxed(partsValue{e, value(env), t}) })
	}
}

// withMethod is a value in a form that package fmt prints by its type's method.
func (e *Engine) withMethod(method interface{}, v xreflect.Value, t xreflect.Type) interface{} {
	m := methodsValue{e, method, v, t}
	switch method.(type) {
	case fmt.Formatter:
		return method
	case error:
		return errorValue{m}
	}
	return m
}

// converter converts values of t to a compiled interface; nil if t does not implement it in a way that only the interpreter knows. A pointer to a type
// whose methods take the value is followed first: gomacro would pass them the pointer.
func (e *Engine) converter(c *fast.Comp, t xreflect.Type, i reflect.Type) func(v xreflect.Value) (interface{}, bool) {
	if t == nil {
		return nil
	}
	if t.Kind() == reflect.Ptr {
		if conv := e.converter(c, t.Elem(), i); conv != nil && t.Elem().Kind() != reflect.Ptr {
			return func(v xreflect.Value) (interface{}, bool) {
				if v.IsNil() {
					return nil, false
				}
				return conv(v.Elem())
			}
		}
	}
	x, ok := e.implements(t, i)
	if !ok {
		return nil
	}
	conv := c.Converter(t, x)
	if conv == nil {
		return nil
	}
	return func(v xreflect.Value) (interface{}, bool) {
		if t.Kind() == reflect.Ptr && v.IsNil() {
			return nil, false
		}
		return conv(v).Interface(), true
	}
}

// unwrapped gives what an interface holds in a form that prints as it should: a value of a type defined in a cell by its methods.
func (e *Engine) unwrapped(v xreflect.Value, t xreflect.Type) interface{} {
	if !v.IsValid() {
		return nil
	}
	if xreflect.IsEmulatedInterface(t) {
		if v.IsNil() {
			return nil
		}
		inner, it := xreflect.FromEmulatedInterface(v)
		return e.printed(inner, it)
	}
	x := v.Interface()
	if h, ok := header(x); ok {
		return e.printed(h.Value(), h.Type())
	}
	return x
}

// printed is v as something that package fmt prints by the methods of its type.
func (e *Engine) printed(v xreflect.Value, t xreflect.Type) interface{} {
	if !v.IsValid() {
		return nil
	}
	h := e.howToPrint(t)
	for _, conv := range h.method {
		if m, ok := conv(v); ok {
			return e.withMethod(m, v, t)
		}
	}
	if h.byParts {
		return partsValue{e, v, t}
	}
	return v.Interface()
}

// conversion is a type and a compiled interface.
type conversion struct {
	from types.Type
	to   reflect.Type
}

// convert converts a value whose type is defined in a cell to a compiled interface, if the type implements it. What it finds out of a type holds until
// the next piece of code is compiled, which may add methods.
func (e *Engine) convert(v xreflect.Value, t xreflect.Type, i reflect.Type) (interface{}, bool) {
	if t == nil {
		return nil, false
	}
	key := conversion{t.GoType(), i}
	known, ok := e.conversions.Load(key)
	if !ok {
		e.code.Lock()
		known = e.converter(e.ir.Comp, t, i)
		e.code.Unlock()
		e.conversions.Store(key, known)
	}
	conv := known.(func(v xreflect.Value) (interface{}, bool))
	if conv == nil {
		return nil, false
	}
	return conv(v)
}

// header finds the value inside one of the structs that stand for a value of a cell's type in compiled code.
func header(x interface{}) (xreflect.InterfaceHeader, bool) {
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Ptr || v.IsNil() || v.Elem().Kind() != reflect.Struct || v.Elem().NumField() == 0 {
		return xreflect.InterfaceHeader{}, false
	}
	field := v.Elem().Field(0)
	if field.Kind() != reflect.Interface || !field.CanInterface() {
		return xreflect.InterfaceHeader{}, false
	}
	h, ok := field.Interface().(xreflect.InterfaceHeader)
	return h, ok
}

// dynamic gives what an interface holds if that is a value of a type defined in a cell.
func dynamic(v xreflect.Value, t xreflect.Type) (xreflect.Value, xreflect.Type, bool) {
	if xreflect.IsEmulatedInterface(t) {
		if v.IsNil() {
			return v, t, false
		}
		v, t = xreflect.FromEmulatedInterface(v)
		return v, t, true
	}
	h, ok := header(v.Interface())
	if !ok {
		return v, t, false
	}
	return h.Value(), h.Type(), true
}

func dynamicType(v xreflect.Value, t xreflect.Type) (xreflect.Type, bool) {
	_, it, ok := dynamic(v, t)
	return it, ok
}

// render shows a value of the interpreter.
func (e *Engine) render(v xreflect.Value, t xreflect.Type) display.Data {
	if !v.IsValid() {
		return display.MakeData(display.MIMETypeText, "nil")
	}
	if t != nil && t.Kind() == reflect.Interface {
		if inside, it, ok := dynamic(v, t); ok {
			v, t = inside, it
		}
	}
	var d display.Data
	found := false
	for _, i := range display.Interfaces() {
		x, ok := e.convert(v, t, i.Type)
		if !ok {
			continue
		}
		added, err := i.Add(d, x)
		if err != nil {
			return display.MakeData(display.MIMETypeText, "cannot display: "+err.Error())
		}
		d, found = added, true
	}
	if found {
		if _, ok := d.Data[display.MIMETypeText]; !ok {
			d.Data[display.MIMETypeText] = e.text(v, t)
		}
		return d
	}
	x := v.Interface()
	if d, ok := e.rich(x); ok {
		return d
	}
	if d, ok := e.table(v, t); ok {
		return d
	}
	return display.MakeData(display.MIMETypeText, e.text(v, t))
}

// renderCompiled shows a value that compiled code gave.
func (e *Engine) renderCompiled(v interface{}) display.Data {
	if d, ok := e.rich(v); ok {
		return d
	}
	return display.MakeData(display.MIMETypeText, display.Sprint(v))
}

// rich shows a compiled value if the program or its type knows how.
func (e *Engine) rich(v interface{}) (display.Data, bool) {
	if v == nil {
		return display.Data{}, false
	}
	if e.options.Render != nil {
		if d, ok := e.options.Render(v); ok {
			return d, true
		}
	}
	return display.Render(v)
}

// text is how a value prints.
func (e *Engine) text(v xreflect.Value, t xreflect.Type) string {
	switch {
	case !v.IsValid():
		return "nil"
	case t == nil:
		return display.Sprint(v.Interface())
	case t.Kind() == reflect.Interface:
		return display.Sprint(e.unwrapped(v, t))
	}
	p := e.printed(v, t)
	if _, byParts := p.(partsValue); byParts && display.ContainsItself(v.ReflectValue()) {
		return "a value of type " + goTypeName(t) + " that contains itself"
	}
	return display.Sprint(p)
}
