package cell

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// parsed is a cell as one file: its declarations, its variables as declarations of the package, and its statements as a
// function.
type parsed struct {
	fset     *token.FileSet
	file     *ast.File
	body     *ast.FuncDecl // the statements
	imports  []*ast.ImportSpec
	declared map[string]bool // names that the cell declares
	free     map[string]bool // names that it uses and that may come from earlier cells
	early    []*ast.Ident    // uses of a name before the statement that declares it in this cell
	inits    []initial
	scopes   map[string]token.Pos     // where the variables that statements declare begin to be known
	docs     map[string]doc           // of functions, "Type.Method" and types
	syntax   map[*ast.FuncDecl]string // of the methods of generic types that it declares
	last     *ast.ExprStmt            // the last item, if it is an expression
	ends     bool                     // the cell ends with a statement
}

// initial is an assignment that gives variables their first values.
type initial struct {
	names  []*ast.Ident
	values []ast.Expr
	assign *ast.AssignStmt
	number int // among the declarations of the cell, from 1
}

// headLines is how many lines stand before the text of a cell in the files that are parsed.
const headLines = 1

// placeLines makes the text of a cell, behind head bytes of a parsed file, begin on line 1. Messages of go/types name
// lines, too.
func placeLines(fset *token.FileSet, file *ast.File, name string, head int) {
	fset.File(file.Package).AddLineColumnInfo(head, name, 1, 1)
}

// parse reads a cell.
func parse(fset *token.FileSet, name, function string, code []byte) (*parsed, error) {
	if err := refuseEmbed(name, code); err != nil {
		return nil, err
	}
	items := split(code)
	imports, declarations, statements := blank(code), blank(code), blank(code)
	for _, i := range items {
		to := declarations
		switch {
		case i.isStatement:
			to = statements
		case i.isImport:
			to = imports
		}
		copy(to[i.begin:i.end], code[i.begin:i.end])
	}
	text := bytes.TrimLeft(declarations, " \t\n\r")
	head := "package main\n"
	if bytes.HasPrefix(text, []byte("package ")) { // a whole program has its own
		head = "\n"
	}
	file, err := parser.ParseFile(fset, name, head+string(declarations), 0)
	if err != nil {
		return nil, syntax(err, code)
	}
	placeLines(fset, file, name, len(head))
	if bytes.Contains(imports, []byte("import")) { // they may be anywhere in a cell
		const head = "package main\n"
		above, err := parser.ParseFile(fset, name, head+string(imports), parser.ImportsOnly)
		if err != nil {
			return nil, syntax(err, code)
		}
		placeLines(fset, above, name, len(head))
		file.Imports = above.Imports
		file.Decls = append(above.Decls, file.Decls...)
	}
	const opening = "package main; func _() {\n"
	inner, err := parser.ParseFile(fset, name, opening+string(statements)+"\n}", 0)
	if err != nil {
		return nil, syntax(err, code)
	}
	placeLines(fset, inner, name, len(opening))
	if len(inner.Decls) != 1 {
		return nil, fmt.Errorf("%s: a closing brace without an opening one", name)
	}
	p := &parsed{
		fset: fset, file: file, body: inner.Decls[0].(*ast.FuncDecl), imports: file.Imports,
		declared: map[string]bool{}, free: map[string]bool{}, scopes: map[string]token.Pos{},
	}
	p.docs = docsOf(fset, file, code, len(head))
	p.body.Name.Name = function
	p.ends = len(items) > 0 && items[len(items)-1].isStatement
	p.body.Body.List = bare(p.body.Body.List)
	if err := checkJumps(fset, p.body.Body.List); err != nil {
		return nil, err
	}
	if err := p.promote(fset); err != nil {
		return nil, err
	}
	p.collect(inner.Unresolved)
	return p, nil
}

// refuseEmbed refuses the directive that fills a variable with files when a program is built.
func refuseEmbed(name string, code []byte) error {
	if !bytes.Contains(code, []byte("//go:embed ")) {
		return nil
	}
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile(name, -1, len(code)), code, nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return nil
		}
		if tok == token.COMMENT && strings.HasPrefix(text, "//go:embed ") {
			at := fset.Position(pos)
			return &Error{Cell: name, Line: at.Line, Column: at.Column,
				Message: "a cell cannot embed files: read them with os.ReadFile or os.DirFS"}
		}
	}
}

func blank(code []byte) []byte {
	out := bytes.Repeat([]byte{' '}, len(code))
	for i, c := range code {
		if c == '\n' || c == '\r' {
			out[i] = c
		}
	}
	return out
}

