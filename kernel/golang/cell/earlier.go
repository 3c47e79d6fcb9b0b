package cell

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// early is the suffix of a stand-in's name. A stand-in is what a name means before the statement that declares it in
// the cell.
const early = "··"

// earlier renames what is used before the statement that declares it to the name of a stand-in, as in
// url, err := url.Parse(text).
func (s *Session) earlier(p *parsed) error {
	for _, id := range p.early {
		name := id.Name
		id.Name += early
		if spec := s.importOf(p, name); spec != nil {
			spec.Name = &ast.Ident{NamePos: spec.Pos(), Name: id.Name}
		} else if s.standIn(id.Name, nil) == nil {
			return errorAt(s.fset, id.Pos(), s.hint("undefined: "+name))
		}
	}
	return nil
}

// importOf returns the import of the cell that has a name, also if it has been given that of the stand-in.
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

// resolveEarly replaces stand-ins by what their names meant before the cell.
func (s *Session) resolveEarly(p *parsed, info *types.Info) {
	for _, id := range p.early {
		if _, ok := info.Uses[id].(*types.PkgName); !ok {
			info.Uses[id] = s.known(strings.TrimSuffix(id.Name, early))
		}
	}
}
