package cell

import (
	"go/ast"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// checked is a cell that has types.
type checked struct {
	pkg     *types.Package
	file    *ast.File
	info    *types.Info
	imports map[string]string
	hasInit bool // the cell declares a function init
	late    []*lateMethod
	before  []declared
}

// check finds the types of a cell.
func (s *Session) check(p *parsed) (*checked, error) {
	if err := s.earlier(p); err != nil {
		return nil, err
	}
	s.redirect(p)
	if p.last != nil {
		p.last.X = &ast.CallExpr{Fun: &ast.Ident{NamePos: p.last.Pos(), Name: show}, Lparen: p.last.Pos(),
			Args: []ast.Expr{p.last.X}, Rparen: p.last.End()}
	}
	p.file.Decls = append(p.file.Decls, p.body)
	s.addImports(p)
	s.dropKnownTypes(p)
	late, err := s.makeLateMethods(p)
	if err != nil {
		return nil, err
	}
	pkg := s.takePackage()
	c, faults := s.checkTypes(p, pkg, true)
	if len(faults) > 0 && nameFields(c) {
		renew(pkg)
		c, faults = s.checkTypes(p, pkg, true)
	}
	if len(faults) > 0 && p.last != nil {
		call := p.last.X.(*ast.CallExpr)
		if _, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); ok && noValue(faults, call.Args[0]) {
			p.last.X = call.Args[0]
			renew(pkg)
			c, faults = s.checkTypes(p, pkg, true)
		}
	}
	if len(late) > 0 && onlyLate(faults, late) {
		renew(pkg)
		if err := s.addMethods(late, c, pkg); err != nil {
			return nil, err
		}
		if c, faults = s.checkTypes(p, pkg, true); len(faults) == 0 {
			finish(late, c)
		}
	}
	if len(faults) > 0 {
		s.noteRedeclared(p.declared)
		return nil, s.first(faults)
	}
	if pos, message := tooLarge(c); pos.IsValid() {
		return nil, errorAt(s.fset, pos, message)
	}
	c.late = late
	c.imports = map[string]string{}
	for _, spec := range p.imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil {
			c.imports[spec.Name.Name] = path
		} else if pkg, err := s.importer.Import(path); err == nil {
			c.imports[pkg.Name()] = path
		}
	}
	for _, d := range c.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			c.hasInit = true
		}
	}
	s.resolveEarly(p, c.info)
	p.order(c.info.InitOrder)
	s.markReached(p, c.info)
	constantRanges(c)
	s.noteSelected(c)
	c.info.InitOrder = nil // variables get their values in the function of the cell
	return c, nil
}

// nameFields names the fields of literals of earlier cells' structs. go/types takes these cells for other packages
// there, whose unexported fields need a name. Blank fields have none: a constant is left out, since they are zero in
// every copy. It reports whether it found any.
func nameFields(c *checked) bool {
	found := false
	ast.Inspect(c.file, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || len(lit.Elts) == 0 {
			return true
		}
		typ := c.info.Types[lit].Type
		if typ == nil {
			return true
		}
		if p, ok := typ.Underlying().(*types.Pointer); ok {
			typ = p.Elem()
		}
		st, ok := typ.Underlying().(*types.Struct)
		if !ok || st.NumFields() != len(lit.Elts) {
			return true
		}
		if _, ok := lit.Elts[0].(*ast.KeyValueExpr); ok {
			return true
		}
		for i := range st.NumFields() {
			f := st.Field(i)
			if f.Pkg() == nil || f.Pkg() == c.pkg || f.Pkg().Path() != c.pkg.Path() ||
				f.Name() == "_" && !idle(c.info, lit.Elts[i], f.Type()) {
				return true
			}
		}
		values := lit.Elts
		lit.Elts = nil
		for i, value := range values {
			if name := st.Field(i).Name(); name != "_" {
				lit.Elts = append(lit.Elts, &ast.KeyValueExpr{
					Key: &ast.Ident{NamePos: value.Pos(), Name: name}, Colon: value.Pos(), Value: value,
				})
			}
		}
		found = true
		return true
	})
	return found
}

