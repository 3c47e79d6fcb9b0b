package cell

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Member is a name that completion offers.
type Member struct{ Name, Kind string }

// Members lists what may follow the dot behind an operand: names of a package, fields and methods. Without an operand
// it lists the names of the session and of the language.
func (s *Session) Members(operand string) (list []Member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if operand == "" {
		for name, obj := range s.objects {
			list = append(list, Member{name, kindOf(obj)})
		}
		for name := range s.imports {
			list = append(list, Member{name, "module"})
		}
		for _, name := range types.Universe.Names() {
			list = append(list, Member{name, kindOf(types.Universe.Lookup(name))})
		}
		return sorted(list)
	}
	if p := s.packageOf(operand); p != nil {
		for _, name := range p.Scope().Names() {
			if token.IsExported(name) {
				list = append(list, Member{name, kindOf(p.Scope().Lookup(name))})
			}
		}
		return sorted(list)
	}
	t := s.typeOf(operand)
	if t == nil {
		return nil
	}
	seen := map[string]bool{}
	add := func(name, kind string, pkg *types.Package) {
		if !seen[name] && (token.IsExported(name) || pkg != nil && pkg.Path() == "main") {
			seen[name] = true
			list = append(list, Member{name, kind})
		}
	}
	methods := types.NewMethodSet(t)
	if _, ok := t.Underlying().(*types.Pointer); !ok && !types.IsInterface(t) {
		methods = types.NewMethodSet(types.NewPointer(t))
	}
	for m := range methods.Methods() {
		add(m.Obj().Name(), "function", m.Obj().Pkg())
	}
	fieldsOf(t, 0, add)
	return sorted(list)
}

func fieldsOf(t types.Type, depth int, add func(name, kind string, pkg *types.Package)) {
	const most = 8
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || depth > most {
		return
	}
	for f := range st.Fields() {
		add(f.Name(), "instance", f.Pkg())
		if f.Embedded() {
			fieldsOf(f.Type(), depth+1, add)
		}
	}
}

func sorted(list []Member) []Member {
	slices.SortFunc(list, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	return slices.DeleteFunc(list, func(m Member) bool { return strings.Contains(m.Name, "·") })
}

func kindOf(obj types.Object) string {
	switch obj.(type) {
	case *types.Func, *types.Builtin:
		return "function"
	case *types.TypeName:
		return "class"
	}
	return "instance"
}

// packageOf gives the package that cells call by a name; nil if a declaration has taken its place.
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

// typeOf is the type of an expression over the session's names, nil if it has none.
func (s *Session) typeOf(expr string) types.Type {
	x, err := parser.ParseExpr(expr)
	if err != nil {
		return nil
	}
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
		return nil
	}
	return info.Types[x].Type
}

// Describe gives the declaration of a name, or of what a selector leads to.
func (s *Session) Describe(path string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	operand, name := "", path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		operand, name = path[:i], path[i+1:]
	}
	short := func(p *types.Package) string { return p.Name() }
	switch {
	case operand == "" && s.objects[name] != nil:
		return types.ObjectString(s.objects[name], short), true
	case operand == "" && s.packageOf(name) != nil:
		return "package " + s.packageOf(name).Path(), true
	case operand == "":
		obj := types.Universe.Lookup(name)
		if obj == nil {
			return "", false
		}
		return types.ObjectString(obj, short), true
	}
	if p := s.packageOf(operand); p != nil {
		if obj := p.Scope().Lookup(name); obj != nil {
			return types.ObjectString(obj, short), true
		}
		return "", false
	}
	t := s.typeOf(operand)
	if t == nil {
		return "", false
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, newPackage(), name)
	if obj == nil {
		return "", false
	}
	return types.ObjectString(obj, short), true
}

// Complete tells whether the text of a cell is "complete", "incomplete" (with the next line's indent) or "invalid".
func (s *Session) Complete(code string) (status, indent string) {
	_, err := parse(token.NewFileSet(), "", "cell·", []byte(code))
	if err == nil {
		return "complete", ""
	}
	depth := 0
	for _, i := range split([]byte(code)) {
		depth = strings.Count(code[i.begin:i.end], "{") - strings.Count(code[i.begin:i.end], "}")
	}
	var fault *Error
	last := strings.Count(strings.TrimRight(code, " \t\n"), "\n") + 1
	if errors.As(err, &fault) && (fault.Line >= last || depth > 0) {
		return "incomplete", strings.Repeat("\t", max(depth, 0))
	}
	return "invalid", ""
}
