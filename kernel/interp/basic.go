package interp

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"strings"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
	"golang.org/x/tools/go/ast/astutil"
)

// gomacro forgets to convert a number or a string whose type has methods when it becomes an interface, except in assignments; constants it does not
// convert at all. Where a session has such types, values that may be of them get an explicit conversion. The rewriting costs time, so other sessions are spared.

// basicTypes is what the rewriting has to know of the session's types of basic kinds with methods.
type basicTypes struct {
	engine    *Engine
	types     map[string]bool          // with methods
	constants map[string]bool          // that may be of such a type
	declared  map[string]*ast.TypeSpec // in this cell, also inside functions
}

// basicTypes looks for types of basic kinds with methods, among those of the session and of the cell; nil if there are none.
func (e *Engine) basicTypes(nodes []ast.Node) *basicTypes {
	b := &basicTypes{engine: e, types: make(map[string]bool), constants: make(map[string]bool), declared: make(map[string]*ast.TypeSpec)}
	methods := make(map[string]bool)
	for name := range e.docs {
		if owner, _, ok := strings.Cut(name, "."); ok {
			if t := e.ir.Comp.TryResolveType(owner); t != nil && basic(t.Kind()) {
				b.types[owner] = true
			}
		}
	}
	for _, node := range nodes {
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				b.declared[n.Name.Name] = n
			case *ast.FuncDecl:
				if n.Recv != nil && len(n.Recv.List) == 1 {
					methods[strings.Trim(receiver(n.Recv.List[0].Type), "(*)")] = true
				}
			}
			return true
		})
	}
	for name, spec := range b.declared {
		delete(b.types, name)
		if methods[name] && e.basicType(spec.Type) {
			b.types[name] = true
		}
	}
	if len(b.types) == 0 {
		return nil
	}
	for name, bind := range e.ir.Comp.Binds {
		if bind.Desc.Class() == fast.ConstBind && bind.Type != nil && b.types[bind.Type.Name()] {
			b.constants[name] = true
		}
	}
	for _, node := range nodes {
		ast.Inspect(node, func(n ast.Node) bool {
			if decl, ok := n.(*ast.GenDecl); ok && decl.Tok == token.CONST {
				for _, spec := range decl.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						b.constants[name.Name] = true
					}
				}
			}
			return true
		})
	}
	return b
}

func basic(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String
}

// basicType reports whether a declared type is of a basic kind.
func (e *Engine) basicType(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		t := e.ir.Comp.TryResolveType(x.Name)
		return t == nil || basic(t.Kind()) // nil: a type of this cell
	case *ast.SelectorExpr: // time.Duration
		return true
	}
	return false
}

// mayBe reports whether an expression can be a value of such a type.
func mayBe(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit, *ast.FuncLit, *ast.CompositeLit:
		return false
	case *ast.Ident:
		return x.Name != "nil" && x.Name != "true" && x.Name != "false" && x.Name != "_"
	case *ast.UnaryExpr:
		return x.Op != token.AND
	}
	return true
}

// constant reports whether an expression is a constant of such a type.
func (b *basicTypes) constant(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return b.constants[x.Name]
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		return ok && b.types[id.Name] && len(x.Args) == 1
	}
	return false
}

// variable makes a constant a value like any other.
func variable(x ast.Expr) ast.Expr {
	return &ast.CallExpr{Fun: ident(nameSame, x.Pos()), Lparen: x.Pos(), Args: []ast.Expr{x}, Rparen: x.End()}
}

func (b *basicTypes) variables(list []ast.Expr) {
	for i, x := range list {
		if b.constant(x) {
			list[i] = variable(x)
		}
	}
}

// leave rewrites a node after its children.
func (b *basicTypes) leave(c *astutil.Cursor) {
	switch n := c.Node().(type) {
	case *ast.ReturnStmt:
		b.variables(n.Results)
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN || n.Tok == token.DEFINE {
			b.variables(n.Rhs)
		}
	case *ast.ValueSpec:
		if decl, ok := c.Parent().(*ast.GenDecl); ok && decl.Tok == token.VAR {
			b.variables(n.Values)
		}
	case *ast.CompositeLit:
		b.elements(n)
	case *ast.CallExpr:
		b.call(c, n)
	}
}

// call makes the arguments of calls be converted to the parameters' types.
func (b *basicTypes) call(c *astutil.Cursor, n *ast.CallExpr) {
	switch c.Parent().(type) {
	case *ast.GoStmt, *ast.DeferStmt:
		return
	}
	if isName(n.Fun, "append") && len(n.Args) > 1 && !n.Ellipsis.IsValid() {
		for i, x := range n.Args[1:] {
			if mayBe(x) {
				n.Args[i+1] = &ast.CallExpr{Fun: ident(nameElem, x.Pos()), Lparen: x.Pos(), Args: []ast.Expr{n.Args[0], x}, Rparen: x.End()}
			}
		}
		return
	}
	if b.conversion(n) {
		if len(n.Args) == 1 && b.constant(n.Args[0]) && b.isInterface(n.Fun) {
			n.Args[0] = variable(n.Args[0])
		}
		return
	}
	for _, x := range n.Args {
		if mayBe(x) {
			c.Replace(call(nameArgs, n.Pos(), n))
			return
		}
	}
}

