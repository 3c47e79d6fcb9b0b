package interp

import (
	"go/ast"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// The functions of slices and maps are generic; cells call twins that take and give values of any type. Here the calls get the types that Go would infer.

// compileTwin compiles the call of such a function.
func (e *Engine) compileTwin(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	var types []xreflect.Type
	call := e.prepare(c, node, func(_ *fast.Comp, arg *fast.Expr) {
		t := arg.Type
		if arg.NumOut() == 1 && arg.Untyped() {
			t = arg.DefaultType()
		}
		types = append(types, t)
	})
	f, ok := node.Args[0].(*ast.SelectorExpr)
	if !ok || node.Ellipsis.IsValid() || len(types) == 0 || len(call.OutTypes) != 1 || call.OutTypes[0].Kind() != reflect.Interface {
		return call
	}
	pkg, ok := f.X.(*ast.Ident)
	if !ok {
		return call
	}
	sym := c.TryResolve(pkg.Name)
	if sym == nil || asImport(&sym.Bind) == nil {
		return call
	}
	twin, ok := e.options.Bindings[asImport(&sym.Bind).Path].Binds[f.Sel.Name]
	result := e.twinResult(c, f.Sel.Name, types[0], node.Args[1])
	if !ok || result == nil {
		return call
	}
	in := make([]xreflect.Type, len(call.Args))
	for i, arg := range call.Args {
		if arg.NumOut() != 1 || arg.Type == nil {
			return call
		}
		in[i] = arg.Type
	}
	return callWith(c, in, []xreflect.Type{result}, call.Args, func(args []reflect.Value) []reflect.Value {
		v := twin.Call(args)[0].Elem()
		if want := result.ReflectType(); !v.IsValid() {
			v = reflect.Zero(want)
		} else if v.Type() != want {
			v = v.Convert(want)
		}
		return []reflect.Value{v}
	})
}

// twinResult is the type of a function's result, nil if it does not follow from the first argument.
func (e *Engine) twinResult(c *fast.Comp, function string, first xreflect.Type, arg ast.Expr) xreflect.Type {
	switch function {
	case "Clone", "Compact", "CompactFunc", "Concat", "Delete", "DeleteFunc", "Insert", "Repeat", "Replace", "Grow", "Clip":
		return first
	case "Max", "Min", "MaxFunc", "MinFunc":
		if first != nil && first.Kind() == reflect.Slice {
			return first.Elem()
		}
	case "Collect", "Sorted", "SortedFunc", "SortedStableFunc":
		sequence, ok := ast.Unparen(arg).(*ast.CallExpr)
		if !ok || !isName(sequence.Fun, nameTwin) || len(sequence.Args) != 2 {
			return nil
		}
		f, ok := sequence.Args[0].(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		switch t := c.Expr1(sequence.Args[1], nil).Type; {
		case t == nil:
		case f.Sel.Name == "Keys" && t.Kind() == reflect.Map:
			return c.Universe.SliceOf(t.Key())
		case f.Sel.Name == "Values" && (t.Kind() == reflect.Map || t.Kind() == reflect.Slice):
			return c.Universe.SliceOf(t.Elem())
		}
	}
	return nil
}
