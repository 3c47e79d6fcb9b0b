package interp

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// gomacro takes a number for a parameter of type string as the character of that code. Go refuses it, and so do cells as far as the function is known before
// the cell runs.

// numberAsText finds a call in which a literal number stands for a string, and says what Go would say; nil if there is none.
func (e *Engine) numberAsText(nodes []ast.Node, src *source) (found *ast.CallExpr, message string) {
	var own map[string]bool
	for _, node := range nodes {
		ast.Inspect(node, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || found != nil {
				return found == nil
			}
			for i, arg := range call.Args {
				number, ok := numberLiteral(arg)
				if !ok {
					continue
				}
				if own == nil {
					own = declaredIn(nodes)
				}
				if name, ok := e.wantsText(call, i, own, src); ok {
					found, message = call, fmt.Sprintf("cannot use %s as string value in argument to %s", number, name)
					return false
				}
			}
			return true
		})
	}
	return found, message
}

// numberLiteral describes a literal number as Go's compiler does.
func numberLiteral(x ast.Expr) (text string, ok bool) {
	sign := ""
	x = ast.Unparen(x)
	if u, isUnary := x.(*ast.UnaryExpr); isUnary && (u.Op == token.SUB || u.Op == token.ADD) {
		sign, x = u.Op.String(), ast.Unparen(u.X)
	}
	lit, ok := x.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	kind := map[token.Token]string{token.INT: "int", token.FLOAT: "float", token.IMAG: "complex", token.CHAR: "rune"}[lit.Kind]
	if kind == "rune" && len(lit.Value) > 2 {
		if r, _, _, err := strconv.UnquoteChar(lit.Value[1:], '\''); err == nil {
			return fmt.Sprintf("%s%s (untyped rune constant %s%d)", sign, lit.Value, strings.Trim(sign, "+"), r), true
		}
	}
	return fmt.Sprintf("%s%s (untyped %s constant)", sign, lit.Value, kind), kind != ""
}

// wantsText reports whether the function of a call, as the session knows it, has a string as parameter i. What has to do with names that the cell declares
// itself, which may hide those of the session, it does not know.
func (e *Engine) wantsText(call *ast.CallExpr, i int, own map[string]bool, src *source) (name string, ok bool) {
	known := true
	ast.Inspect(call.Fun, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			known = known && !own[n.Name]
		case *ast.FuncLit:
			known = false
		}
		return known
	})
	start, end := int(call.Fun.Pos()-src.base), int(call.Fun.End()-src.base)
	if !known || start < 0 || start > end || end > len(src.text) {
		return "", false
	}
	name = src.text[start:end]
	types := e.typesOf(name)
	if len(types) != 1 || types[0] == nil || types[0].Kind() != reflect.Func {
		return "", false
	}
	t := types[0]
	switch last := t.NumIn() - 1; {
	case t.IsVariadic() && i >= last:
		return name, t.In(last).Elem().Kind() == reflect.String && !call.Ellipsis.IsValid()
	case i <= last:
		return name, t.In(i).Kind() == reflect.String
	}
	return "", false
}

// declaredIn are all names that nodes declare, anywhere.
func declaredIn(nodes []ast.Node) map[string]bool {
	own := make(map[string]bool)
	add := func(names ...ast.Expr) {
		for _, name := range names {
			if id, ok := name.(*ast.Ident); ok {
				own[id.Name] = true
			}
		}
	}
	for _, node := range nodes {
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					add(n.Lhs...)
				}
			case *ast.RangeStmt:
				add(n.Key, n.Value)
			case *ast.ValueSpec:
				for _, name := range n.Names {
					add(name)
				}
			case *ast.Field:
				for _, name := range n.Names {
					add(name)
				}
			case *ast.TypeSpec:
				add(n.Name)
			case *ast.FuncDecl:
				add(n.Name)
			case *ast.ImportSpec:
				if n.Name != nil {
					add(n.Name)
				}
			}
			return true
		})
	}
	return own
}
