package interp

import (
	"context"
	"go/ast"
	"go/token"
	"strings"

	"github.com/cosmos72/gomacro/ast2"
	"github.com/cosmos72/gomacro/base"
	basereflect "github.com/cosmos72/gomacro/base/reflect"
	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/display"
)

// Execute evaluates one cell. An error is always a *kernel.CellError.
func (e *Engine) Execute(ctx context.Context, cell kernel.Cell) (result kernel.Result, err error) {
	x, end := e.begin(ctx, cell.Number)
	defer end()
	defer e.flush()
	defer func() {
		if failure := e.runDefers(x); failure != nil && err == nil {
			result, err = kernel.Result{}, failure
		}
	}()
	v, failure := e.evaluate(x, cell.Code)
	if failure != nil {
		return kernel.Result{}, failure
	}
	if cell.Silent {
		return kernel.Result{}, nil
	}
	return e.result(x, v)
}

// value is what a cell ends with.
type value struct {
	values []xreflect.Value
	types  []xreflect.Type
	data   *display.Data // of a command
}

// evaluate runs the parts of a cell, commands and code, in order.
func (e *Engine) evaluate(x *execution, code string) (value, *kernel.CellError) {
	parts, err := split(code)
	if err != nil {
		return value{}, asCellError(err)
	}
	var last value
	for _, p := range parts {
		var failure *kernel.CellError
		if p.command {
			last, failure = e.command(x, p)
		} else {
			last, failure = e.evaluateCode(x, p.text, p.line)
		}
		if failure != nil {
			return value{}, x.blame(failure)
		}
		if x.interrupted.Load() {
			return value{}, e.runtimeError(x, base.SigInterrupt, nil, token.NoPos)
		}
	}
	return last, nil
}

// chunk is a part of a piece of code that is compiled and run at once: a statement, an expression, or declarations that may refer to each other.
type chunk struct {
	nodes []ast.Node
	expr  *fast.Expr
}

