package cell

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// early ends the name of a stand-in: what a name means before the statement that declares it in the cell.
const early = "··"

// earlier gives names that are used before the statement that declares them the names of stand-ins, as in
// url, err := url.Parse(text).
func (s *Session) earlier(p *parsed) error {
	for _, id := range p.early {
		name := id.Name
		id.Name += early
		if spec := s.importOf(p, name); spec != nil {
			spec.Name = &ast.Ident{NamePos: spec.Pos(), Name: id.Name}
		} else if s.standIn(id.Name, nil) == nil {
			return placed(s.fset, id.Pos(), s.hint("undefined: "+name))
		}
	}
	return nil
}

// importOf gives the import of the cell that has a name, also if it has been given that of the stand-in.
func (s *Session) importOf(p *parsed, name string) *ast.ImportSpec {
	for _, spec := range p.imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil {
			if strings.TrimSuffix(spec.Name.Name, early) == name {
				return spec
			}
		} else if pkg, err := s.importer.Import(path); err == nil && pkg.Name() == name {
			return spec
		}
	}
	return nil
}

// standIn makes the object that a name meant before the cell, under the stand-in's name.
func (s *Session) standIn(as string, pkg *types.Package) types.Object {
	name := strings.TrimSuffix(as, early)
	if path, ok := s.imports[name]; ok {
		if imported, err := s.importer.Import(path); err == nil {
			return types.NewPkgName(token.NoPos, pkg, as, imported)
		}
	}
	switch obj := s.known(name).(type) {
	case *types.Var:
		return types.NewVar(obj.Pos(), obj.Pkg(), as, obj.Type())
	case *types.Func:
		return types.NewFunc(obj.Pos(), obj.Pkg(), as, obj.Signature())
	case *types.TypeName:
		return types.NewTypeName(obj.Pos(), obj.Pkg(), as, obj.Type())
	case *types.Const:
		return types.NewConst(obj.Pos(), obj.Pkg(), as, obj.Type(), obj.Val())
	case *types.Builtin:
		made := reflect.New(reflect.TypeOf(*obj)) // go/types makes no other ones
		made.Elem().Set(reflect.ValueOf(*obj))
		field := made.Elem().FieldByName("object").FieldByName("name")
		reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().SetString(as)
		return made.Interface().(*types.Builtin)
	}
	return nil
}

// known is what cells or Go declare under a name.
func (s *Session) known(name string) types.Object {
	if obj := s.objects[name]; obj != nil {
		return obj
	}
	return types.Universe.Lookup(name)
}

// resolveEarly puts what names meant before the cell in the place of stand-ins.
func (s *Session) resolveEarly(p *parsed, info *types.Info) {
	for _, id := range p.early {
		if _, ok := info.Uses[id].(*types.PkgName); !ok {
			info.Uses[id] = s.known(strings.TrimSuffix(id.Name, early))
		}
	}
}
