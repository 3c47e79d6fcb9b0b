package cell

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// doc is the declaration of a function or type as written in a cell, without a function's body, and the comment above.
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

// commentAbove is the comment that ends on the line above a place, without its marks. It reads no further up than that.
func commentAbove(code []byte, at int) string {
	above := code[:bytes.LastIndexByte(code[:at], '\n')+1]
	var lines []string
	for rest := above; len(rest) > 0; {
		rest = rest[:len(rest)-1] // the end of the line
		begin := bytes.LastIndexByte(rest, '\n') + 1
		text, ok := strings.CutPrefix(strings.TrimSpace(string(rest[begin:])), "//")
		if !ok {
			break
		}
		lines = append(lines, strings.TrimPrefix(text, " "))
		rest = rest[:begin]
	}
	if len(lines) > 0 {
		slices.Reverse(lines)
		return strings.Join(lines, "\n")
	}
	text := bytes.TrimRight(above, " \t\r\n")
	if !bytes.HasSuffix(text, []byte("*/")) || bytes.Count(above[len(text):], []byte("\n")) > 1 {
		return ""
	}
	if i := bytes.LastIndex(text, []byte("/*")); i >= 0 {
		return string(bytes.TrimSpace(text[i+2 : len(text)-2]))
	}
	return ""
}
