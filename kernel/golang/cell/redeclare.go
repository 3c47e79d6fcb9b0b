package cell

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// reached is the variable that counts the declarations of variables that the running cell has got to.
const reached = "reached·"

// declared is a variable that a cell declares: its number, and what its name meant before.
type declared struct {
	name   string
	number int
	object types.Object
	path   string
}

// markReached has the cell count its declarations of variables.
func (s *Session) markReached(p *parsed, info *types.Info) {
	counter := s.shown.Scope().Lookup(reached)
	number := map[ast.Stmt]int{}
	var list []ast.Stmt
	for _, stmt := range p.body.Body.List {
		list = append(list, stmt)
		at := -1
		for i, init := range p.inits {
			if init.assign == stmt {
				at = i
			}
		}
		if at < 0 {
			continue
		}
		number[stmt] = len(number) + 1
		p.inits[at].number = number[stmt]
		id := &ast.Ident{NamePos: stmt.End(), Name: reached}
		value := &ast.BasicLit{ValuePos: stmt.End(), Kind: token.INT, Value: strconv.Itoa(number[stmt])}
		info.Uses[id] = counter
		n := constant.MakeInt64(int64(number[stmt]))
		info.Types[value] = types.TypeAndValue{Type: types.Typ[types.Int], Value: n}
		list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{id}, TokPos: stmt.End(), Tok: token.ASSIGN,
			Rhs: []ast.Expr{value}})
	}
	p.body.Body.List = list
}

func (s *Session) reachedCount() *int {
	return (*int)(s.compiler.Global(s.program.Package(s.shown).Var(reached)))
}

// before notes what the names meant of the variables that a cell declares.
func (s *Session) before(p *parsed) (list []declared) {
	for _, init := range p.inits {
		for _, id := range init.names {
			list = append(list, declared{id.Name, init.number, s.objects[id.Name], s.imports[id.Name]})
		}
	}
	return list
}

// forgetUnreached takes back the declarations that a failed cell did not get to.
func (s *Session) forgetUnreached(cell string, list []declared) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := *s.reachedCount()
	for _, d := range list {
		if d.number <= n {
			continue
		}
		delete(s.objects, d.name)
		delete(s.imports, d.name)
		if d.object != nil {
			s.objects[d.name] = d.object
		} else if d.path != "" {
			s.imports[d.name] = d.path
		} else {
			s.missed[d.name] = cell
		}
	}
}

// typeText is how a cell declares a type, with what the names in it mean: the path of a package, or an object.
type typeText struct {
	text string
	obj  types.Object
	uses map[string]any
}

// meaning is what a name stands for.
func (s *Session) meaning(name string) any {
	if path, ok := s.imports[name]; ok {
		return path
	}
	return s.objects[name]
}

// namesIn lists the names in a type.
func namesIn(x ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
	return names
}

// noteDocs remembers how a cell declares functions and types.
func (s *Session) noteDocs(p *parsed) {
	for name, d := range p.docs {
		s.docs[name] = d
	}
	for _, spec := range typeSpecs(p.file) {
		t := typeText{text: p.docs[spec.Name.Name].text, obj: s.objects[spec.Name.Name], uses: map[string]any{}}
		for name := range namesIn(spec.Type) {
			t.uses[name] = s.meaning(name)
		}
		s.types[spec.Name.Name] = t
	}
}

func typeSpecs(file *ast.File) (list []*ast.TypeSpec) {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, spec := range g.Specs {
				list = append(list, spec.(*ast.TypeSpec))
			}
		}
	}
	return list
}

// sameTypes leaves out types that are declared already in the same words: values of an earlier run of the cell stay
// values of the type. Methods that the cell declares again take the place of the old ones.
func (s *Session) sameTypes(p *parsed) {
	same := map[string]*ast.TypeSpec{}
	for _, spec := range typeSpecs(p.file) {
		name := spec.Name.Name
		known, ok := s.types[name]
		if ok && spec.TypeParams == nil && !spec.Assign.IsValid() && s.objects[name] == known.obj &&
			known.text == p.docs[name].text {
			same[name] = spec
		}
	}
	for again := true; again; {
		again = false
		for name, spec := range same {
			if !s.means(p, spec, same) || !s.sameMethods(p, name, same) {
				delete(same, name)
				again = true
			}
		}
	}
	if len(same) == 0 {
		return
	}
	for name := range same {
		delete(p.declared, name)
	}
	var decls []ast.Decl
	for _, d := range p.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			decls = append(decls, d)
			continue
		}
		var specs []ast.Spec
		for _, spec := range g.Specs {
			if same[spec.(*ast.TypeSpec).Name.Name] == nil {
				specs = append(specs, spec)
			}
		}
		if g.Specs = specs; len(specs) > 0 {
			decls = append(decls, g)
		}
	}
	p.file.Decls = decls
}

