package interp

import (
	"go/ast"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// Package errors sees errors of types that are defined in cells as values of one compiled type, which stands for all of them. So errors.Is and errors.As are
// compiled to functions that look at the cells' types and at their methods Unwrap, Is and As.

// inner gives the value behind an error of a type that is defined in a cell.
func inner(err error) (xreflect.Value, xreflect.Type, bool) {
	if v, ok := err.(errorValue); ok {
		return v.value, v.t, true
	}
	if h, ok := header(err); ok {
		return h.Value(), h.Type(), true
	}
	return xreflect.Value{}, nil, false
}

// method finds a method of a value whose type is defined in a cell.
func (e *Engine) method(v xreflect.Value, t xreflect.Type, name string) (reflect.Value, bool) {
	e.code.Lock()
	defer e.code.Unlock()
	owner := t
	if owner.Kind() == reflect.Pointer {
		owner = owner.Elem()
	}
	m, found := owner.MethodByName(name, e.ir.Comp.FileComp().Path)
	if found != 1 || m.Funs == nil || m.Index >= len(*m.Funs) || len(m.FieldIndex) > 0 {
		return reflect.Value{}, false
	}
	f := (*m.Funs)[m.Index]
	if f.Kind() != reflect.Func || f.IsNil() || f.Type().NumIn() == 0 {
		return reflect.Value{}, false
	}
	receiver := v.ReflectValue()
	switch want := f.Type().In(0); {
	case receiver.Type() == want:
	case receiver.Kind() == reflect.Pointer && receiver.Type().Elem() == want && !receiver.IsNil():
		receiver = receiver.Elem()
	default:
		return reflect.Value{}, false
	}
	return reflect.MakeFunc(boundType(f.Type()), func(args []reflect.Value) []reflect.Value {
		return f.Call(append([]reflect.Value{receiver}, args...))
	}), true
}

// boundType is a function's type without its first parameter.
func boundType(t reflect.Type) reflect.Type {
	var in, out []reflect.Type
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	return reflect.FuncOf(in, out, false)
}

// wrapped lists what an error wraps.
func (e *Engine) wrapped(err error) []error {
	if v, t, ok := inner(err); ok {
		f, found := e.method(v, t, "Unwrap")
		if !found {
			return nil
		}
		switch unwrap := f.Interface().(type) {
		case func() error:
			return nonNil(unwrap())
		case func() []error:
			return nonNil(unwrap()...)
		}
		return nil
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		return nonNil(x.Unwrap())
	case interface{ Unwrap() []error }:
		return nonNil(x.Unwrap()...)
	}
	return nil
}

func nonNil(list ...error) []error {
	var found []error
	for _, err := range list {
		if err != nil {
			found = append(found, err)
		}
	}
	return found
}

// anyOf reports whether matches holds for an error or one that it wraps.
func (e *Engine) anyOf(err error, matches func(error) bool) bool {
	if err == nil {
		return false
	}
	if matches(err) {
		return true
	}
	for _, next := range e.wrapped(err) {
		if e.anyOf(next, matches) {
			return true
		}
	}
	return false
}

// errorsIs is errors.Is.
func (e *Engine) errorsIs(err, target error) bool {
	if err == nil || target == nil {
		return err == target
	}
	return e.anyOf(err, func(err error) bool {
		if sameError(err, target) {
			return true
		}
		if v, t, ok := inner(err); ok {
			if f, found := e.method(v, t, "Is"); found {
				if is, fits := f.Interface().(func(error) bool); fits {
					return is(target)
				}
			}
			return false
		}
		is, ok := err.(interface{ Is(error) bool })
		return ok && is.Is(target)
	})
}

// sameError is err == target for errors of cells' types too.
func sameError(err, target error) bool {
	v, t, cell := inner(err)
	w, u, cell2 := inner(target)
	if cell != cell2 {
		return false
	}
	if cell {
		return t.IdenticalTo(u) && v.ReflectValue().Comparable() && v.Interface() == w.Interface()
	}
	return reflect.TypeOf(target).Comparable() && err == target
}

// compileErrorsIs compiles errors.Is(err, target).
func (e *Engine) compileErrorsIs(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	call := constantCall(c, e.errorsIs)
	for _, x := range node.Args {
		arg := c.Expr1(x, nil)
		e.convertTo(c, arg, c.TypeOfError())
		call.Args = append(call.Args, arg)
	}
	return call
}

// compileErrorsAs compiles errors.As(err, target).
func (e *Engine) compileErrorsAs(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	err, target := c.Expr1(node.Args[0], nil), c.Expr1(node.Args[1], nil)
	e.convertTo(c, err, c.TypeOfError())
	if target.Type == nil || target.Type.Kind() != reflect.Pointer {
		c.Errorf("errors.As: the second argument must be a pointer to a variable of the wanted type, not <%v>", target.Type)
	}
	want := target.Type.Elem()
	if want.Kind() != reflect.Interface && !want.Implements(c.TypeOfError()) {
		c.Errorf("errors.As: <%v> does not implement error, so no error can be one", want)
	}
	in := []xreflect.Type{c.TypeOfError(), target.Type}
	return callWith(c, in, []xreflect.Type{c.TypeOfBool()}, []*fast.Expr{err, target}, func(args []reflect.Value) []reflect.Value {
		err, _ := args[0].Interface().(error)
		if args[1].IsNil() {
			panic("errors.As: target is nil")
		}
		found := e.anyOf(err, func(err error) bool { return e.assign(err, args[1].Elem(), want) })
		return []reflect.Value{reflect.ValueOf(found)}
	})
}

// assign sets target, of type want, to err if that fits.
func (e *Engine) assign(err error, target reflect.Value, want xreflect.Type) bool {
	v, t, cell := inner(err)
	switch {
	case cell && want.Kind() != reflect.Interface:
		if !t.IdenticalTo(want) || !v.ReflectValue().Type().AssignableTo(target.Type()) {
			return false
		}
		target.Set(v.ReflectValue())
		return true
	case cell && !xreflect.IsEmulatedInterface(want):
		x, ok := e.convert(v, t, want.ReflectType())
		if ok {
			target.Set(reflect.ValueOf(x))
		}
		return ok
	case cell:
		return false
	case reflect.TypeOf(err).AssignableTo(target.Type()):
		target.Set(reflect.ValueOf(err))
		return true
	}
	as, ok := err.(interface{ As(any) bool })
	return ok && as.As(target.Addr().Interface())
}

// convertTo is gomacro's Expr.To, which forgets to convert values of basic kinds whose type is defined in a cell to interfaces.
func (e *Engine) convertTo(c *fast.Comp, arg *fast.Expr, want xreflect.Type) {
	t := arg.Type
	if arg.NumOut() == 1 && !arg.Untyped() && t != nil {
		if conv := followed(c, t, want); conv != nil {
			fun := arg.AsX1()
			replace(c, arg, func(env *fast.Env) xreflect.Value { return conv(fun(env)) })
			arg.Lit = fast.Lit{Type: want}
			return
		}
	}
	if want.Kind() != reflect.Interface || arg.Untyped() || t == nil || t.Name() == "" || t.Kind() == reflect.Interface || t.IdenticalTo(want) ||
		t.ReflectType() == nil || t.ReflectType().Name() == t.Name() || want.NumMethod() == 0 {
		if !arg.Const() && (t == nil || !t.AssignableTo(want)) {
			c.Errorf("cannot use <%v> as <%v>", t, want)
		}
		arg.To(c, want)
		return
	}
	if !t.Implements(want) {
		c.Errorf("cannot use <%v> as <%v>", t, want)
	}
	if arg.Const() {
		arg.WithFun()
		arg.Value = nil
	}
	fun, conv := arg.AsX1(), c.Converter(t, want)
	arg.Lit = fast.Lit{Type: want}
	arg.Types, arg.Sym, arg.EFlags = nil, nil, 0
	arg.Fun = fun
	if conv != nil {
		arg.Fun = func(env *fast.Env) xreflect.Value { return conv(fun(env)) }
	}
}
