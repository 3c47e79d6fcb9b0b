package interp

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/astutil"
)

// Names of this package's own builtins. No Go identifier contains a middle dot, so cells can neither use nor shadow them.
const (
	nameRange   = "·range"
	nameGo      = "·go"
	nameDefer   = "·defer"
	nameCall    = "·call"
	nameDisplay = "·display"
	nameValue   = "·value"
	nameSame    = "·same"
	nameSent    = "·sent"
	nameRecover = "·recovered"
	nameReceive = "·receive"
	nameRecvOK  = "·receiveOK"
	nameSend    = "·send"
	nameEnded   = "·ended"
	nameStop    = "·stop"
	nameIs      = "·errorsIs"
	nameAs      = "·errorsAs"
	nameType    = "·typeName"
	nameArgs    = "·args"
	nameElem    = "·elem"
	nameTwin    = "·twin"
	nameOne     = "·one"

	namePanicked = "·panicked"
)

// rewriter changes a cell's syntax trees, in place, into what gomacro can evaluate. Positions of the user's code stay, so that errors name the right line.
type rewriter struct {
	packagePath func(name string) string         // the path of the package that a name stands for, "" if none
	embedded    func(name ast.Expr) []*ast.Field // the methods of an interface that was declared before, nil if name is none
	basics      *basicTypes                      // nil if the session has none
	interfaces  map[string]*ast.InterfaceType    // declared in this cell, by name
	isType      func(name ast.Expr) bool         // whether a name, also of a package, is a type of the session
	pointers    bool                             // types of cells have methods
	deferred    int                              // arguments of deferred builtins so far
}

// rewrite returns the cell's nodes rewritten. One node can become several.
func (rw *rewriter) rewrite(nodes []ast.Node) []ast.Node {
	rw.interfaces = make(map[string]*ast.InterfaceType)
	for _, node := range nodes {
		ast.Inspect(node, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if t, ok := spec.Type.(*ast.InterfaceType); ok {
					rw.interfaces[spec.Name.Name] = t
				}
			}
			return true
		})
	}
	var out []ast.Node
	for _, node := range nodes {
		node = astutil.Apply(node, nil, rw.leave)
		out = append(out, topLevel(node)...)
	}
	return out
}

// mismatch finds an operation between a literal text and a literal number, which gomacro would carry out; nil if there is none.
func mismatch(nodes []ast.Node) (found *ast.BinaryExpr) {
	for _, node := range nodes {
		ast.Inspect(node, func(n ast.Node) bool {
			b, ok := n.(*ast.BinaryExpr)
			if !ok || found != nil {
				return found == nil
			}
			x, isX := ast.Unparen(b.X).(*ast.BasicLit)
			y, isY := ast.Unparen(b.Y).(*ast.BasicLit)
			if isX && isY && (x.Kind == token.STRING) != (y.Kind == token.STRING) {
				found = b
			}
			return true
		})
	}
	return found
}

// topLevel rewrites what gomacro does differently outside functions.
func topLevel(node ast.Node) []ast.Node {
	switch n := node.(type) {
	case *ast.GenDecl:
		if n.Tok == token.VAR {
			return splitVar(n)
		}
	case *ast.DeclStmt:
		return topLevel(n.Decl)
	case *ast.DeferStmt: // gomacro would run it at the end of this very statement
		return []ast.Node{call(nameDefer, n.Pos(), n.Call)}
	case *ast.TypeAssertExpr: // a value, not v, ok
		return []ast.Node{variable(n)}
	case *ast.ParenExpr:
		return topLevel(n.X)
	case *ast.ExprStmt:
		if t, ok := ast.Unparen(n.X).(*ast.TypeAssertExpr); ok {
			n.X = variable(t)
		}
		if isCall(n.X, nameRange) { // compiles to statements, for which only a block has room
			return []ast.Node{&ast.BlockStmt{Lbrace: n.Pos(), List: []ast.Stmt{n}, Rbrace: n.End()}}
		}
	case *ast.FuncDecl:
		if n.Body == nil { // a signature, as documentation
			return nil
		}
	}
	return []ast.Node{node}
}

// splitVar makes "var a, b = f()" an assignment: gomacro cannot order such a declaration among others.
func splitVar(decl *ast.GenDecl) []ast.Node {
	var out []ast.Node
	single := true
	for _, spec := range decl.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if ok && len(v.Names) > 1 && len(v.Values) == 1 {
			single = false
		}
	}
	if single {
		return []ast.Node{decl}
	}
	for _, spec := range decl.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || len(v.Names) < 2 || len(v.Values) != 1 {
			out = append(out, &ast.GenDecl{TokPos: spec.Pos(), Tok: token.VAR, Specs: []ast.Spec{spec}})
			continue
		}
		tok := token.DEFINE
		if v.Type != nil {
			tok = token.ASSIGN
			for _, name := range v.Names {
				if name.Name != "_" {
					one := &ast.ValueSpec{Names: []*ast.Ident{name}, Type: v.Type}
					out = append(out, &ast.GenDecl{TokPos: v.Pos(), Tok: token.VAR, Specs: []ast.Spec{one}})
				}
			}
		}
		assign := &ast.AssignStmt{TokPos: v.Pos(), Tok: tok, Rhs: v.Values}
		for _, name := range v.Names {
			assign.Lhs = append(assign.Lhs, name)
		}
		out = append(out, assign)
	}
	return out
}

