package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

// platforms must all have a declaration in the same form, else it is not bound: the written files have no build
// constraints.
var platforms = [][2]string{{"linux", "amd64"}, {"darwin", "arm64"}}

// furtherPlatforms are those that only constants like runtime.GOARCH tell from the others.
var furtherPlatforms = [][2]string{{"linux", "arm64"}, {"darwin", "amd64"}}

// loaded is one package on the first platform, and what is the same on the others.
type loaded struct {
	path   string
	types  *types.Package
	fset   *token.FileSet
	files  []*ast.File
	common map[string]bool // exported names, by declaration the same on all platforms
	fixed  map[string]bool // constants among them that also have the same value
}

func load(paths []string) ([]*loaded, error) {
	var list []*loaded
	byPath := map[string]*loaded{}
	for i, platform := range platforms {
		found, err := loadOn(platform, paths)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			if i == 0 {
				l := &loaded{
					path: p.PkgPath, types: p.Types, fset: p.Fset, files: p.Syntax,
					common: map[string]bool{}, fixed: map[string]bool{},
				}
				for _, name := range p.Types.Scope().Names() {
					if object := p.Types.Scope().Lookup(name); object.Exported() {
						l.common[name], l.fixed[name] = true, true
					}
				}
				byPath[p.PkgPath] = l
				list = append(list, l)
				continue
			}
			l := byPath[p.PkgPath]
			if l == nil {
				return nil, fmt.Errorf("%s: not found on %s", p.PkgPath, platforms[0][0])
			}
			l.compare(p.Types)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].path < list[j].path })
	return list, nil
}

func loadOn(platform [2]string, paths []string) ([]*packages.Package, error) {
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo |
			packages.NeedTypesSizes,
		Env: append(os.Environ(), "GOOS="+platform[0], "GOARCH="+platform[1], "CGO_ENABLED=0"),
	}
	found, err := packages.Load(config, paths...)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, p := range found {
		for _, fault := range p.Errors {
			faults = append(faults, fmt.Errorf("%s on %s/%s: %w", p.PkgPath, platform[0], platform[1], fault))
		}
	}
	return found, errors.Join(faults...)
}

// compare removes from common what other does not have in the same form.
func (l *loaded) compare(other *types.Package) {
	for name := range l.common {
		mine, theirs := l.types.Scope().Lookup(name), other.Scope().Lookup(name)
		if theirs == nil || form(mine) != form(theirs) {
			delete(l.common, name)
			delete(l.fixed, name)
			continue
		}
		if c, ok := mine.(*types.Const); ok && c.Val().ExactString() != theirs.(*types.Const).Val().ExactString() {
			delete(l.fixed, name)
		}
	}
}

// varies reports whether a constant has another value on another platform.
func (l *loaded) varies() bool {
	for name := range l.common {
		if !l.fixed[name] {
			return true
		}
	}
	return false
}

// form is what a table depends on: kind and type of a declaration, and the methods of an interface.
func form(object types.Object) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%T ", object)
	if _, isType := object.(*types.TypeName); !isType {
		b.WriteString(object.Type().String())
		return b.String()
	}
	switch u := object.Type().Underlying().(type) {
	case *types.Interface:
		b.WriteString(u.String())
	case *types.Struct:
		b.WriteString("struct")
	default:
		b.WriteString(u.String())
	}
	return b.String()
}
