package interp

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/cosmos72/gomacro/ast2"
	"github.com/cosmos72/gomacro/fast"

	"github.com/spherelab/spherelab/kernel"
)

// chunk is a part of a piece of code that is compiled and run at once: a statement, an expression, or declarations that may refer to each other.
type chunk struct {
	nodes []ast.Node
	expr  *fast.Expr
}

// program is a piece of code that was compiled as a whole.
type program struct {
	src    *source
	chunks []chunk
	last   ending
	before *names // declared before it was compiled
}

// ending is what the last statement of a program is, as far as it matters for what is shown.
type ending int

const (
	silent ending = iota // no expression: nothing to show
	plain
	prints  // a call that prints: how many bytes it wrote is not worth showing
	returns // another call: its last result may be an error
	commaOK // an expression that can give a second value, ok
)

// endingOf classifies the last of nodes, before it is rewritten.
func (e *Engine) endingOf(nodes []ast.Node) ending {
	if len(nodes) == 0 {
		return silent
	}
	x, ok := expression(nodes[len(nodes)-1])
	if !ok {
		return silent
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr:
		if e.prints1(x) {
			return prints
		}
		return returns
	case *ast.TypeAssertExpr, *ast.IndexExpr:
		return commaOK
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return commaOK
		}
	}
	return plain
}

// compile parses, rewrites and compiles. If it fails, the names that were declared so far are as before.
func (e *Engine) compile(number int, text string, firstLine int) (p program, failure *kernel.CellError) {
	e.code.Lock()
	defer e.code.Unlock()
	nodes, src, failure := e.parse(number, text, firstLine)
	p.src = src
	if failure != nil {
		return p, failure
	}
	p.before = noteNames(e.ir)
	undo := func() {}
	defer func() {
		if r := recover(); r != nil {
			failure = e.compileError(r, src)
		}
		if failure != nil {
			undo()
			p.before.restore(e.ir)
			e.ir.Comp.Code.Clear()
		}
	}()
	if err := e.loadImports(nodes); err != nil {
		return p, e.compileError(err, src)
	}
	if b := mismatch(nodes); b != nil {
		line, _ := src.line(b.Pos())
		return p, cellError(kernel.NameCompile, fmt.Sprintf("operation %s between a string and a number", b.Op), src, line)
	}
	if call, message := e.numberAsText(nodes, src); call != nil {
		line, _ := src.line(call.Pos())
		return p, cellError(kernel.NameCompile, message, src, line)
	}
	e.conversions.Clear()
	e.printing.Clear()
	p.last = e.endingOf(nodes)
	defined := e.freshTypes(nodes, src)
	rw := rewriter{packagePath: e.packagePath(nodes), embedded: e.embedded(nodes), basics: e.basicTypes(nodes), isType: e.isType, pointers: e.hasMethods(nodes)}
	imports, nodes := importsFirst(rw.rewrite(nodes))
	p.add(e.ir, imports)
	nodes, undo = e.declare(nodes, defined)
	p.add(e.ir, nodes)
	for name, text := range defined {
		e.typeTexts[name] = text
	}
	e.noteDocs(src.shown)
	return p, nil
}

// add compiles nodes.
func (p *program) add(ir *fast.Interp, nodes []ast.Node) {
	for _, group := range variablesLast(groups(nodes)) {
		form := ast2.AnyToAst(group, "cell")
		ir.Comp.Pos = group[0].Pos()
		p.chunks = append(p.chunks, chunk{group, ir.CompileAst(form)})
	}
}

// variablesLast lets the variables among declarations be set after methods are there, which their values may call. Where functions use the variables, gomacro's
// order has to do.
func variablesLast(list [][]ast.Node) [][]ast.Node {
	var out [][]ast.Node
	for _, group := range list {
		var variables, others []ast.Node
		names := make(map[string]bool)
		methods, used := false, false
		for _, node := range group {
			decl, isDecl := node.(*ast.GenDecl)
			if !isDecl || decl.Tok != token.VAR {
				others = append(others, node)
				f, isFunc := node.(*ast.FuncDecl)
				methods = methods || isFunc && f.Recv != nil
				continue
			}
			variables = append(variables, node)
			for _, spec := range decl.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					names[name.Name] = true
				}
			}
		}
		for _, node := range others {
			own := parameters(node)
			ast.Inspect(node, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				used = used || ok && names[id.Name] && !own[id.Name]
				return !used
			})
		}
		if methods && len(variables) > 0 && !used {
			out = append(out, others, variables)
		} else {
			out = append(out, group)
		}
	}
	return out
}

// parameters names the receiver, the parameters and the results of a function.
func parameters(node ast.Node) map[string]bool {
	own := make(map[string]bool)
	f, ok := node.(*ast.FuncDecl)
	if !ok {
		return own
	}
	for _, list := range []*ast.FieldList{f.Recv, f.Type.Params, f.Type.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				own[name.Name] = true
			}
		}
	}
	return own
}

// importsFirst takes the imports out of nodes.
func importsFirst(nodes []ast.Node) (imports, others []ast.Node) {
	for _, node := range nodes {
		if decl, ok := node.(*ast.GenDecl); ok && decl.Tok == token.IMPORT {
			imports = append(imports, node)
		} else {
			others = append(others, node)
		}
	}
	return imports, others
}

// freshTypes makes the declaration of a type whose name is taken declare a new type, and returns the texts of all type declarations. gomacro would change the
// old type, also under the values that have it. A declaration that is run again as it was keeps the type, with its methods and values.
func (e *Engine) freshTypes(nodes []ast.Node, src *source) map[string]string {
	texts := make(map[string]string)
	for _, node := range nodes {
		decl, ok := node.(*ast.GenDecl)
		if stmt, isStmt := node.(*ast.DeclStmt); isStmt {
			decl, ok = stmt.Decl.(*ast.GenDecl)
		}
		if !ok || decl.Tok != token.TYPE {
			continue
		}
		for _, s := range decl.Specs {
			spec, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			name := spec.Name.Name
			start, end := int(spec.Pos()-src.base), int(spec.End()-src.base)
			if start >= 0 && start <= end && end <= len(src.text) {
				texts[name] = src.text[start:end]
			}
			if e.typeTexts[name] != texts[name] {
				delete(e.ir.Comp.Types, name)
			}
		}
	}
	return texts
}

// groups puts neighbouring declarations together.
func groups(nodes []ast.Node) [][]ast.Node {
	var list [][]ast.Node
	declarations := false
	for _, node := range nodes {
		_, isDecl := node.(ast.Decl)
		if isDecl && declarations {
			list[len(list)-1] = append(list[len(list)-1], node)
		} else {
			list = append(list, []ast.Node{node})
		}
		declarations = isDecl
	}
	return list
}

// expression returns the expression that a node is.
func expression(node ast.Node) (ast.Expr, bool) {
	switch n := node.(type) {
	case ast.Expr:
		return n, true
	case *ast.ExprStmt:
		return n.X, true
	}
	return nil, false
}

// prints1 reports whether a call is one of a printing function of package fmt.
func (e *Engine) prints1(c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok || pkg.Name != "fmt" {
		return false
	}
	switch sel.Sel.Name {
	case "Print", "Printf", "Println", "Fprint", "Fprintf", "Fprintln":
		return true
	}
	return false
}