// means tells whether the names in a type still mean what they meant.
func (s *Session) means(p *parsed, spec *ast.TypeSpec, same map[string]*ast.TypeSpec) bool {
	uses := s.types[spec.Name.Name].uses
	for name := range namesIn(spec.Type) {
		switch {
		case p.declared[name] && same[name] == nil:
			return false
		case uses[name] != s.meaning(name):
			return false
		}
	}
	return true
}

// sameMethods tells whether the methods that a cell declares for a type can be added to it, or take the place of those
// that it has.
func (s *Session) sameMethods(p *parsed, owner string, same map[string]*ast.TypeSpec) bool {
	named, ok := s.objects[owner].Type().(*types.Named)
	if !ok {
		return false
	}
	for _, d := range p.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || len(f.Recv.List) != 1 || receiverName(f.Recv.List[0].Type) != owner {
			continue
		}
		for name := range namesIn(f.Type) {
			if p.declared[name] && same[name] == nil {
				return false
			}
		}
		for m := range named.Methods() {
			key := owner + "." + m.Name()
			if m.Name() == f.Name.Name && s.docs[key].text != p.docs[key].text {
				return false
			}
		}
	}
	return true
}

// global is the memory of a variable of a cell or of a package that cells use; invalid if it has none.
func (s *Session) global(v *types.Var) reflect.Value {
	pkg := s.program.Package(v.Pkg())
	if pkg == nil || pkg.Var(v.Name()) == nil {
		return reflect.Value{}
	}
	return reflect.NewAt(s.compiler.Types.Of(v.Type()), s.compiler.Global(pkg.Var(v.Name()))).Elem()
}

// Name is one name that cells have declared: what it is, and its value or type.
type Name struct{ Name, Kind, Text string }

// Names lists what cells have declared, sorted.
func (s *Session) Names() []Name {
	s.mu.Lock()
	list := s.names()
	s.mu.Unlock()
	return list
}

func (s *Session) names() (list []Name) {
	for name, path := range s.imports {
		if s.start.imports[name] != path {
			list = append(list, Name{name, "package", path})
		}
	}
	for name, obj := range s.objects {
		if s.start.objects[name] == obj {
			continue
		}
		n := Name{Name: name}
		switch obj := obj.(type) {
		case *types.Const:
			n.Kind, n.Text = "const", obj.Val().String()
		case *types.Func:
			n.Kind, n.Text = "func", "func"+signature(obj)
		case *types.TypeName:
			n.Kind, n.Text = "type", types.TypeString(obj.Type().Underlying(), short)
		case *types.Var:
			n.Kind, n.Text = types.TypeString(obj.Type(), short), s.textOf(obj)
		}
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b Name) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// textOf is the text of a variable's value. A method String of the user's may panic.
func (s *Session) textOf(v *types.Var) (text string) {
	defer func() {
		if recover() != nil {
			text = "?"
		}
	}()
	g := s.global(v)
	if !g.IsValid() {
		return "?"
	}
	return s.textAt(g.Addr().UnsafePointer(), v.Type())
}

// scope is what names mean at some moment.
type scope struct {
	objects map[string]types.Object
	imports map[string]string
}

// Begin makes what is declared so far what every session starts with, and what Reset leaves.
func (s *Session) Begin() { s.start = scope{maps.Clone(s.objects), maps.Clone(s.imports)} }

// Reset forgets what cells have declared.
func (s *Session) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects, s.imports = maps.Clone(s.start.objects), maps.Clone(s.start.imports)
	clear(s.docs)
	clear(s.missed)
	clear(s.types)
}
