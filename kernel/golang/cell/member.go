package cell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/spherelab/spherelab/kernel/assist"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

var _ assist.Language = (*Session)(nil)

// Packages implements assist.Language.
func (s *Session) Packages() []string { return s.importer.library.Paths() }

// Package implements assist.Language.
func (s *Session) Package(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.packageOf(name); p != nil {
		return p.Path(), true
	}
	return "", false
}

// Scope implements assist.Language.
func (s *Session) Scope(before string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]string{}
	for _, name := range types.Universe.Names() {
		found[name] = kindOf(types.Universe.Lookup(name))
	}
	for name := range s.imports {
		found[name] = assist.Module
	}
	for name, obj := range s.objects {
		found[name] = kindOf(obj)
	}
	s.declaredBefore(before, found)
	return found
}

// Members implements assist.Language: names of a package, fields and methods.
func (s *Session) Members(operand, before string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.packageOf(operand); p != nil {
		return exportedOf(p)
	}
	if t := s.typeOf(operand, before); t != nil {
		return membersOf(t)
	}
	if _, p := s.linkedAs(operand); p != nil && s.objects[operand] == nil {
		return exportedOf(p)
	}
	return nil
}

// TypeOf implements assist.Language.
func (s *Session) TypeOf(expr string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.typeOf(expr, "")
	if values, ok := t.(*types.Tuple); ok && values.Len() > 0 {
		t = values.At(0).Type()
	}
	for {
		p, ok := types.Unalias(t).(*types.Pointer)
		if !ok {
			break
		}
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return "", false
	}
	return named.Obj().Pkg().Path() + "." + named.Obj().Name(), true
}

// Value implements assist.Language.
func (s *Session) Value(name string) any {
	if values := s.values.Load(); values != nil {
		return (*values)[name]
	}
	return nil
}

// keepValues keeps what variables of compiled pointer types hold, for completion: it may not look at variables while a
// cell changes them.
func (s *Session) keepValues() {
	s.mu.Lock()
	defer s.mu.Unlock()
	values := map[string]any{}
	for name, obj := range s.objects {
		v, ok := obj.(*types.Var)
		if !ok {
			continue
		}
		p, ok := types.Unalias(v.Type()).(*types.Pointer)
		if !ok {
			continue
		}
		named, ok := types.Unalias(p.Elem()).(*types.Named)
		if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() == layout.CellPath {
			continue
		}
		if g := s.global(v); g.IsValid() {
			values[name] = g.Interface()
		}
	}
	s.values.Store(&values)
}

func exportedOf(p *types.Package) map[string]string {
	found := map[string]string{}
	for _, name := range p.Scope().Names() {
		if token.IsExported(name) {
			found[name] = kindOf(p.Scope().Lookup(name))
		}
	}
	return found
}

// membersOf lists fields and methods, also those of embedded fields. What is not exported is listed for types of cells
// only.
func membersOf(t types.Type) map[string]string {
	found := map[string]string{}
	add := func(name, kind string, pkg *types.Package) {
		if found[name] == "" && (token.IsExported(name) || pkg != nil && pkg.Path() == layout.CellPath) {
			found[name] = kind
		}
	}
	methods := types.NewMethodSet(t)
	if _, ok := t.Underlying().(*types.Pointer); !ok && !types.IsInterface(t) {
		methods = types.NewMethodSet(types.NewPointer(t))
	}
	for m := range methods.Methods() {
		add(m.Obj().Name(), assist.Function, m.Obj().Pkg())
	}
	fieldsOf(t, 0, add)
	return found
}

func fieldsOf(t types.Type, depth int, add func(name, kind string, pkg *types.Package)) {
	const maxDepth = 8
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || depth > maxDepth {
		return
	}
	for f := range st.Fields() {
		add(f.Name(), assist.Variable, f.Pkg())
		if f.Embedded() {
			fieldsOf(f.Type(), depth+1, add)
		}
	}
}

