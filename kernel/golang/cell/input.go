package cell

import (
	"go/ast"
	"strconv"
	"strings"
)

// The package that has Stdin for cells, whose lines come from the front end, and the name of its import. Without that
// import, os.Stdin is the program's.
const (
	InputPath = "session·input"
	InputName = "os·"
)

// redirect makes uses of os.Stdin uses of the front end's input, and calls of what is a type and a function calls of
// the function.
func (s *Session) redirect(p *parsed) {
	paths := map[string]string{}
	for name, path := range s.imports {
		paths[name] = path
	}
	for _, spec := range p.imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil {
			paths[spec.Name.Name] = path
		} else if pkg, err := s.importer.Import(path); err == nil {
			paths[pkg.Name()] = path
		}
	}
	lookup := func(name string) string {
		if p.declared[name] {
			return ""
		}
		return paths[strings.TrimSuffix(name, early)]
	}
	s.chooseFunctions(p.file, lookup)
	s.chooseFunctions(p.body, lookup)
	if s.imports[InputName] == "" {
		return
	}
	find := func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Stdin" {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Obj == nil && lookup(id.Name) == "os" {
			sel.X = &ast.Ident{NamePos: id.NamePos, Name: InputName}
			p.free[InputName] = true
		}
		return true
	}
	ast.Inspect(p.file, find)
	ast.Inspect(p.body, find)
}

// chooseFunctions makes calls of what is a type and a function calls of the function. pathOf returns the package that a
// name stands for.
func (s *Session) chooseFunctions(n ast.Node, pathOf func(name string) string) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok || id.Obj != nil || pathOf(id.Name) == "" { // the parser resolves names that the file declares
			return true
		}
		pkg, err := s.importer.Import(pathOf(id.Name))
		if err == nil && pkg.Scope().Lookup(sel.Sel.Name+doubled) != nil {
			sel.Sel.Name += doubled
		}
		return true
	})
}