// syntax returns the first syntax error, placed in the cell, in the compiler's words.
func syntax(err error, code []byte) error {
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return err
	}
	first := list[0]
	last := bytes.Count(bytes.TrimRight(code, " \t\r\n"), []byte("\n")) + 1 // what follows was added
	text := strings.TrimPrefix(first.Msg, "syntax error: ")
	line := first.Pos.Line - headLines
	if line > last {
		line = last
		text = strings.Replace(text, "found '}'", "found the end of the cell", 1)
	}
	return &Error{Cell: first.Pos.Filename, Line: line, Column: first.Pos.Column, Message: "syntax error: " + text}
}

// promote makes variables of the statements to variables of the package.
func (p *parsed) promote(fset *token.FileSet) error {
	declared := map[string]bool{} // by statements so far
	var vars []ast.Spec
	var statements []ast.Stmt
	declare := func(id *ast.Ident) {
		declared[id.Name] = id.Name != "_"
	}
	together := token.NoPos // where the declarations before this one begin: they see each other in any order
	for _, s := range p.body.Body.List {
		decl, ok := s.(*ast.DeclStmt)
		if !ok || decl.Decl.(*ast.GenDecl).Tok != token.VAR {
			together = token.NoPos
		} else if !together.IsValid() {
			together = s.Pos()
		}
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				break
			}
			var names []*ast.Ident
			fresh := false
			for _, left := range s.Lhs {
				id, ok := left.(*ast.Ident)
				if !ok {
					return errorAt(fset, left.Pos(), "non-name on left side of :=")
				}
				if declared[id.Name] || id.Name == "_" {
					names = append(names, &ast.Ident{NamePos: id.NamePos, Name: "_"})
					continue
				}
				fresh = true
				names = append(names, &ast.Ident{NamePos: id.NamePos, Name: id.Name})
			}
			if !fresh {
				return errorAt(fset, s.TokPos, "no new variables on left side of :=")
			}
			for _, id := range names {
				declare(id)
				p.scopes[id.Name] = s.End()
			}
			vars = append(vars, &ast.ValueSpec{Names: names, Values: s.Rhs})
			s.Tok = token.ASSIGN
			p.inits = append(p.inits, initial{names: names, values: s.Rhs, assign: s})
		case *ast.DeclStmt:
			decl, ok := s.Decl.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				break
			}
			for _, spec := range decl.Specs {
				spec := spec.(*ast.ValueSpec)
				vars = append(vars, spec)
				for _, id := range spec.Names {
					declare(id)
					p.scopes[id.Name] = together
				}
				statements = append(statements, p.first(spec)...)
			}
			continue
		}
		statements = append(statements, s)
	}
	last := len(statements) - 1
	for i, s := range statements {
		x, ok := s.(*ast.ExprStmt)
		switch {
		case !ok:
		case i == last && p.ends:
			p.last = x
		case isValue(x.X): // whose value is not shown
			blank := &ast.Ident{NamePos: x.Pos(), Name: "_"}
			statements[i] = &ast.AssignStmt{Lhs: []ast.Expr{blank}, TokPos: x.Pos(), Tok: token.ASSIGN,
				Rhs: []ast.Expr{x.X}}
		}
	}
	p.body.Body.List = statements
	if len(vars) > 0 {
		p.file.Decls = append(p.file.Decls, &ast.GenDecl{Tok: token.VAR, TokPos: vars[0].Pos(), Specs: vars,
			Lparen: vars[0].Pos()})
	}
	return nil
}

// isValue reports whether an expression is not a statement in Go. In a cell it is one.
func isValue(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr:
		return false
	case *ast.UnaryExpr:
		return x.Op != token.ARROW
	}
	return true
}

// first returns the assignment that a declaration of variables becomes; without values they become zero.
func (p *parsed) first(spec *ast.ValueSpec) []ast.Stmt {
	if len(spec.Values) == 0 {
		return nil
	}
	left := make([]ast.Expr, len(spec.Names))
	for i, id := range spec.Names {
		left[i] = &ast.Ident{NamePos: id.NamePos, Name: id.Name}
	}
	s := &ast.AssignStmt{Lhs: left, TokPos: spec.Pos(), Tok: token.ASSIGN, Rhs: spec.Values}
	p.inits = append(p.inits, initial{names: spec.Names, values: spec.Values, assign: s})
	return []ast.Stmt{s}
}

// collect finds the names that the cell declares, and those that it uses.
func (p *parsed) collect(unresolved []*ast.Ident) {
	for _, d := range p.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				p.declared[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					p.declared[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						p.declared[id.Name] = true
					}
				}
			}
		}
	}
	delete(p.declared, "_")
	delete(p.declared, "init")
	for _, id := range unresolved {
		if scope, ok := p.scopes[id.Name]; ok && id.Pos() < scope {
			p.early = append(p.early, id)
		}
	}
	ast.Inspect(p.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			p.free[id.Name] = true
		}
		return true
	})
	ast.Inspect(p.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			p.free[id.Name] = true
		}
		return true
	})
}
