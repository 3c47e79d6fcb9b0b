package interp

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/cosmos72/gomacro/base/genimport"
	"github.com/cosmos72/gomacro/imports"
	"github.com/cosmos72/gomacro/xreflect"
)

// load makes a package known to the interpreter, which then never looks for it itself: it would run go get and build a plugin.
func (e *Engine) load(path string) error {
	c := e.ir.Comp
	if c.KnownImports[path] != nil {
		return nil
	}
	pkg, ok := e.bindings(path)
	if !ok {
		return e.notLinked(path)
	}
	pkg = e.override(path, pkg)
	pkg.LazyInit(path)
	pkg.DefaultName(path)
	c.KnownImports[path] = c.NewImport(&genimport.PackageRef{Package: pkg, Path: path})
	return nil
}

// bindings finds the bindings of a package.
func (e *Engine) bindings(path string) (imports.Package, bool) {
	switch path {
	case "display", "github.com/spherelab/spherelab/kernel/display":
		return displayPackage("display"), true
	case "github.com/gopherdata/gophernotes":
		return displayPackage("gophernotes"), true
	case "plugin": // its only use is what this kernel must not do
		return imports.Package{}, false
	}
	if pkg, ok := e.options.Bindings[path]; ok {
		return pkg, true
	}
	pkg, ok := imports.Packages[path]
	return pkg, ok && !strings.HasPrefix(path, "github.com/cosmos72/gomacro")
}

// standard reports whether a path looks like one of the standard library: its first element has no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// notLinked says that a package cannot be imported, and what can.
func (e *Engine) notLinked(path string) error {
	if strings.HasPrefix(path, ".") || strings.HasPrefix(path, "/") {
		return fmt.Errorf("import %q: a notebook cannot import a folder; %%load FILE runs a Go file in the session", path)
	}
	if standard(path) {
		return fmt.Errorf("package %q is not among the standard library's packages that this kernel has%s", path, e.similar(path))
	}
	linked := e.options.Linked
	if len(linked) == 0 {
		for p := range e.options.Bindings {
			if !standard(p) {
				linked = append(linked, p)
			}
		}
		sort.Strings(linked)
	}
	list := "only the standard library and display"
	if len(linked) > 0 {
		list = "the standard library, display, " + strings.Join(linked, ", ")
	}
	return fmt.Errorf("package %q is not linked into this kernel, and a running kernel cannot download or build packages. Linked are: %s. "+
		"To add one, build a kernel of your own: see docs/kernel.md, \"Linking further packages\"", path, list)
}

// similar offers packages with the same last element.
func (e *Engine) similar(path string) string {
	last := path[strings.LastIndexByte(path, '/')+1:]
	var found []string
	for _, p := range e.packages() {
		if p[strings.LastIndexByte(p, '/')+1:] == last {
			found = append(found, strconv.Quote(p))
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(found, " or ") + "?"
}

// packages lists all paths that cells can import, sorted.
func (e *Engine) packages() []string {
	seen := map[string]bool{"display": true}
	for p := range e.options.Bindings {
		seen[p] = true
	}
	for p := range imports.Packages {
		if _, ok := e.bindings(p); ok {
			seen[p] = true
		}
	}
	list := make([]string, 0, len(seen))
	for p := range seen {
		list = append(list, p)
	}
	sort.Strings(list)
	return list
}

// linkedAs finds the package that an unknown name is likely to mean: the only linked one of that name, or the one whose path is just the name.
func (e *Engine) linkedAs(name string) (path string, pkg imports.Package, ok bool) {
	if !token.IsIdentifier(name) {
		return "", imports.Package{}, false
	}
	found := 0
	for _, p := range e.packages() {
		candidate, _ := e.bindings(p)
		if base := p[strings.LastIndexByte(p, '/')+1:]; base != name && candidate.Name != name {
			continue
		}
		found++
		path, pkg = p, candidate
		if p == name {
			return path, pkg, true
		}
	}
	return path, pkg, found == 1
}

// importSpecs lists the imports among nodes.
func importSpecs(nodes []ast.Node) []*ast.ImportSpec {
	var list []*ast.ImportSpec
	for _, node := range nodes {
		decl, ok := node.(*ast.GenDecl)
		if stmt, isStmt := node.(*ast.DeclStmt); isStmt {
			decl, ok = stmt.Decl.(*ast.GenDecl)
		}
		if !ok || decl.Tok != token.IMPORT {
			continue
		}
		for _, spec := range decl.Specs {
			if s, ok := spec.(*ast.ImportSpec); ok {
				list = append(list, s)
			}
		}
	}
	return list
}

// loadImports loads the packages that nodes import.
func (e *Engine) loadImports(nodes []ast.Node) error {
	for _, spec := range importSpecs(nodes) {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("import path %s: %w", spec.Path.Value, err)
		}
		if err := e.load(path); err != nil {
			e.ir.Comp.Pos = spec.Pos()
			return fmt.Errorf("%v: %w", e.ir.Comp.Fileset.Position(spec.Pos()), err)
		}
	}
	return nil
}

// importNames gives the paths of the packages that nodes import, by the name they use.
func importNames(nodes []ast.Node) map[string]string {
	names := make(map[string]string)
	for _, spec := range importSpecs(nodes) {
		path, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil {
			names[spec.Name.Name] = path
		} else {
			names[path[strings.LastIndexByte(path, '/')+1:]] = path
		}
	}
	return names
}

// packagePath tells which package a name stands for, with the imports of the cell that is about to be compiled; "" if none.
func (e *Engine) packagePath(nodes []ast.Node) func(name string) string {
	names := importNames(nodes)
	return func(name string) string {
		if path, ok := names[name]; ok {
			return path
		}
		if imp := e.imported(name); imp != nil {
			return imp.Path
		}
		return ""
	}
}

// embedded gives the methods of interfaces that earlier cells or packages declare, as fields of an interface type. Their types are aliases that no cell can name.
func (e *Engine) embedded(nodes []ast.Node) func(name ast.Expr) []*ast.Field {
	names := importNames(nodes)
	c := e.ir.Comp
	return func(name ast.Expr) []*ast.Field {
		var t xreflect.Type
		switch n := name.(type) {
		case *ast.Ident:
			t = c.TryResolveType(n.Name)
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok {
				imp := c.KnownImports[names[pkg.Name]]
				if imp == nil {
					imp = e.imported(pkg.Name)
				}
				if imp != nil {
					t = imp.Types[n.Sel.Name]
				}
			}
		}
		if t == nil || t.Kind() != reflect.Interface {
			return nil
		}
		top := c.TopComp()
		fields := []*ast.Field{}
		for i := 0; i < t.NumMethod(); i++ {
			m := t.Method(i)
			signature := e.withoutReceiver(m)
			if signature == nil {
				return nil
			}
			alias := fmt.Sprintf("·method%d", len(top.Types))
			top.Types[alias] = signature
			fields = append(fields, &ast.Field{Names: []*ast.Ident{ident(m.Name, name.Pos())}, Type: ident(alias, name.Pos())})
		}
		return fields
	}
}

// universeType is t as the interpreter knows it.
func (e *Engine) universeType(t reflect.Type) xreflect.Type {
	return e.ir.Comp.Universe.FromReflectType(t)
}