// conversion reports whether what looks like a call is none: a conversion or a builtin function.
func (b *basicTypes) conversion(n *ast.CallExpr) bool {
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		return builtinFunctions[f.Name] || f.Name[0] > 0x7f && strings.HasPrefix(f.Name, "·") || b.declared[f.Name] != nil || b.engine.ir.Comp.TryResolveType(f.Name) != nil
	case *ast.SelectorExpr:
		return b.qualifiedType(f) != nil
	case *ast.FuncLit, *ast.CallExpr, *ast.IndexExpr, *ast.TypeAssertExpr:
		return false
	}
	return true
}

func (b *basicTypes) qualifiedType(s *ast.SelectorExpr) xreflect.Type {
	if pkg, ok := s.X.(*ast.Ident); ok {
		if imp := b.engine.imported(pkg.Name); imp != nil {
			return imp.Types[s.Sel.Name]
		}
	}
	return nil
}

// isInterface reports whether a type expression is known to be an interface with methods.
func (b *basicTypes) isInterface(x ast.Expr) bool {
	var t xreflect.Type
	switch x := x.(type) {
	case *ast.InterfaceType:
		return x.Methods.NumFields() > 0
	case *ast.Ident:
		if spec := b.declared[x.Name]; spec != nil {
			return b.isInterface(spec.Type)
		}
		t = b.engine.ir.Comp.TryResolveType(x.Name)
	case *ast.SelectorExpr:
		t = b.qualifiedType(x)
	}
	return t != nil && t.Kind() == reflect.Interface && t.NumMethod() > 0
}

// elements converts the elements of a literal whose type is an interface.
func (b *basicTypes) elements(n *ast.CompositeLit) {
	var elem func(i int, key ast.Expr) ast.Expr // the type of an element, nil if it is not an interface
	switch t := n.Type.(type) {
	case *ast.ArrayType:
		elem = func(int, ast.Expr) ast.Expr { return t.Elt }
	case *ast.MapType:
		elem = func(int, ast.Expr) ast.Expr { return t.Value }
	case *ast.StructType, *ast.Ident:
		elem = b.fieldType(n.Type)
	}
	if elem == nil {
		return
	}
	for i, x := range n.Elts {
		var key ast.Expr
		pair, isPair := x.(*ast.KeyValueExpr)
		if isPair {
			key, x = pair.Key, pair.Value
		}
		t := elem(i, key)
		if t == nil || !mayBe(x) || !b.isInterface(t) {
			continue
		}
		if b.constant(x) {
			x = variable(x)
		}
		x = &ast.CallExpr{Fun: t, Lparen: x.Pos(), Args: []ast.Expr{x}, Rparen: x.End()}
		if isPair {
			pair.Value = x
		} else {
			n.Elts[i] = x
		}
	}
}

// fieldType gives the types of a struct's fields, by place or by name.
func (b *basicTypes) fieldType(x ast.Expr) func(i int, key ast.Expr) ast.Expr {
	list, ok := x.(*ast.StructType)
	id, named := x.(*ast.Ident)
	if named && b.declared[id.Name] != nil {
		list, ok = b.declared[id.Name].Type.(*ast.StructType)
	}
	if ok {
		return func(i int, key ast.Expr) ast.Expr {
			n := 0
			for _, f := range list.Fields.List {
				for _, name := range f.Names {
					if key == nil && n == i || key != nil && isName(key, name.Name) {
						return f.Type
					}
					n++
				}
				if len(f.Names) == 0 {
					n++
				}
			}
			return nil
		}
	}
	if !named {
		return nil
	}
	c := b.engine.ir.Comp
	t := c.TryResolveType(id.Name)
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	return func(i int, key ast.Expr) ast.Expr {
		for n := range t.NumField() {
			f := t.Field(n)
			if (key == nil && n == i || key != nil && isName(key, f.Name)) && f.Type.Kind() == reflect.Interface && f.Type.NumMethod() > 0 {
				alias := fmt.Sprintf("·field%d", len(c.TopComp().Types))
				c.TopComp().Types[alias] = f.Type
				return ident(alias, x.Pos())
			}
		}
		return nil
	}
}

// compileArgsCall compiles a call whose arguments are converted to the parameters' types.
func (e *Engine) compileArgsCall(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	if len(node.Args) == 2 { // perhaps a conversion to a type of this cell
		return e.compileOne(c, sym, node)
	}
	return e.prepare(c, node, nil)
}

// compileElem compiles a value that is converted to the type of a slice's elements.
func (e *Engine) compileElem(c *fast.Comp, _ fast.Symbol, node *ast.CallExpr) *fast.Call {
	slice, arg := c.Expr1(node.Args[0], nil), c.Expr1(node.Args[1], nil)
	if slice.Type == nil || slice.Type.Kind() != reflect.Slice {
		c.Errorf("append to %v <%v>, which is not a slice", node.Args[0], slice.Type)
	}
	elem := slice.Type.Elem()
	e.convertTo(c, arg, elem)
	types := []xreflect.Type{elem}
	return callWith(c, types, types, []*fast.Expr{arg}, func(args []reflect.Value) []reflect.Value { return args })
}
