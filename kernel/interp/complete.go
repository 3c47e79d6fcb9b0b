package interp

import (
	"go/ast"
	"reflect"
	"strings"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/go/etoken"
	mp "github.com/cosmos72/gomacro/go/parser"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/assist"
)

// Complete offers names at the cursor.
func (e *Engine) Complete(code string, cursor int) kernel.Completion {
	return e.assistant.Complete(code, cursor)
}

// Scope implements assist.Language.
func (e *Engine) Scope() map[string]string {
	e.code.Lock()
	defer e.code.Unlock()
	found := make(map[string]string)
	for c := e.ir.Comp; c != nil; c = c.Outer {
		for name, b := range c.Binds {
			if _, ok := found[name]; !ok {
				found[name] = kindOf(b)
			}
		}
		for name := range c.Types {
			if _, ok := found[name]; !ok {
				found[name] = assist.Type
			}
		}
	}
	return found
}

// Packages implements assist.Language.
func (e *Engine) Packages() []string { return e.packages() }

// Package implements assist.Language.
func (e *Engine) Package(name string) (string, bool) {
	e.code.Lock()
	defer e.code.Unlock()
	if imp := e.imported(name); imp != nil {
		return imp.Path, true
	}
	return "", false
}

// Members implements assist.Language.
func (e *Engine) Members(operand, before string) (found map[string]string) {
	e.code.Lock()
	defer e.code.Unlock()
	defer func() {
		if r := recover(); r != nil { // code that is being typed is rarely valid
			found = nil
		}
	}()
	return e.membersOf(operand, before, 0)
}

// TypeOf implements assist.Language.
func (e *Engine) TypeOf(expr string) (name string, ok bool) {
	e.code.Lock()
	defer e.code.Unlock()
	defer func() {
		if r := recover(); r != nil {
			ok = false
		}
	}()
	types := e.typesOf(expr)
	if len(types) == 0 || types[0] == nil {
		return "", false
	}
	t := types[0].ReflectType()
	for t.Kind() == reflect.Ptr && t.Name() == "" {
		t = t.Elem()
	}
	return t.PkgPath() + "." + t.Name(), t.Name() != "" && t.PkgPath() != ""
}

// Value implements assist.Language.
func (e *Engine) Value(name string) interface{} {
	if values := e.values.Load(); values != nil {
		return (*values)[name]
	}
	return nil
}

func kindOf(b *fast.Bind) string {
	switch {
	case asImport(b) != nil:
		return assist.Module
	case b.Desc.Class() == fast.FuncBind, b.Type != nil && b.Type.Kind() == reflect.Func:
		return assist.Function
	}
	if _, ok := b.Value.(fast.Builtin); ok {
		return assist.Function
	}
	return assist.Variable
}

// membersOf lists what can follow a dot after an expression. The expression is compiled, never run.
func (e *Engine) membersOf(expr, before string, depth int) map[string]string {
	expr = strings.TrimSpace(expr)
	if imp := e.imported(expr); imp != nil {
		found := make(map[string]string)
		for name, b := range imp.Binds {
			found[name] = kindOf(b)
		}
		for name := range imp.Types {
			found[name] = assist.Type
		}
		return found
	}
	found := make(map[string]string)
	if t := e.typeOf(expr, before, depth); t != nil {
		addMembers(found, t, 0)
		return found
	}
	// A package that is not imported: the documentation of its names, and the error of the cell, say which import is missing.
	if _, pkg, ok := e.linkedAs(expr); ok && e.ir.Comp.TryResolve(expr) == nil {
		for name, v := range pkg.Binds {
			found[name] = assist.Variable
			if v.Kind() == reflect.Func {
				found[name] = assist.Function
			}
		}
		for name := range pkg.Types {
			found[name] = assist.Type
		}
	}
	return found
}

// typeOf finds the type of an expression, nil if it has none. Names that only the code before declares are traced to what they are declared with.
func (e *Engine) typeOf(expr, before string, depth int) xreflect.Type {
	if expr == "" || depth > 4 {
		return nil
	}
	if t := e.ir.Comp.TryResolveType(expr); t != nil {
		return t
	}
	if types := e.typesOf(expr); len(types) > 0 {
		return types[0]
	}
	root := assist.Root(expr)
	if root == "" || e.ir.Comp.TryResolve(root) != nil {
		return nil
	}
	right, n, rest, ok := assist.DeclaredWith(root, before)
	if !ok {
		return nil
	}
	types := e.typesOf(right)
	if n < len(types) {
		if expr == root {
			return types[n]
		}
		return memberType(e.ir.Comp, types[n], strings.Split(strings.TrimPrefix(expr, root+"."), "."))
	}
	if len(types) == 0 && expr == root {
		return e.typeOf(right, rest, depth+1)
	}
	return nil
}

