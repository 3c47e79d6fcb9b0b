package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// generic is a generic type as a cell declares it. What its methods do is part of every instance, so that another body
// cannot take the place of one: declared again it is the same type only with the same methods.
type generic struct {
	named   *types.Named
	methods map[string]genericMethod
}

// genericMethod is the syntax of a method, and what the names in it mean that are not its own: an object or package.
type genericMethod struct {
	syntax string
	means  map[string]any
}

// noteGenerics remembers the generic types of a cell, after keep.
func (s *Session) noteGenerics(p *parsed, c *checked) {
	for _, spec := range typeSpecs(c.file) {
		obj, ok := c.info.Defs[spec.Name].(*types.TypeName)
		if !ok || spec.TypeParams == nil || spec.Assign.IsValid() {
			continue
		}
		named, ok := obj.Type().(*types.Named)
		if !ok {
			continue
		}
		g := generic{named, map[string]genericMethod{}}
		for _, f := range methodsOf(c.file, spec.Name.Name) {
			g.methods[f.Name.Name] = genericMethod{p.syntax[f], s.meaningsIn(f, c)}
		}
		s.generics[spec.Name.Name] = g
	}
}

// methodsOf lists the methods that a file declares for a type.
func methodsOf(file *ast.File, name string) (list []*ast.FuncDecl) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && len(f.Recv.List) == 1 &&
			receiverName(f.Recv.List[0].Type) == name {
			list = append(list, f)
		}
	}
	return list
}

// meaningsIn returns what the names in a method mean that cells have declared or imported.
func (s *Session) meaningsIn(f *ast.FuncDecl, c *checked) map[string]any {
	means := map[string]any{}
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch obj := c.info.Uses[id].(type) {
		case nil:
		case *types.PkgName:
			means[id.Name] = obj.Imported()
		default:
			if s.objects[id.Name] == obj || c.pkg.Scope().Lookup(id.Name) == obj {
				means[id.Name] = obj
			}
		}
		return true
	})
	return means
}

// sameGenericMethods reports whether the methods that a cell declares for a generic type are those that it has.
func (s *Session) sameGenericMethods(p *parsed, c *checked, was *types.Named, again pairing) bool {
	g := s.generics[was.Obj().Name()]
	if g.named != was {
		return false
	}
	for _, f := range methodsOf(p.file, was.Obj().Name()) {
		m, known := g.methods[f.Name.Name]
		if !known || m.syntax == "" || m.syntax != p.syntax[f] {
			return false
		}
		means := s.meaningsIn(f, c)
		if len(means) != len(m.means) {
			return false
		}
		for name, is := range means {
			if obj, ok := is.(*types.TypeName); ok {
				if named, ok := obj.Type().(*types.Named); ok && again[named] != nil {
					is = again[named].Obj()
				}
			}
			if m.means[name] != is {
				return false
			}
		}
	}
	return true
}

// syntaxOf is a text that two pieces of source share if they differ in comments and layout alone.
func syntaxOf(n ast.Node) string {
	var text strings.Builder
	writeSyntax(&text, reflect.ValueOf(n))
	return text.String()
}

func writeSyntax(to *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if _, isComment := v.Interface().(*ast.CommentGroup); isComment {
			return
		}
		if v.IsNil() {
			to.WriteByte('-')
			return
		}
		writeSyntax(to, v.Elem())
	case reflect.Slice:
		fmt.Fprintf(to, "[%d ", v.Len())
		for i := range v.Len() {
			writeSyntax(to, v.Index(i))
		}
	case reflect.Struct:
		to.WriteString(v.Type().Name() + "{")
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "Obj" { // what the parser takes a name for
				writeSyntax(to, v.Field(i))
			}
		}
		to.WriteByte('}')
	default:
		if at, ok := v.Interface().(token.Pos); ok { // some places mean something, as those of ... and =
			fmt.Fprintf(to, "%t ", at.IsValid())
			return
		}
		fmt.Fprintf(to, "%#v ", v.Interface())
	}
}