// evaluateCode compiles a piece of code as a whole, then runs it.
func (e *Engine) evaluateCode(x *execution, text string, firstLine int) (value, *kernel.CellError) {
	if strings.TrimSpace(text) == "" {
		return value{}, nil
	}
	p, failure := e.compile(x.number, text, firstLine)
	defer e.sources.release(p.src)
	if failure != nil {
		return value{}, failure
	}
	v, failure := e.runProgram(x, p)
	if failure == nil {
		failure = e.returnedError(p, v)
	}
	if failure != nil {
		return value{}, failure
	}
	switch n := len(v.values); {
	case p.last == silent, p.last == prints:
		return value{}, nil
	case p.last == commaOK && n > 1:
		v.values, v.types = v.values[:1], v.types[:1]
	}
	return v, nil
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
	commaOK // an expression that gives a second value, ok, to whoever wants it
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
	e.conversions.Clear()
	p.last = e.endingOf(nodes)
	defined := e.freshTypes(nodes, src)
	rw := rewriter{packagePath: e.packagePath(nodes), embedded: e.embedded(nodes)}
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
	for _, group := range groups(nodes) {
		form := ast2.AnyToAst(group, "cell")
		ir.Comp.Pos = group[0].Pos()
		p.chunks = append(p.chunks, chunk{group, ir.CompileAst(form)})
	}
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

// runProgram runs a program. If it fails, names that it did not get to are not declared.
func (e *Engine) runProgram(x *execution, p program) (value, *kernel.CellError) {
	v, failure := e.runChunks(x, p.src, p.chunks)
	if failure != nil {
		e.code.Lock()
		p.before.restoreUnset(e.ir)
		e.code.Unlock()
		return value{}, failure
	}
	return v, nil
}

// returnedError ends a cell whose last call returned values and an error.
func (e *Engine) returnedError(p program, v value) *kernel.CellError {
	n := len(v.values)
	if p.last != returns || n < 2 || isNil(v.values[n-1]) || v.types[n-1] == nil || !v.types[n-1].IdenticalTo(e.ir.Comp.TypeOfError()) {
		return nil
	}
	err, ok := basereflect.ValueInterface(v.values[n-1]).(error)
	if !ok {
		return nil
	}
	if failure := ownFailure(err); failure != nil {
		return failure
	}
	nodes := p.chunks[len(p.chunks)-1].nodes
	line, _ := p.src.line(nodes[len(nodes)-1].Pos())
	return cellError(errorName(err, nameError), panicMessage(err), p.src, line)
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

// runChunks runs compiled code. The values are those of the last chunk.
func (e *Engine) runChunks(x *execution, src *source, chunks []chunk) (v value, failure *kernel.CellError) {
	top := token.NoPos
	defer func() {
		if r := recover(); r != nil {
			failure = e.runtimeError(x, r, src, top)
		}
		e.resetRun()
	}()
	for _, c := range chunks {
		v = value{}
		if c.expr == nil {
			continue
		}
		top = c.nodes[0].Pos()
		x.top.Store(int64(top))
		v.values, v.types = e.runExpr(x, c.expr)
		if _, ok := expression(c.nodes[len(c.nodes)-1]); !ok {
			v = value{}
		}
	}
	return v, nil
}

// runExpr is gomacro's RunExpr, except that the call stack is still there when it panics.
func (e *Engine) runExpr(x *execution, expr *fast.Expr) ([]xreflect.Value, []xreflect.Type) {
	fun := expr.AsXV(fast.COptKeepUntyped)
	e.resetRun()
	env := e.ir.PrepareEnv()
	if x.interrupted.Load() { // PrepareEnv has just cleared the signal
		panic(base.SigInterrupt)
	}
	env.IP, env.DebugPos = 0, nil
	e.run.CurrEnv = env
	v, vs := fun(env)
	return basereflect.PackValues(v, vs), basereflect.PackTypes(expr.Type, expr.Types)
}

// resetRun clears what a panic leaves behind in gomacro.
func (e *Engine) resetRun() {
	r := e.run
	r.Interrupt, r.CurrEnv, r.InstallDefer, r.DeferOfFun, r.PanicFun, r.Panic = nil, nil, nil, nil, nil, nil
	r.ExecFlags = 0
	r.Signals = base.Signals{}
}

// runDefers makes the deferred calls of a cell's top level, the last first.
func (e *Engine) runDefers(x *execution) (failure *kernel.CellError) {
	for i := len(x.defers) - 1; i >= 0; i-- {
		func() {
			defer func() {
				if r := recover(); r != nil && failure == nil {
					failure = e.runtimeError(x, r, nil, token.NoPos)
				}
				e.resetRun()
			}()
			x.defers[i]()
		}()
	}
	return failure
}

// result renders what the cell ends with: nothing for nil, a trailing nil error is left out.
func (e *Engine) result(x *execution, v value) (result kernel.Result, err error) {
	if v.data != nil {
		return kernel.Result{Data: *v.data, HasValue: true}, nil
	}
	defer func() { // methods of the cell's types run here
		if r := recover(); r != nil {
			result, err = kernel.Result{}, e.runtimeError(x, r, nil, token.NoPos)
		}
		e.resetRun()
	}()
	n := len(v.values)
	if len(v.types) < n { // the literal nil has no type
		v.types = append(v.types, make([]xreflect.Type, n-len(v.types))...)
	}
	if n > 0 && isNil(v.values[n-1]) && (n == 1 || v.types[n-1] != nil && v.types[n-1].IdenticalTo(e.ir.Comp.TypeOfError())) {
		n--
	}
	switch n {
	case 0:
		return kernel.Result{}, nil
	case 1:
		return kernel.Result{Data: e.render(v.values[0], v.types[0]), HasValue: true}, nil
	}
	texts := make([]string, n)
	nils := 0
	for i := range texts {
		if isNil(v.values[i]) {
			nils++
			texts[i] = "<nil>"
		} else {
			texts[i] = e.text(v.values[i], v.types[i])
		}
	}
	if nils == n {
		return kernel.Result{}, nil
	}
	return kernel.Result{Data: display.MakeData(display.MIMETypeText, strings.Join(texts, " ")), HasValue: true}, nil
}

func isNil(v xreflect.Value) bool {
	x := basereflect.ValueInterface(v)
	return x == nil
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

// names are the declared names at some moment.
type names struct {
	binds map[string]*fast.Bind
	types map[string]xreflect.Type
}

func noteNames(ir *fast.Interp) *names {
	n := &names{make(map[string]*fast.Bind, len(ir.Comp.Binds)), make(map[string]xreflect.Type, len(ir.Comp.Types))}
	for name, b := range ir.Comp.Binds {
		n.binds[name] = b
	}
	for name, t := range ir.Comp.Types {
		n.types[name] = t
	}
	return n
}

// restore takes back all declarations since.
func (n *names) restore(ir *fast.Interp) {
	binds, types := ir.Comp.Binds, ir.Comp.Types
	for name := range binds {
		if n.binds[name] == nil {
			delete(binds, name)
		}
	}
	for name, b := range n.binds {
		binds[name] = b
	}
	for name := range types {
		if n.types[name] == nil {
			delete(types, name)
		}
	}
	for name, t := range n.types {
		types[name] = t
	}
}

// restoreUnset takes back the declarations since that were compiled but not reached: their variables hold nothing, or what another type left there.
func (n *names) restoreUnset(ir *fast.Interp) {
	env := ir.PrepareEnv()
	for name, b := range ir.Comp.Binds {
		old := n.binds[name]
		if b == old {
			continue
		}
		if c := b.Desc.Class(); c != fast.VarBind && c != fast.FuncBind {
			continue
		}
		i := b.Desc.Index()
		if i < 0 || i >= len(env.Vals) {
			continue
		}
		if v := env.Vals[i]; v.IsValid() && (b.Type == nil || v.Type() == b.Type.ReflectType()) {
			continue
		}
		if old != nil {
			ir.Comp.Binds[name] = old
		} else {
			delete(ir.Comp.Binds, name)
		}
	}
}
