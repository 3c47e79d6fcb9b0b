package cell

import (
	"fmt"
	"go/ast"
	"go/token"
)

// checkJumps refuses a goto over a declaration of a variable in the same list of statements as the label. The type
// checker cannot: it sees the variables of a cell's statements as those of a package.
func checkJumps(fset *token.FileSet, statements []ast.Stmt) error {
	var forward []*ast.BranchStmt // each goto so far
	over := map[*ast.BranchStmt]token.Pos{}
	var faults []*ast.BranchStmt
	for _, s := range statements {
		if label, ok := s.(*ast.LabeledStmt); ok {
			for _, b := range forward {
				if b.Label.Name == label.Label.Name && over[b].IsValid() {
					faults = append(faults, b)
				}
			}
		}
		if variable := declaredAt(s); variable.IsValid() {
			for _, b := range forward {
				over[b] = variable
			}
		}
		ast.Inspect(s, func(n ast.Node) bool {
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
				forward = append(forward, b)
			}
			_, inner := n.(*ast.FuncLit)
			return !inner
		})
	}
	if len(faults) == 0 {
		return nil
	}
	first := faults[0]
	for _, b := range faults {
		if b.Pos() < first.Pos() {
			first = b
		}
	}
	return errorAt(fset, first.Label.Pos(), fmt.Sprintf("goto %s jumps over variable declaration at line %d",
		first.Label.Name, fset.Position(over[first]).Line))
}

// bare takes declarations of variables out of labels, which then stand before them.
func bare(statements []ast.Stmt) []ast.Stmt {
	var list []ast.Stmt
	for _, s := range statements {
		for label, ok := s.(*ast.LabeledStmt); ok; label, ok = s.(*ast.LabeledStmt) {
			inner := label.Stmt
			if _, nested := inner.(*ast.LabeledStmt); !nested && !declaredAt(inner).IsValid() {
				break
			}
			label.Stmt = &ast.EmptyStmt{Semicolon: inner.Pos(), Implicit: true}
			list = append(list, label)
			s = inner
		}
		list = append(list, s)
	}
	return list
}

// declaredAt is where a statement declares variables, if it does.
func declaredAt(s ast.Stmt) token.Pos {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return s.Pos()
		}
	case *ast.DeclStmt:
		if decl, ok := s.Decl.(*ast.GenDecl); ok && decl.Tok == token.VAR && len(decl.Specs) > 0 {
			return decl.Specs[len(decl.Specs)-1].Pos()
		}
	}
	return token.NoPos
}
