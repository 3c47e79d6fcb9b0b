package interp

import (
	"go/ast"
	"go/token"
	"strings"

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
)

// rewriter changes a cell's syntax trees, in place, into what gomacro can evaluate. Positions of the user's code stay, so that errors name the right line.
type rewriter struct {
	packagePath func(name string) string         // the path of the package that a name stands for, "" if none
	embedded    func(name ast.Expr) []*ast.Field // the methods of an interface that was declared before, nil if name is none
	interfaces  map[string]*ast.InterfaceType    // declared in this cell, by name
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
	case *ast.ExprStmt:
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
	case *ast.CallExpr:
		rw.leaveCall(c, n)
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

// leaveCall changes calls whose arguments must keep what a type defined in a cell can do: printing, showing, panicking.
func (rw *rewriter) leaveCall(c *astutil.Cursor, n *ast.CallExpr) {
	if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" && len(n.Args) == 1 {
		n.Args[0] = asValue(n.Args[0])
		return
	}
	if isName(n.Fun, "recover") && len(n.Args) == 0 {
		if _, deferred := c.Parent().(*ast.DeferStmt); !deferred {
			c.Replace(&ast.CallExpr{Fun: ident(nameRecover, n.Pos()), Lparen: n.Pos(), Args: []ast.Expr{n}, Rparen: n.End()})
		}
		return
	}
	if name, ok := rw.errorChain(n); ok {
		n.Fun = ident(name, n.Pos())
		return
	}
	name, ok := rw.printer(n)
	if !ok {
		return
	}
	nameTypes(n)
	switch c.Parent().(type) {
	case *ast.GoStmt, *ast.DeferStmt: // function and arguments are evaluated now, so the call itself must stay
		for i, arg := range n.Args {
			if _, isCall := arg.(*ast.CallExpr); !isCall || len(n.Args) > 1 {
				n.Args[i] = asValue(arg)
			}
		}
		return
	}
	c.Replace(call(name, n.Pos(), n))
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
