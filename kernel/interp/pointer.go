package interp

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
	"golang.org/x/tools/go/ast/astutil"
)

// A pointer to a type of a cell is a value of a compiled interface also by the methods that take the value, as the heap of container/heap has them. gomacro
// passes those methods the pointer. Here the functions behind the interface are replaced by such that follow it, in calls, declarations with a type, and returns.

// hasMethods reports whether the session or the cell declares methods; without, calls need no rewriting.
func (e *Engine) hasMethods(nodes []ast.Node) bool {
	for name := range e.docs {
		if strings.Contains(name, ".") {
			return true
		}
	}
	for _, node := range nodes {
		if f, ok := node.(*ast.FuncDecl); ok && f.Recv != nil {
			return true
		}
	}
	return false
}

// leavePointer rewrites a node where pointers may become interfaces.
func (rw *rewriter) leavePointer(c *astutil.Cursor) {
	switch n := c.Node().(type) {
	case *ast.CallExpr:
		switch c.Parent().(type) {
		case *ast.GoStmt, *ast.DeferStmt:
			return
		}
		switch f := n.Fun.(type) {
		case *ast.Ident:
			if builtinFunctions[f.Name] || f.Name[0] > 0x7f || types.Universe.Lookup(f.Name) != nil || rw.isType(f) {
				return
			}
		case *ast.SelectorExpr:
			if rw.isType(f) {
				return
			}
		default:
			return
		}
		for _, x := range n.Args {
			if _, ok := x.(*ast.Ident); ok && mayBe(x) || isAddress(x) {
				c.Replace(call(nameArgs, n.Pos(), n))
				return
			}
		}
	case *ast.ValueSpec:
		if decl, ok := c.Parent().(*ast.GenDecl); ok && decl.Tok == token.VAR && n.Type != nil {
			for i := range n.Values {
				n.Values[i] = asInterface(n.Type, n.Values[i])
			}
		}
	case *ast.FuncDecl:
		returnPointers(n.Type, n.Body)
	case *ast.FuncLit:
		returnPointers(n.Type, n.Body)
	}
}

// returnPointers converts the results of a function that are addresses.
func returnPointers(t *ast.FuncType, body *ast.BlockStmt) {
	var results []ast.Expr
	if t.Results == nil || body == nil {
		return
	}
	for _, f := range t.Results.List {
		for range max(1, len(f.Names)) {
			results = append(results, f.Type)
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for i := range n.Results {
				if len(n.Results) == len(results) {
					n.Results[i] = asInterface(results[i], n.Results[i])
				}
			}
		}
		return true
	})
}

// asInterface converts an address explicitly where the type may be a compiled interface.
func asInterface(t, x ast.Expr) ast.Expr {
	if _, ok := t.(*ast.SelectorExpr); !isAddress(x) || !ok && !isName(t, "error") {
		return x
	}
	return &ast.CallExpr{Fun: ident(nameOne, x.Pos()), Lparen: x.Pos(), Args: []ast.Expr{t, x}, Rparen: x.End()}
}

func isAddress(x ast.Expr) bool {
	u, ok := x.(*ast.UnaryExpr)
	return ok && u.Op == token.AND
}

// followed gives the converter of pointers to a compiled interface some of whose methods take the value; nil if none does.
func followed(c *fast.Comp, t, want xreflect.Type) func(v xreflect.Value) xreflect.Value {
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Name() == "" || t.ReflectType() == nil || t.Elem().ReflectType().Name() == t.Elem().Name() ||
		want.Kind() != reflect.Interface || want.NumMethod() == 0 || xreflect.IsEmulatedInterface(want) || !t.Implements(want) {
		return nil
	}
	proxy := c.InterfaceProxy(want)
	functions := make(map[int]reflect.Value)
	for i := range want.ReflectType().NumMethod() {
		out := want.ReflectType().Method(i)
		m, found := t.Elem().MethodByName(out.Name, out.PkgPath)
		if found != 1 || m.Funs == nil || len(m.FieldIndex) > 0 || m.Type.In(0).Kind() == reflect.Pointer {
			continue
		}
		functions[i+1] = reflect.MakeFunc(proxy.Field(i+1).Type, func(args []reflect.Value) []reflect.Value {
			h, ok := args[0].Interface().(xreflect.InterfaceHeader)
			if p := h.Value().ReflectValue(); ok && p.Kind() == reflect.Pointer {
				if p.IsNil() {
					panic(mistake("invalid memory address or nil pointer dereference"))
				}
				args[0] = own(xreflect.MakeValue(p.Elem()))
			}
			f := (*m.Funs)[m.Index]
			if f.Type().IsVariadic() {
				return f.CallSlice(args)
			}
			return f.Call(args)
		})
	}
	conv := c.Converter(t, want)
	if conv == nil || len(functions) == 0 {
		return nil
	}
	return func(v xreflect.Value) xreflect.Value {
		made := conv(v)
		fields := reflect.ValueOf(made.Interface()).Elem()
		for i, f := range functions {
			fields.Field(i).Set(f)
		}
		return made
	}
}

// isType reports whether a name is a type of the session.
func (e *Engine) isType(name ast.Expr) bool {
	switch x := name.(type) {
	case *ast.Ident:
		return e.ir.Comp.TryResolveType(x.Name) != nil
	case *ast.SelectorExpr:
		if pkg, ok := x.X.(*ast.Ident); ok {
			imp := e.imported(pkg.Name)
			return imp != nil && imp.Types[x.Sel.Name] != nil
		}
	}
	return false
}
