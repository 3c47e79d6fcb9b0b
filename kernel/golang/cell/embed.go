package cell

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/spherelab/spherelab/kernel/golang/module"
)

// embedding is a variable that holds files.
type embedding struct {
	name  string
	files []module.Embedded
}

// findEmbeds finds the variables of a file that hold files.
func (m *importer) findEmbeds(found *module.Package, file *ast.File, text []byte) (list []embedding, err error) {
	patterns := map[*ast.ValueSpec]string{}
	var specs []*ast.ValueSpec
	for _, group := range file.Comments {
		for _, c := range group.List {
			pattern, ok := embedPattern(c.Text)
			if !ok {
				continue
			}
			v := embedVariable(file, c.Pos())
			if v == nil || !m.beginsLine(c, text) {
				return nil, m.embedError(c, "a directive go:embed needs a line of its own above a variable of the package")
			}
			if _, ok := patterns[v]; !ok {
				specs = append(specs, v)
			}
			patterns[v] += " " + pattern
		}
	}
	for _, v := range specs {
		if len(v.Names) != 1 || len(v.Values) > 0 {
			return nil, m.embedError(v, "a directive go:embed needs one variable without a value")
		}
		files, err := found.Embed(patterns[v])
		if err != nil {
			return nil, m.embedError(v, "go:embed: %w", err)
		}
		list = append(list, embedding{v.Names[0].Name, files})
	}
	return list, nil
}

// embedPattern returns what follows a directive go:embed. With a tab behind it, it is none: compiled Go leaves the
// variable empty.
func embedPattern(comment string) (pattern string, ok bool) {
	const directive = "//go:embed"
	if comment == directive {
		return "", true
	}
	return strings.CutPrefix(comment, directive+" ")
}

// embedVariable returns the variable to which a directive belongs: the next one of its group or, outside of groups,
// that of the next declaration; nil if there is none.
func embedVariable(file *ast.File, at token.Pos) *ast.ValueSpec {
	if at < file.Name.End() {
		return nil
	}
	for _, d := range file.Decls {
		if d.End() <= at {
			continue
		}
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR || at < g.Lparen {
			return nil
		}
		for _, spec := range g.Specs {
			if at < spec.Pos() {
				return spec.(*ast.ValueSpec)
			}
		}
		return nil
	}
	return nil
}

// beginsLine reports whether a comment is the first in its line.
func (m *importer) beginsLine(c *ast.Comment, text []byte) bool {
	before := text[:m.fset.File(c.Pos()).Offset(c.Pos())]
	return len(bytes.TrimSpace(before[bytes.LastIndexByte(before, '\n')+1:])) == 0
}

// embedError is an error about a directive, with its place.
func (m *importer) embedError(n ast.Node, format string, args ...any) error {
	at := m.fset.Position(n.Pos())
	return fmt.Errorf("%s:%d: "+format, append([]any{at.Filename, at.Line}, args...)...)
}

// fillEmbeds assigns variables the files that they hold.
func (s *Session) fillEmbeds(w *waiting) error {
	for _, e := range w.embeds {
		g := w.pkg.Var(e.name)
		if g == nil {
			continue // _
		}
		t := g.Type().Underlying().(*types.Pointer).Elem()
		memory := s.compiler.Global(g)
		switch form := t.Underlying().(type) {
		case *types.Basic:
			if form.Kind() == types.String && len(e.files) > 0 {
				*(*string)(memory) = e.text()
				continue
			}
		case *types.Slice:
			if types.Identical(form.Elem().Underlying(), types.Typ[types.Byte]) {
				*(*[]byte)(memory) = []byte(e.text())
				continue
			}
		case *types.Struct:
			if types.TypeString(t, nil) == "embed.FS" {
				*(*embed.FS)(memory) = fileSystem(e.files)
				continue
			}
		}
		at := s.fset.Position(g.Pos())
		return &Error{Cell: at.Filename, Line: at.Line, Column: at.Column,
			Message: "go:embed cannot apply to var of type " + t.String()}
	}
	return nil
}

// text returns the one file; folders, which have no text, do not matter.
func (e embedding) text() string {
	for _, f := range e.files {
		if !strings.HasSuffix(f.Name, "/") {
			return f.Text
		}
	}
	return ""
}

// fileSystem makes what the linker makes of embedded files.
func fileSystem(list []module.Embedded) (fsys embed.FS) {
	field := reflect.ValueOf(&fsys).Elem().Field(0) // files *[]file
	files := reflect.New(field.Type().Elem())
	files.Elem().Set(reflect.MakeSlice(files.Elem().Type(), len(list), len(list)))
	for i, f := range list {
		file := files.Elem().Index(i)
		*(*string)(file.FieldByName("name").Addr().UnsafePointer()) = f.Name
		*(*string)(file.FieldByName("data").Addr().UnsafePointer()) = f.Text
	}
	reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Set(files)
	return fsys
}
