package compile

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// loopPlace is a position in a loop that an edge closes.
func loopPlace(from, to *ssa.BasicBlock) token.Pos {
	for _, block := range []*ssa.BasicBlock{from, to} {
		for _, instr := range block.Instrs {
			if pos := instr.Pos(); pos.IsValid() {
				return pos
			}
		}
	}
	if pos := emptyLoop(from.Parent().Syntax()); pos.IsValid() {
		return pos
	}
	return from.Parent().Pos()
}

// emptyLoop finds the first loop in which nothing has a position.
func emptyLoop(function ast.Node) (place token.Pos) {
	if function == nil {
		return token.NoPos
	}
	ast.Inspect(function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			if n.Cond == nil && len(n.Body.List) == 0 && !place.IsValid() {
				place = n.Pos()
			}
		case *ast.BranchStmt:
			if n.Tok == token.GOTO && !place.IsValid() {
				place = n.Pos()
			}
		}
		return !place.IsValid()
	})
	return place
}

// loopOf returns the loop over an iterator whose body a function is; nil for all others.
func loopOf(f *ssa.Function) *ast.RangeStmt {
	loop, _ := f.Syntax().(*ast.RangeStmt)
	return loop
}

// callPlace is the position of a call. That of an iterator by a loop has none of its own.
func callPlace(i *ssa.Call) token.Pos {
	if !i.Pos().IsValid() && len(i.Call.Args) == 1 {
		if yield, ok := i.Call.Args[0].(*ssa.MakeClosure); ok {
			if loop := loopOf(yield.Fn.(*ssa.Function)); loop != nil {
				return loop.Pos()
			}
		}
	}
	return i.Pos()
}