// memberType follows fields.
func memberType(c *fast.Comp, t xreflect.Type, path []string) xreflect.Type {
	for _, name := range path {
		field, ok, _, _, err := c.TryLookupFieldOrMethod(t, name)
		if err != nil || !ok {
			return nil
		}
		t = field.Type
	}
	return t
}

// typesOf compiles an expression and returns its types.
func (e *Engine) typesOf(expr string) (types []xreflect.Type) {
	defer func() {
		if r := recover(); r != nil {
			types = nil
		}
	}()
	e.compileExpr(expr, func(compiled *fast.Expr) {
		for i := 0; i < compiled.NumOut(); i++ {
			t := compiled.Out(i)
			if compiled.Untyped() {
				t = compiled.DefaultType()
			}
			types = append(types, t)
		}
	})
	return types
}

// compileExpr compiles an expression that is never run, and leaves no trace of it. It panics as gomacro's compiler does.
func (e *Engine) compileExpr(expr string, then func(compiled *fast.Expr)) {
	c := fast.NewComp(e.ir.Comp, nil)
	g := e.ir.Comp
	files, line, pos, code := g.Fileset, g.Line, g.Pos, g.Code
	defer func() { g.Fileset, g.Line, g.Pos, g.Code = files, line, pos, code }()
	g.Fileset = etoken.NewFileSet()
	var parser mp.Parser
	parser.Configure(g.ParserMode, g.MacroChar)
	parser.Init(g.Fileset, fileName, 0, []byte(expr))
	nodes, err := parser.Parse()
	if err != nil || len(nodes) != 1 {
		return
	}
	x, ok := expression(nodes[0])
	if !ok {
		return
	}
	if lit, isLit := x.(*ast.CompositeLit); isLit && lit.Type == nil {
		return
	}
	then(c.Expr(x, nil))
}

// addMembers lists fields and methods of t, also those of embedded fields. What is not exported is listed for types of cells only.
func addMembers(found map[string]string, t xreflect.Type, depth int) {
	if t == nil || depth > 4 {
		return
	}
	if t.Kind() == reflect.Ptr && t.Name() == "" {
		t = t.Elem()
	}
	own := t.PkgPath() == "" || t.PkgPath() == "main"
	add := func(name, kind string) {
		if _, ok := found[name]; !ok && (own || ast.IsExported(name)) {
			found[name] = kind
		}
	}
	for i := 0; i < t.NumMethod(); i++ {
		add(t.Method(i).Name, assist.Function)
	}
	if rt := t.ReflectType(); rt != nil && t.Name() != "" && rt.Name() == t.Name() {
		if rt.Kind() != reflect.Interface && rt.Kind() != reflect.Ptr {
			rt = reflect.PointerTo(rt)
		}
		for i := 0; i < rt.NumMethod(); i++ {
			add(rt.Method(i).Name, assist.Function)
		}
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		add(f.Name, assist.Variable)
		if f.Anonymous {
			addMembers(found, f.Type, depth+1)
		}
	}
}

// keepValues keeps what the session's variables of compiled pointer types hold, for completion: it may not look at
// variables while a cell changes them.
func (e *Engine) keepValues() {
	if e.options.Words == nil {
		return
	}
	values := map[string]interface{}{}
	e.code.Lock()
	env := e.ir.PrepareEnv()
	for name, b := range e.ir.Comp.Binds {
		i := b.Desc.Index()
		if b.Desc.Class() != fast.VarBind || i < 0 || i >= len(env.Vals) || !env.Vals[i].IsValid() {
			continue
		}
		if v := env.Vals[i].ReflectValue(); v.Kind() == reflect.Ptr && v.Type().Elem().PkgPath() != "" && v.CanInterface() {
			values[name] = v.Interface()
		}
	}
	e.code.Unlock()
	e.values.Store(&values)
}