// idle reports whether a value fits a type and does nothing.
func idle(info *types.Info, value ast.Expr, typ types.Type) bool {
	x := info.Types[value]
	return (x.Value != nil || x.IsNil()) && types.AssignableTo(x.Type, typ)
}

// noValue reports whether a last call has no value to show.
func noValue(faults []types.Error, call ast.Expr) bool {
	return slices.ContainsFunc(faults, func(f types.Error) bool {
		return strings.Contains(f.Msg, "(no value) used as value") && f.Pos == call.Pos()
	})
}

// newPackage makes the package of a cell.
func newPackage() *types.Package { return types.NewPackage(layout.CellPath, "main") }

// checkTypes runs the type checker, with bodies of functions if requested.
func (s *Session) checkTypes(p *parsed, pkg *types.Package, withBodies bool) (*checked, []types.Error) {
	var list faults
	config := types.Config{
		Importer: s.importer,
		Sizes:    types.SizesFor("gc", runtime.GOARCH),
		Error:    list.add,

		IgnoreFuncBodies: !withBodies,
	}
	c := &checked{pkg: pkg, file: p.file, info: newInfo()}
	scope := c.pkg.Scope()
	imported := s.importedNames(p)
	for name := range p.free {
		if obj, ok := s.objects[name]; ok && !p.declared[name] && !imported[name] {
			scope.Insert(obj)
		}
	}
	for _, id := range p.early {
		if scope.Lookup(id.Name) == nil {
			if obj := s.standIn(id.Name, c.pkg); obj != nil {
				scope.Insert(obj)
			}
		}
	}
	scope.Insert(s.shown.Scope().Lookup(show))
	// Error has already received what Check returns
	_ = types.NewChecker(&config, p.fset, c.pkg, c.info).Files([]*ast.File{p.file})
	return c, list.known
}

// importedNames returns the names that the imports of a cell declare.
func (s *Session) importedNames(p *parsed) map[string]bool {
	names := map[string]bool{}
	for _, spec := range p.imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		pkg, err := s.importer.Import(path)
		switch {
		case spec.Name != nil && spec.Name.Name != ".":
			names[spec.Name.Name] = true
		case err != nil: // go/types reports it
		case spec.Name == nil:
			names[pkg.Name()] = true
		default:
			for _, name := range pkg.Scope().Names() {
				names[name] = token.IsExported(name)
			}
		}
	}
	return names
}

// addImports repeats the imports of earlier cells that this one uses.
func (s *Session) addImports(p *parsed) {
	own := s.importedNames(p)
	var specs []ast.Spec
	for name, path := range s.imports {
		if p.free[name] && !p.declared[name] && !own[name] {
			value := &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}
			spec := &ast.ImportSpec{Name: ast.NewIdent(name), Path: value}
			specs = append(specs, spec)
			p.file.Imports = append(p.file.Imports, spec)
		}
	}
	if len(specs) > 0 {
		p.file.Decls = append([]ast.Decl{&ast.GenDecl{Tok: token.IMPORT, Specs: specs}}, p.file.Decls...)
	}
}

// order sorts the first values of consecutive declarations as Go orders those of a package: what others need comes
// first.
func (p *parsed) order(want []*types.Initializer) {
	place := map[ast.Expr]int{}
	for i, init := range want {
		place[init.Rhs] = i
	}
	declared := map[ast.Stmt]int{}
	for _, i := range p.inits {
		if n, ok := place[i.values[0]]; ok && i.assign.TokPos == i.names[0].Pos() {
			declared[i.assign] = n
		}
	}
	list := p.body.Body.List
	for begin := 0; begin < len(list); {
		end := begin
		for end < len(list) {
			if _, ok := declared[list[end]]; !ok {
				break
			}
			end++
		}
		slices.SortStableFunc(list[begin:end], func(a, b ast.Stmt) int { return declared[a] - declared[b] })
		begin = max(end, begin+1)
	}
}
