package cell

import (
	"go/ast"
	"go/token"
	"strings"
)

// doc is how a cell declares a function or type: as it is written, without a function's body, and the comment above.
type doc struct{ text, comment string }

// docsOf finds what a cell declares. The file's text is that of the cell behind head bytes.
func docsOf(fset *token.FileSet, file *ast.File, code []byte, head int) map[string]doc {
	docs := map[string]doc{}
	offset := func(pos token.Pos) int { return min(max(fset.Position(pos).Offset-head, 0), len(code)) }
	note := func(name string, above, begin, end token.Pos) {
		docs[name] = doc{strings.TrimSpace(string(code[offset(begin):offset(end)])), commentAbove(code, offset(above))}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name, end := d.Name.Name, d.End()
			if d.Recv != nil && len(d.Recv.List) == 1 {
				name = receiverName(d.Recv.List[0].Type) + "." + name
			}
			if d.Body != nil {
				end = d.Body.Lbrace
			}
			note(name, d.Pos(), d.Pos(), end)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					above := t.Pos()
					if !d.Lparen.IsValid() {
						above = d.Pos()
					}
					note(t.Name.Name, above, t.Pos(), t.End())
				}
			}
		}
	}
	return docs
}

// receiverName is the name of a receiver's type.
func receiverName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return receiverName(x.X)
	case *ast.ParenExpr:
		return receiverName(x.X)
	case *ast.IndexExpr:
		return receiverName(x.X)
	case *ast.IndexListExpr:
		return receiverName(x.X)
	}
	return ""
}

// commentAbove is the comment that ends on the line above a place, without its marks.
func commentAbove(code []byte, at int) string {
	lines := strings.Split(string(code[:at]), "\n")
	lines = lines[:len(lines)-1]
	begin := len(lines)
	for begin > 0 && strings.HasPrefix(strings.TrimSpace(lines[begin-1]), "//") {
		begin--
	}
	if begin < len(lines) {
		for i, line := range lines[begin:] {
			line = strings.TrimPrefix(strings.TrimSpace(line), "//")
			lines[begin+i] = strings.TrimPrefix(line, " ")
		}
		return strings.Join(lines[begin:], "\n")
	}
	above := strings.TrimSpace(strings.Join(lines, "\n"))
	if i := strings.LastIndex(above, "/*"); i >= 0 && strings.HasSuffix(above, "*/") &&
		len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) != "" {
		return strings.TrimSpace(above[i+2 : len(above)-2])
	}
	return ""
}
