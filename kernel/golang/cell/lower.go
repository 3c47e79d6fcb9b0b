package cell

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// What go/ssa lowers differently from the compiler is rewritten first.

// constantRanges makes loops over arrays that do not use the elements loops over their length: Go evaluates such an
// array only if it has calls or receives, so a pointer in it may be nil.
func constantRanges(c *checked) {
	ast.Inspect(c.file, func(n ast.Node) bool {
		s, ok := n.(*ast.RangeStmt)
		if !ok || s.Value != nil {
			return true
		}
		typ := c.info.Types[s.X].Type
		if p, ok := typ.Underlying().(*types.Pointer); ok {
			typ = p.Elem()
		}
		array, ok := typ.Underlying().(*types.Array)
		if !ok || !constantLength(c.info, s.X) {
			return true
		}
		if id, ok := s.Key.(*ast.Ident); ok && id.Name == "_" {
			s.Key = nil
		}
		if s.Key != nil && s.Tok == token.ASSIGN && c.info.Types[s.Key].Type != types.Typ[types.Int] {
			return true
		}
		length := &ast.BasicLit{ValuePos: s.X.Pos(), Kind: token.INT}
		c.info.Types[length] = types.TypeAndValue{Type: types.Typ[types.Int], Value: constant.MakeInt64(array.Len())}
		s.X = length
		return true
	})
}

// constantLength reports whether the length of an array is a constant.
func constantLength(info *types.Info, x ast.Expr) bool {
	is := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if info.Types[n].Value == nil && !info.Types[n.Fun].IsType() {
				is = false
			}
		case *ast.UnaryExpr:
			is = is && n.Op != token.ARROW
		}
		return true
	})
	return is
}

// noteSelected notes what the calls of unsafe.Offsetof select whose value depends on type parameters: go/ssa steps
// through embedded fields in the same way whether the selector names them or not.
func (s *Session) noteSelected(c *checked) {
	ast.Inspect(c.file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || c.info.Types[call].Value != nil || !c.info.Types[call.Fun].IsBuiltin() {
			return true
		}
		field, ok := ast.Unparen(call.Args[0]).(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if f, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); !ok || f.Sel.Name != "Offsetof" {
			return true
		}
		if selection := c.info.Selections[field]; selection != nil {
			s.compiler.Selected.Store(call.Lparen, len(selection.Index()))
		}
		return true
	})
}
