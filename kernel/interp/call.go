package interp

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// prepare compiles function and arguments of the call name(f, args...) as gomacro does for f(args...). adapt, if given, may change each argument that is
// passed as interface{} before it is converted.
func (e *Engine) prepare(c *fast.Comp, node *ast.CallExpr, adapt func(c *fast.Comp, arg *fast.Expr)) *fast.Call {
	fun := c.Expr1(node.Args[0], nil)
	t := fun.Type
	if t.Kind() != reflect.Func {
		c.Errorf("call of non-function: %v <%v>", node.Args[0], t)
	}
	ellipsis := node.Ellipsis != token.NoPos
	variadic := t.IsVariadic() && !ellipsis
	if ellipsis && !t.IsVariadic() {
		c.Errorf("invalid use of ... in call to non-variadic function <%v>", t)
	}
	var args []*fast.Expr
	given := 0
	nodes, several := node.Args[1:], false
	if len(nodes) == 1 { // f(g()) where g may return several values; an index or an assertion, of which gomacro would take v, ok, is one
		_, several = ast.Unparen(nodes[0]).(*ast.CallExpr)
	}
	if several {
		arg := c.Expr(nodes[0], nil)
		if given = arg.NumOut(); given == 0 {
			c.Errorf("function argument returns no value: %v", nodes[0])
		}
		args = []*fast.Expr{arg}
	} else {
		args = c.Exprs(nodes)
		given = len(args)
	}
	n := t.NumIn()
	if given < n-1 || !variadic && given != n {
		c.Errorf("wrong number of arguments in call to %v: have %d, want %d", node.Args[0], given, n)
	}
	in := func(i int) xreflect.Type {
		if variadic && i >= n-1 {
			return t.In(n - 1).Elem()
		}
		return t.In(i)
	}
	if len(args) != given {
		convertAll(c, node.Args[0], args[0], in)
	} else {
		for i, arg := range args {
			want := in(i)
			if adapt != nil && want.Kind() == reflect.Interface && want.NumMethod() == 0 {
				adapt(c, arg)
			}
			if !arg.Const() && (arg.Type == nil || !arg.Type.AssignableTo(want)) {
				c.Errorf("cannot use <%v> as <%v> in argument to %v", arg.Type, want, node.Args[0])
			}
			e.convertTo(c, arg, want)
		}
	}
	call := &fast.Call{Fun: fun, Args: args, Ellipsis: ellipsis}
	for i := 0; i < t.NumOut(); i++ {
		call.OutTypes = append(call.OutTypes, t.Out(i))
	}
	return call
}

// convertAll converts the values of an expression that gives several.
func convertAll(c *fast.Comp, fun ast.Expr, arg *fast.Expr, in func(i int) xreflect.Type) {
	values := arg.AsXV(fast.COptDefaults)
	convs := make([]func(xreflect.Value) xreflect.Value, arg.NumOut())
	for i := range convs {
		have, want := arg.Out(i), in(i)
		if have == nil || !have.AssignableTo(want) {
			c.Errorf("cannot use <%v> as <%v> in argument to %v", have, want, fun)
		}
		convs[i] = c.Converter(have, want)
		arg.Types[i] = want
	}
	arg.Fun = func(env *fast.Env) (xreflect.Value, []xreflect.Value) {
		_, vs := values(env)
		for i, conv := range convs {
			if conv != nil {
				vs[i] = conv(vs[i])
			}
		}
		return vs[0], vs
	}
}

// later compiles a call into a function that evaluates function and arguments now and gives what makes the call.
func (e *Engine) later(c *fast.Comp, node *ast.CallExpr) func(env *fast.Env) func() {
	call := e.prepare(c, node, nil)
	fun := call.Fun.AsX1()
	var args []func(*fast.Env) xreflect.Value
	var several func(*fast.Env) (xreflect.Value, []xreflect.Value)
	if len(call.Args) == 1 && call.Args[0].NumOut() > 1 {
		several = call.Args[0].AsXV(fast.COptDefaults)
	} else {
		args = call.MakeArgfunsX1()
	}
	return func(env *fast.Env) func() {
		f := own(fun(env))
		var values []reflect.Value
		if several != nil {
			_, vs := several(env)
			for _, v := range vs {
				values = append(values, own(v))
			}
		}
		for _, arg := range args {
			values = append(values, own(arg(env)))
		}
		if call.Ellipsis {
			return func() { f.CallSlice(values) }
		}
		return func() { f.Call(values) }
	}
}

