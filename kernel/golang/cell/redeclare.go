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

// noteDocs remembers how a cell declares functions and types.
func (s *Session) noteDocs(p *parsed) {
	for name, d := range p.docs {
		s.docs[name] = d
	}
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

// Declared lists the names of Names that are not imports.
func (s *Session) Declared() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, obj := range s.objects {
		if s.start.objects[name] != obj {
			list = append(list, name)
		}
	}
	slices.Sort(list)
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
	clear(s.generics)
}
