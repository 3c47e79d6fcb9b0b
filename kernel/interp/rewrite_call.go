package interp

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// builtinFunctions cannot be used as values, so calls of them are put into a closure.
var builtinFunctions = map[string]bool{"append": true, "cap": true, "clear": true, "close": true, "complex": true, "copy": true, "delete": true, "imag": true,
	"len": true, "make": true, "max": true, "min": true, "new": true, "panic": true, "print": true, "println": true, "real": true, "recover": true}

// guarded makes the call of a go statement one whose panic is reported instead of ending the kernel.
func guarded(c *ast.CallExpr) *ast.CallExpr {
	id, _ := c.Fun.(*ast.Ident)
	if id != nil && (builtinFunctions[id.Name] || id.Name[0] > 0x7f) {
		literal := &ast.FuncLit{
			Type: &ast.FuncType{Func: c.Pos(), Params: &ast.FieldList{}},
			Body: &ast.BlockStmt{Lbrace: c.Pos(), List: []ast.Stmt{&ast.ExprStmt{X: c}}, Rbrace: c.End()},
		}
		c = &ast.CallExpr{Fun: literal, Lparen: c.Pos(), Rparen: c.End()}
	}
	return call(nameGo, c.Pos(), c)
}

// call makes f(a, b...) name(f, a, b...).
func call(name string, pos token.Pos, c *ast.CallExpr) *ast.CallExpr {
	return &ast.CallExpr{Fun: ident(name, pos), Lparen: c.Lparen, Args: append([]ast.Expr{c.Fun}, c.Args...), Ellipsis: c.Ellipsis, Rparen: c.Rparen}
}

func isCall(x ast.Expr, name string) bool {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := c.Fun.(*ast.Ident)
	return ok && id.Name == name
}

func ident(name string, pos token.Pos) *ast.Ident { return &ast.Ident{Name: name, NamePos: pos} }

// printer recognises calls of functions that print their arguments, which must see methods of types defined in cells.
func (rw *rewriter) printer(c *ast.CallExpr) (string, bool) {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return nameDisplay, f.Name == "Display" && !c.Ellipsis.IsValid()
	case *ast.SelectorExpr:
		if pkg, ok := f.X.(*ast.Ident); ok && !c.Ellipsis.IsValid() && len(c.Args) > 0 {
			path := rw.packagePath(pkg.Name)
			return nameCall, path == "fmt" || path == "log"
		}
	}
	return "", false
}

// packageCall names package and function of a call like strings.Repeat(...).
func (rw *rewriter) packageCall(x ast.Expr) (path, name string) {
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	if isName(c.Fun, nameTwin) {
		return rw.packageCall(&ast.CallExpr{Fun: c.Args[0]})
	}
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	pkg, ok := f.X.(*ast.Ident)
	if !ok {
		return "", ""
	}
	return rw.packagePath(pkg.Name), f.Sel.Name
}

// errorChain recognises errors.Is and errors.As, which must see types defined in cells.
func (rw *rewriter) errorChain(c *ast.CallExpr) (string, bool) {
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || len(c.Args) != 2 {
		return "", false
	}
	if pkg, ok := f.X.(*ast.Ident); !ok || rw.packagePath(pkg.Name) != "errors" {
		return "", false
	}
	name, ok := map[string]string{"Is": nameIs, "As": nameAs}[f.Sel.Name]
	return name, ok
}

// leaveCall changes calls whose arguments must keep what a type defined in a cell can do: printing, showing, panicking. False: it is none of these.
func (rw *rewriter) leaveCall(c *astutil.Cursor, n *ast.CallExpr) (done bool) {
	if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" && len(n.Args) == 1 {
		n.Args[0] = asValue(n.Args[0])
		return true
	}
	if isName(n.Fun, "recover") && len(n.Args) == 0 {
		if _, deferred := c.Parent().(*ast.DeferStmt); !deferred {
			c.Replace(&ast.CallExpr{Fun: ident(nameRecover, n.Pos()), Lparen: n.Pos(), Args: []ast.Expr{n}, Rparen: n.End()})
		}
		return true
	}
	if path, _ := rw.packageCall(n); path == "slices" || path == "maps" {
		switch c.Parent().(type) {
		case *ast.TypeAssertExpr, *ast.GoStmt, *ast.DeferStmt:
			return true
		}
		c.Replace(call(nameTwin, n.Pos(), n))
		return true
	}
	if name, ok := rw.errorChain(n); ok {
		n.Fun = ident(name, n.Pos())
		return true
	}
	guardGoroutine(n)
	name, ok := rw.printer(n)
	if !ok {
		return false
	}
	nameTypes(n)
	switch c.Parent().(type) {
	case *ast.GoStmt, *ast.DeferStmt: // function and arguments are evaluated now, so the call itself must stay
		for i, arg := range n.Args {
			if _, isCall := arg.(*ast.CallExpr); !isCall || len(n.Args) > 1 {
				n.Args[i] = asValue(arg)
			}
		}
		return true
	}
	c.Replace(call(name, n.Pos(), n))
	return true
}

