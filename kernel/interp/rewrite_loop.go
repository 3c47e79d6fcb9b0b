package interp

import (
	"go/ast"
	"go/token"
)

// mayNeedRange reports whether only the type of what is ranged over tells how.
func mayNeedRange(n *ast.RangeStmt) bool {
	switch x := n.X.(type) {
	case *ast.CompositeLit, *ast.SliceExpr:
		return false
	case *ast.BasicLit:
		return x.Kind != token.STRING
	}
	return true
}

// rangeStatement hands a range statement, perhaps labeled, to a builtin that sees the type of what is ranged over. The statement travels in a function
// literal, where gomacro's sorting of declarations finds the names it uses.
func rangeStatement(stmt ast.Stmt) ast.Stmt {
	carrier := &ast.FuncLit{
		Type: &ast.FuncType{Func: stmt.Pos(), Params: &ast.FieldList{}},
		Body: &ast.BlockStmt{Lbrace: stmt.Pos(), List: []ast.Stmt{stmt}, Rbrace: stmt.End()},
	}
	return &ast.ExprStmt{X: &ast.CallExpr{Fun: ident(nameRange, stmt.Pos()), Lparen: stmt.Pos(), Args: []ast.Expr{carrier}, Rparen: stmt.End()}}
}

// freshRange gives each iteration variables of its own, as Go has since 1.22, where a closure or a pointer could tell.
func freshRange(n *ast.RangeStmt) {
	if n.Tok != token.DEFINE || n.Body == nil || !captures(n.Body) {
		return
	}
	var names []ast.Expr
	for _, x := range []ast.Expr{n.Key, n.Value} {
		if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
			names = append(names, id)
		}
	}
	prepend(n.Body, names)
}

// freshFor does the same for a loop with a counter, unless its body changes the counter.
func freshFor(n *ast.ForStmt) {
	init, ok := n.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || n.Body == nil || !captures(n.Body) {
		return
	}
	var names []ast.Expr
	for _, x := range init.Lhs {
		if id, ok := x.(*ast.Ident); ok && id.Name != "_" && !assigned(n.Body, id.Name) {
			names = append(names, id)
		}
	}
	prepend(n.Body, names)
}

func prepend(body *ast.BlockStmt, names []ast.Expr) {
	if len(names) == 0 {
		return
	}
	var lhs, rhs []ast.Expr
	for _, x := range names {
		id := x.(*ast.Ident)
		lhs = append(lhs, ident(id.Name, body.Lbrace))
		rhs = append(rhs, ident(id.Name, body.Lbrace))
	}
	define := &ast.AssignStmt{Lhs: lhs, TokPos: body.Lbrace, Tok: token.DEFINE, Rhs: rhs}
	// The body becomes a block of its own, so that it may declare the same names again.
	body.List = []ast.Stmt{define, &ast.BlockStmt{Lbrace: body.Lbrace, List: orEmpty(body), Rbrace: body.Rbrace}}
}

func orEmpty(body *ast.BlockStmt) []ast.Stmt {
	if len(body.List) == 0 {
		return []ast.Stmt{&ast.EmptyStmt{Semicolon: body.Lbrace, Implicit: true}}
	}
	return body.List
}

// captures reports whether anything in body can hold on to a variable: a closure or an address.
func captures(body ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND
		}
		return !found
	})
	return found
}

// assigned reports whether body assigns to name or takes its address.
func assigned(body ast.Node, name string) bool {
	found := false
	is := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && id.Name == name
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				found = found || is(x)
			}
		case *ast.IncDecStmt:
			found = found || is(n.X)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		case *ast.RangeStmt:
			found = found || n.Tok == token.ASSIGN && (is(n.Key) || is(n.Value))
		}
		return !found
	})
	return found
}

// rangeSequence ranges over a slice or map itself where a cell ranges over the sequence of its keys or values.
func (rw *rewriter) rangeSequence(n *ast.RangeStmt) {
	path, name := rw.packageCall(n.X)
	if path != "slices" && path != "maps" {
		return
	}
	args := ast.Unparen(n.X).(*ast.CallExpr).Args
	if len(args) != 2 || n.Value != nil && name != "All" { // the function comes first
		return
	}
	switch name {
	case "Values":
		n.Key, n.Value = ident("_", n.Pos()), n.Key
		if n.Value == nil {
			n.Key = nil
		} else if n.Tok == token.ASSIGN {
			return
		}
	case "Keys", "All":
	default:
		return
	}
	n.X = args[1]
}