// leave rewrites a node after its children.
func (rw *rewriter) leave(c *astutil.Cursor) bool {
	switch n := c.Node().(type) {
	case *ast.SelectorExpr:
		if id, ok := n.X.(*ast.Ident); ok && id.Name == embeddedMark {
			n.Sel.NamePos = id.NamePos
			c.Replace(n.Sel)
		} else if _, ok := n.X.(*ast.CompositeLit); ok { // gomacro takes the T{} of T{}.x for a type
			n.X = &ast.CallExpr{Fun: ident(nameSame, n.X.Pos()), Lparen: n.X.Pos(), Args: []ast.Expr{n.X}, Rparen: n.X.End()}
		}
	case *ast.InterfaceType:
		rw.flatten(n, 0)
	case *ast.RangeStmt:
		rw.rangeSequence(n)
		freshRange(n)
		if _, labeled := c.Parent().(*ast.LabeledStmt); !labeled && mayNeedRange(n) {
			c.Replace(rangeStatement(n))
		}
	case *ast.ForStmt:
		freshFor(n)
	case *ast.LabeledStmt:
		if r, ok := n.Stmt.(*ast.RangeStmt); ok && mayNeedRange(r) {
			c.Replace(rangeStatement(n))
		}
	case *ast.GoStmt:
		n.Call = guarded(n.Call)
	case *ast.DeferStmt:
		rw.deferBuiltin(c, n)
	case *ast.CallExpr:
		if rw.leaveCall(c, n) {
			return true
		}
		singleValue(c, n)
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			c.Replace(receive(c, n))
		}
	case *ast.SendStmt:
		if _, ok := c.Parent().(*ast.CommClause); !ok || c.Name() != "Comm" {
			c.Replace(&ast.ExprStmt{X: &ast.CallExpr{Fun: ident(nameSend, n.Pos()), Lparen: n.Pos(), Args: []ast.Expr{n.Chan, n.Value}, Rparen: n.End()}})
		}
	case *ast.CommClause:
		unmark(n)
	case *ast.SelectStmt:
		interruptible(n)
	}
	if rw.pointers {
		rw.leavePointer(c)
	}
	if rw.basics != nil {
		rw.basics.leave(c)
	}
	return true
}

// flatten replaces embedded interfaces by their methods: gomacro puts methods of embedded interfaces into another order than it looks for them.
func (rw *rewriter) flatten(t *ast.InterfaceType, depth int) {
	if t.Methods == nil || depth > 20 {
		return
	}
	var fields []*ast.Field
	seen := make(map[string]bool)
	add := func(list []*ast.Field) {
		for _, f := range list {
			if len(f.Names) == 1 {
				if seen[f.Names[0].Name] {
					continue
				}
				seen[f.Names[0].Name] = true
			}
			fields = append(fields, f)
		}
	}
	for _, f := range t.Methods.List {
		if _, method := f.Type.(*ast.FuncType); method || len(f.Names) > 0 {
			add([]*ast.Field{f})
			continue
		}
		name := f.Type
		if sel, ok := name.(*ast.SelectorExpr); ok && isName(sel.X, embeddedMark) {
			name = sel.Sel
		}
		if id, ok := name.(*ast.Ident); ok && rw.interfaces[id.Name] != nil && rw.interfaces[id.Name] != t {
			rw.flatten(rw.interfaces[id.Name], depth+1)
			add(rw.interfaces[id.Name].Methods.List)
		} else if methods := rw.embedded(name); methods != nil {
			add(methods)
		} else {
			fields = append(fields, &ast.Field{Type: name})
		}
	}
	t.Methods.List = fields
}

func isName(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}

// receive makes <-c a call that an interrupt can stop.
func receive(c *astutil.Cursor, n *ast.UnaryExpr) ast.Expr {
	name := nameReceive
	switch p := c.Parent().(type) {
	case *ast.AssignStmt:
		if len(p.Lhs) == 2 && len(p.Rhs) == 1 {
			name = nameRecvOK
		}
	case *ast.ValueSpec:
		if len(p.Names) == 2 && len(p.Values) == 1 {
			name = nameRecvOK
		}
	}
	return &ast.CallExpr{Fun: ident(name, n.Pos()), Lparen: n.Pos(), Args: []ast.Expr{n.X}, Rparen: n.End()}
}

// unmark gives the case of a select statement its receive operation back.
func unmark(n *ast.CommClause) {
	restore := func(x ast.Expr) ast.Expr {
		if isCall(x, nameReceive) || isCall(x, nameRecvOK) {
			return &ast.UnaryExpr{OpPos: x.Pos(), Op: token.ARROW, X: x.(*ast.CallExpr).Args[0]}
		}
		return x
	}
	switch s := n.Comm.(type) {
	case *ast.ExprStmt:
		s.X = restore(s.X)
	case *ast.AssignStmt:
		if len(s.Rhs) == 1 {
			s.Rhs[0] = restore(s.Rhs[0])
		}
	case *ast.SendStmt: // gomacro does not give an untyped constant the type of the channel's elements
		s.Value = &ast.CallExpr{Fun: ident(nameSent, s.Value.Pos()), Lparen: s.Value.Pos(), Args: []ast.Expr{s.Chan, s.Value}, Rparen: s.Value.End()}
	}
}

// interruptible adds a case to a select statement that would otherwise block for ever.
func interruptible(n *ast.SelectStmt) {
	for _, stmt := range n.Body.List {
		if c, ok := stmt.(*ast.CommClause); ok && c.Comm == nil {
			return // has a default
		}
	}
	pos := n.Select
	ended := &ast.UnaryExpr{OpPos: pos, Op: token.ARROW, X: &ast.CallExpr{Fun: ident(nameEnded, pos), Lparen: pos, Rparen: pos}}
	stop := &ast.ExprStmt{X: &ast.CallExpr{Fun: ident(nameStop, pos), Lparen: pos, Rparen: pos}}
	n.Body.List = append(n.Body.List, &ast.CommClause{Case: pos, Comm: &ast.ExprStmt{X: ended}, Colon: pos, Body: []ast.Stmt{stop}})
}