// own copies a value that is a variable, so that later changes of the variable do not matter.
func own(v xreflect.Value) reflect.Value {
	rv := v.ReflectValue()
	if rv.IsValid() && rv.CanSet() {
		rv = rv.Convert(rv.Type())
	}
	return rv
}

// deferredCall is a call of the func() that make gives when it is evaluated.
func deferredCall(c *fast.Comp, make func(env *fast.Env) func()) *fast.Call {
	return &fast.Call{Fun: &fast.Expr{
		Lit: fast.Lit{Type: c.TypeOf(func() {})},
		Fun: func(env *fast.Env) xreflect.Value { return xreflect.ValueOf(make(env)) },
	}}
}

// compileGo compiles the call of a go statement: a panic is reported on stderr and ends only the goroutine.
func (e *Engine) compileGo(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	prepare := e.later(c, node)
	return deferredCall(c, func(env *fast.Env) func() {
		call := prepare(env)
		return func() {
			defer func() {
				if r := recover(); r != nil {
					e.goroutinePanic(r, env.Run.CurrEnv)
				}
			}()
			call()
		}
	})
}

// compileDefer compiles a defer statement at the top level of a cell: the call is made when the cell ends.
func (e *Engine) compileDefer(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	prepare := e.later(c, node)
	return deferredCall(c, func(env *fast.Env) func() {
		call := prepare(env)
		return func() {
			if x := e.current.Load(); x != nil {
				x.defers = append(x.defers, call)
			}
		}
	})
}

// compilePrintCall compiles the call of a function that prints: arguments whose type is defined in a cell print by their methods.
func (e *Engine) compilePrintCall(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	return e.prepare(c, node, e.printable)
}

// compileOne compiles a call, or a conversion, whose only argument is one value.
func (e *Engine) compileOne(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	if _, t := c.Expr1OrType(node.Args[0]); t != nil {
		types := []xreflect.Type{t}
		arg := c.Expr1(node.Args[1], nil)
		if arg.Type != nil && !arg.Untyped() && t.Kind() == reflect.Interface && arg.Type.Kind() == reflect.Pointer {
			e.convertTo(c, arg, t)
		} else {
			arg = c.Convert(node.Args[1], t)
		}
		return callWith(c, types, types, []*fast.Expr{arg}, func(args []reflect.Value) []reflect.Value { return args })
	}
	return e.prepare(c, node, nil)
}

// compileDisplayCall compiles a call of Display: arguments keep their interpreted type, by which they may say how they are shown.
func (e *Engine) compileDisplayCall(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	return e.prepare(c, node, func(c *fast.Comp, arg *fast.Expr) {
		if arg.NumOut() != 1 || arg.Untyped() || arg.Type == nil {
			return
		}
		value, t := arg.AsX1(), arg.Type
		replace(c, arg, func(env *fast.Env) xreflect.Value {
			return boxed(typedValue{value(env), t})
		})
	})
}

// compileValue compiles a value that prints by the methods of its type.
func (e *Engine) compileValue(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	e.printable(c, arg)
	any := c.TypeOfInterface()
	arg.To(c, any)
	call := constantCall(c, func(v interface{}) interface{} { return v })
	call.Args = []*fast.Expr{arg}
	return call
}

// compileTypeName compiles the name of a value's type, as %T prints it.
func (e *Engine) compileTypeName(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	t := arg.Type
	if arg.Untyped() {
		t = arg.DefaultType()
	}
	value := arg.AsX1()
	call := constantCall(c, func(name interface{}) interface{} { return name })
	call.Args = []*fast.Expr{arg}
	replace(c, arg, func(env *fast.Env) xreflect.Value {
		v := value(env)
		name := "<nil>"
		switch {
		case t == nil:
		case t.Kind() != reflect.Interface:
			name = goTypeName(t)
		case v.IsValid() && !v.IsNil():
			if it, ok := dynamicType(v, t); ok {
				name = goTypeName(it)
			} else {
				name = fmt.Sprintf("%T", v.Interface())
			}
		}
		return boxed(name)
	})
	return call
}

// replace makes arg an expression of type interface{}.
func replace(c *fast.Comp, arg *fast.Expr, fun func(env *fast.Env) xreflect.Value) {
	arg.Lit = fast.Lit{Type: c.TypeOfInterface()}
	arg.Types, arg.Sym, arg.EFlags = nil, nil, 0
	arg.Fun = fun
}

// boxed is x as a value of type interface{}.
func boxed(x interface{}) xreflect.Value {
	return xreflect.MakeValue(reflect.ValueOf(&x).Elem())
}