func kindOf(obj types.Object) string {
	switch obj.(type) {
	case *types.Func, *types.Builtin:
		return assist.Function
	case *types.TypeName:
		return assist.Type
	}
	if _, ok := obj.Type().Underlying().(*types.Signature); ok {
		return assist.Function
	}
	return assist.Variable
}

// packageOf returns the package that cells call by a name; nil if a declaration has taken its place.
func (s *Session) packageOf(name string) *types.Package {
	path, ok := s.imports[name]
	if !ok || s.objects[name] != nil {
		return nil
	}
	p, err := s.importer.Import(path)
	if err != nil {
		return nil
	}
	return p
}

// typeOf returns the type of an expression, nil if it has none. If the code before is not valid, names that only it
// declares are traced to the expressions that declare them.
func (s *Session) typeOf(expr, before string) types.Type {
	if t := s.typeIn(expr, before); t != nil {
		return t
	}
	const maxTries = 4
	for range maxTries {
		if t := s.checkExpr(expr).Type; t != nil && t != types.Typ[types.Invalid] {
			return t
		}
		root := assist.Root(expr)
		if root == "" || s.objects[root] != nil {
			return nil
		}
		right, index, rest, ok := assist.FindDeclaration(root, before)
		if !ok {
			return nil
		}
		if values, ok := s.checkExpr(right).Type.(*types.Tuple); ok && index < values.Len() {
			return s.followFields(values.At(index).Type(), strings.TrimPrefix(expr, root))
		}
		expr, before = right+strings.TrimPrefix(expr, root), rest
	}
	return nil
}

// followFields follows fields, as ".Point.X".
func (s *Session) followFields(t types.Type, path string) types.Type {
	for _, name := range strings.Split(path, ".")[1:] {
		field, _, _ := types.LookupFieldOrMethod(t, true, newPackage(), name)
		v, ok := field.(*types.Var)
		if !ok {
			return nil
		}
		t = v.Type()
	}
	return t
}

// checkExpr returns an expression over the session's names with its type, or without a type if it is not valid.
func (s *Session) checkExpr(expr string) types.TypeAndValue {
	x, err := parser.ParseExpr(expr)
	if err != nil {
		return types.TypeAndValue{}
	}
	s.chooseFunctions(x, func(name string) string {
		if s.objects[name] != nil {
			return ""
		}
		return s.imports[name]
	})
	pkg := newPackage()
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if obj := s.objects[id.Name]; obj != nil {
			pkg.Scope().Insert(obj)
		} else if p := s.packageOf(id.Name); p != nil {
			pkg.Scope().Insert(types.NewPkgName(token.NoPos, pkg, id.Name, p))
		}
		return true
	})
	info := newInfo()
	if types.CheckExpr(s.fset, pkg, token.NoPos, x, info) != nil {
		return types.TypeAndValue{}
	}
	return info.Types[x]
}

// linkedAs finds the package that an unknown name is likely to mean: the only linked one of that name, or the one whose
// path is just the name.
func (s *Session) linkedAs(name string) (string, *types.Package) {
	if !token.IsIdentifier(name) {
		return "", nil
	}
	paths := s.similar(name)
	for _, path := range paths {
		if path == name {
			paths = []string{path}
		}
	}
	if len(paths) != 1 {
		return "", nil
	}
	p, err := s.importer.Import(paths[0])
	if err != nil {
		return "", nil
	}
	return paths[0], p
}

// similar lists the packages whose path ends with a name.
func (s *Session) similar(name string) (paths []string) {
	for _, path := range s.importer.library.Paths() {
		if path[strings.LastIndexByte(path, '/')+1:] == name {
			paths = append(paths, path)
		}
	}
	return paths
}

// CanParse reports whether the text of a cell has no syntax errors.
func (s *Session) CanParse(code string) bool {
	_, err := parse(token.NewFileSet(), "", "cell·", []byte(code))
	return err == nil
}
