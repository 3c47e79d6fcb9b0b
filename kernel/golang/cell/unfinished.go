package cell

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/kernel/assist"
)

// probe is a name that nothing has. As a field of an expression it marks the place of that in a cell.
const probe = "probe__"

// typeIn is the type that an expression has behind the code before it, of a cell that is still being typed; nil if that
// is not understood. The code may end with the expression and a part of a name of its members.
func (s *Session) typeIn(expr, before string) types.Type {
	if at := strings.LastIndex(before, expr+"."); at >= 0 && !strings.ContainsFunc(before[at+len(expr)+1:], notInName) {
		before = before[:at]
	}
	if strings.TrimSpace(before) == "" || expr == "" {
		return nil
	}
	c := s.checkProbe(before + expr + "." + probe)
	if c == nil {
		return nil
	}
	found := types.Type(types.Typ[types.Invalid])
	ast.Inspect(c.file, func(n ast.Node) bool {
		if x, ok := n.(*ast.SelectorExpr); ok && x.Sel.Name == probe {
			found = c.info.Types[x.X].Type
		}
		return true
	})
	if found == types.Typ[types.Invalid] {
		return nil
	}
	return found
}

func notInName(r rune) bool { return assist.Root(string(r)) == "" && (r < '0' || r > '9') }

// declaredBefore adds the names that the code before an expression declares for it.
func (s *Session) declaredBefore(before string, found map[string]string) {
	c := s.checkProbe(before + probe)
	if c == nil {
		return
	}
	add := func(scope *types.Scope, until token.Pos) {
		for _, name := range scope.Names() {
			if obj := scope.Lookup(name); obj.Pos() < until {
				found[name] = kindOf(obj)
			}
		}
	}
	for _, name := range c.pkg.Scope().Names() {
		if obj := c.pkg.Scope().Lookup(name); obj.Pkg() == c.pkg {
			found[name] = kindOf(obj)
		}
	}
	var around []ast.Node
	ast.Inspect(c.file, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && id.Name == probe {
			for _, n := range around {
				switch f := n.(type) {
				case *ast.FuncDecl:
					n = f.Type
				case *ast.FuncLit:
					n = f.Type
				}
				if scope := c.info.Scopes[n]; scope != nil {
					add(scope, id.Pos())
				}
			}
		}
		around = append(around, n)
		return true
	})
}

// checkProbe checks a cell that ends with the name probe, whatever is wrong with it; nil if it is not understood.
func (s *Session) checkProbe(code string) (c *checked) {
	defer func() {
		if recover() != nil { // go/types over code that is not whole
			c = nil
		}
	}()
	code = blankCommands(code)
	for _, end := range []string{"", " {}", ": 0"} { // of a condition, of a case or key
		p, err := parse(token.NewFileSet(), "", ownFunction, []byte(closeBrackets(code+end)))
		if err != nil {
			continue
		}
		if s.earlier(p) != nil {
			return nil
		}
		s.redirect(p)
		p.file.Decls = append(p.file.Decls, p.body)
		s.addImports(p)
		s.dropKnownTypes(p)
		c, _ = s.checkTypes(p, newPackage(), true)
		return c
	}
	return nil
}

// blankCommands blanks the lines of commands.
func blankCommands(code string) string {
	lines := strings.Split(code, "\n")
	for i, line := range lines {
		if line = strings.TrimSpace(line); line != "" && strings.ContainsRune("%$?", rune(line[0])) {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// closeBrackets adds the brackets that close those that are open.
func closeBrackets(code string) string {
	var open []byte
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(code)), []byte(code), func(token.Position, string) {}, 0)
	for {
		_, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			slices.Reverse(open)
			return code + string(open)
		case token.LPAREN:
			open = append(open, ')')
		case token.LBRACE:
			open = append(open, '}')
		case token.LBRACK:
			open = append(open, ']')
		case token.RPAREN, token.RBRACE, token.RBRACK:
			open = open[:max(0, len(open)-1)]
		}
	}
}