// guardGoroutine makes a function literal that compiled code runs in a goroutine, like wg.Go(func() {...}), report its panic instead of ending the kernel.
func guardGoroutine(n *ast.CallExpr) {
	f, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || len(n.Args) == 0 || f.Sel.Name != "Go" && f.Sel.Name != "AfterFunc" {
		return
	}
	literal, ok := n.Args[len(n.Args)-1].(*ast.FuncLit)
	if !ok || literal.Type.Params.NumFields() > 0 {
		return
	}
	pos := literal.Pos()
	invoke := func(name string, args ...ast.Expr) *ast.CallExpr {
		return &ast.CallExpr{Fun: ident(name, pos), Lparen: pos, Args: args, Rparen: pos}
	}
	report := &ast.BlockStmt{Lbrace: pos, List: []ast.Stmt{&ast.ExprStmt{X: invoke(namePanicked, invoke("recover"))}}, Rbrace: pos}
	deferred := &ast.FuncLit{Type: &ast.FuncType{Func: pos, Params: &ast.FieldList{}}, Body: report}
	guard := &ast.DeferStmt{Defer: pos, Call: &ast.CallExpr{Fun: deferred, Lparen: pos, Rparen: pos}}
	literal.Body.List = append([]ast.Stmt{guard}, literal.Body.List...)
}

// deferBuiltin defers a function literal instead of a builtin function, which gomacro cannot defer. Inside functions, its arguments are still evaluated now.
func (rw *rewriter) deferBuiltin(c *astutil.Cursor, n *ast.DeferStmt) {
	id, ok := n.Call.Fun.(*ast.Ident)
	if !ok || !builtinFunctions[id.Name] {
		return
	}
	body := &ast.BlockStmt{Lbrace: n.Pos(), Rbrace: n.End()}
	if id.Name != "recover" { // which stops a panic only where a deferred function calls it
		for i, arg := range n.Call.Args {
			if _, literal := arg.(*ast.BasicLit); literal || c.Index() < 0 { // there is no place before a labelled statement, or at the top level
				continue
			}
			rw.deferred++
			name := fmt.Sprintf("·deferred%d", rw.deferred)
			c.InsertBefore(&ast.AssignStmt{Lhs: []ast.Expr{ident(name, arg.Pos())}, TokPos: arg.Pos(), Tok: token.DEFINE, Rhs: []ast.Expr{arg}})
			n.Call.Args[i] = ident(name, arg.Pos())
		}
		body.List = []ast.Stmt{&ast.ExprStmt{X: n.Call}}
	}
	literal := &ast.FuncLit{Type: &ast.FuncType{Func: n.Pos(), Params: &ast.FieldList{}}, Body: body}
	n.Call = &ast.CallExpr{Fun: literal, Lparen: n.Pos(), Rparen: n.End()}
}

// singleValue marks a call whose only argument could also give v, ok: gomacro would pass both.
func singleValue(c *astutil.Cursor, n *ast.CallExpr) {
	if len(n.Args) != 1 || n.Ellipsis.IsValid() {
		return
	}
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		if builtinFunctions[f.Name] || f.Name[0] > 0x7f || types.Universe.Lookup(f.Name) != nil {
			return // a builtin or a conversion
		}
	case *ast.SelectorExpr, *ast.FuncLit, *ast.CallExpr, *ast.IndexExpr, *ast.TypeAssertExpr:
	default:
		return // a conversion
	}
	switch ast.Unparen(n.Args[0]).(type) {
	case *ast.IndexExpr, *ast.TypeAssertExpr:
		switch c.Parent().(type) {
		case *ast.GoStmt, *ast.DeferStmt:
			n.Args[0] = variable(n.Args[0])
		default:
			c.Replace(call(nameOne, n.Pos(), n))
		}
	}
}

// nameTypes makes the verb %T of a format print the name of a type that is defined in a cell, of which a value alone knows nothing.
func nameTypes(c *ast.CallExpr) {
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || !strings.HasSuffix(f.Sel.Name, "f") {
		return
	}
	for i, arg := range c.Args[:min(2, len(c.Args))] { // the writer of Fprintf comes first
		lit, ok := arg.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		format, verbs := typeVerbs(lit.Value)
		for _, n := range verbs {
			if n += i + 1; n < len(c.Args) {
				c.Args[n] = &ast.CallExpr{Fun: ident(nameType, c.Args[n].Pos()), Lparen: c.Args[n].Pos(), Args: []ast.Expr{c.Args[n]}, Rparen: c.Args[n].End()}
			}
		}
		if len(verbs) > 0 {
			c.Args[i] = &ast.BasicLit{ValuePos: lit.ValuePos, Kind: lit.Kind, Value: format}
		}
		return
	}
}

// typeVerbs replaces each %T of a format by %s and says which arguments they print. Formats that number their arguments are left alone.
func typeVerbs(format string) (replaced string, args []int) {
	b := []byte(format)
	n := 0
	for i := 0; i < len(b); i++ {
		if b[i] != '%' {
			continue
		}
		for i++; i < len(b) && strings.IndexByte("+-# 0123456789.*", b[i]) >= 0; i++ {
			if b[i] == '*' {
				n++
			}
		}
		if i >= len(b) || b[i] == '%' {
			continue
		}
		if b[i] == '[' {
			return format, nil
		}
		if b[i] == 'T' {
			b[i] = 's'
			args = append(args, n)
		}
		n++
	}
	return string(b), args
}

// asValue makes an expression one of type interface{} that prints by the methods of its type.
func asValue(x ast.Expr) ast.Expr {
	return &ast.CallExpr{Fun: ident(nameValue, x.Pos()), Lparen: x.Pos(), Args: []ast.Expr{x}, Rparen: x.End()}
}
