package cell

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// packages supplies the packages of cells. go/ssa keeps what it has made of a package forever, except for the latest
// one of the same *types.Package. So the package of a cell whose declarations are all replaced becomes that of a new
// cell.
type packages struct {
	replaceable []*types.Package // of cells that declare variables, constants and functions alone
	look        int              // number of packages at which replaced ones are searched again
	spare       []*types.Package
	hasGeneric  bool // a cell has declared something generic: what it uses is looked up for each new instance
}

// fewPackages is how many replaced packages do not matter.
const fewPackages = 16

// takePackage returns the package of a new cell.
func (s *Session) takePackage() *types.Package {
	p := &s.packages
	if len(p.spare) == 0 && len(p.replaceable) >= p.look {
		s.findReplaced()
		p.look = 2*len(p.replaceable) + fewPackages
	}
	n := len(p.spare)
	if n == 0 {
		return newPackage()
	}
	pkg := p.spare[n-1]
	p.spare = p.spare[:n-1]
	return pkg
}

// renew makes a package an empty one.
func renew(pkg *types.Package) { *pkg = *newPackage() }

// findReplaced collects the packages that no name of the session leads to. Code that was made of them stays as long as
// something uses it.
func (s *Session) findReplaced() {
	p := &s.packages
	used := map[*types.Package]bool{}
	for _, obj := range s.objects {
		used[obj.Pkg()] = true
	}
	var left []*types.Package
	for _, pkg := range p.replaceable {
		if used[pkg] || p.hasGeneric && hasDeclarations(pkg) {
			left = append(left, pkg)
			continue
		}
		s.compiler.Retire(s.program.Package(pkg))
		renew(pkg)
		s.compiler.WithLock(func() { s.program.CreatePackage(pkg, nil, nil, false) })
		p.spare = append(p.spare, pkg)
	}
	p.replaceable = left
}

// hasDeclarations reports whether a cell has declared more than its own function.
func hasDeclarations(pkg *types.Package) bool {
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Pkg() == pkg && !strings.HasPrefix(name, ownFunction) {
			return true
		}
	}
	return false
}

// notePackage remembers the package of a cell, for later ones if only its names lead to it.
func (s *Session) notePackage(c *checked, pkg *ssa.Package) {
	for _, f := range c.file.Decls {
		switch d := f.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.TypeParams != nil {
					s.packages.hasGeneric = true
				}
			}
		case *ast.FuncDecl:
			s.packages.hasGeneric = s.packages.hasGeneric || d.Type.TypeParams != nil
		}
	}
	if len(c.late) > 0 {
		return
	}
	for _, m := range pkg.Members {
		if _, ok := m.(*ssa.Type); ok {
			return
		}
	}
	s.packages.replaceable = append(s.packages.replaceable, c.pkg)
}
