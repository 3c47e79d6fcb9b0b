package cell

import (
	"bytes"
	_ "embed" // package iter
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile"
	"github.com/spherelab/spherelab/kernel/golang/module"
)

//go:embed iter_source.txt
var iterSource []byte

// Library has the packages that cells can import.
type Library interface {
	compile.Library
	// Export returns the types of a linked package, as go/gcexportdata reads them.
	Export(path string) ([]byte, error)
	// Source returns the files of a package that is interpreted, by name; nil for all others.
	Source(path string) (map[string][]byte, error)
	// Paths lists the packages that cells can import.
	Paths() []string
	// Table returns what a linked package declares; false for packages that are not linked.
	Table(path string) (compile.Table, bool)
}

// importer loads packages for the type checker and the SSA program.
type importer struct {
	library Library
	fset    *token.FileSet
	program *ssa.Program
	known   map[string]*types.Package // also partly loaded ones, which others refer to
	whole   map[string]bool

	reflection *reflection
	locked     func(change func())                         // changes the program while no method is looked up
	learn      func(name *types.TypeName, rt reflect.Type) // the compiled form of a type without export data

	modules modules
}

// Import implements types.Importer, for cells.
func (m *importer) Import(path string) (*types.Package, error) {
	if err := mayImport("", path); err != nil && m.mayBeModules(path) {
		return nil, err
	}
	return m.load(path)
}

// load returns a linked package, else one of a module.
func (m *importer) load(path string) (*types.Package, error) {
	p, err := m.loadLinked(path)
	if !errors.As(err, new(*notLinkedError)) || m.modules.find == nil || !m.mayBeModules(path) {
		return p, err
	}
	p, failed := m.importModule(path)
	if failed != nil && standard(path) && (errors.As(failed, new(*module.MissingError)) ||
		strings.HasPrefix(failed.Error(), "package "+path+" is not in std")) { // as the go command says it
		return nil, err
	}
	return p, failed
}

// mayBeModules reports whether a package that is not linked may be one of a module. Where the path looks like one of
// the standard library, the go.mod has to provide it.
func (m *importer) mayBeModules(path string) bool {
	return !standard(path) || m.modules.provides != nil && m.modules.provides(path)
}

// loadLinked returns a linked package, or one that was loaded before.
func (m *importer) loadLinked(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if m.whole[path] {
		return m.known[path], nil
	}
	files, err := m.library.Source(path)
	if err != nil {
		return nil, err
	}
	if path == "iter" {
		files = map[string][]byte{"iter.go": iterSource}
	}
	if files != nil {
		return m.interpret(path, files)
	}
	data, err := m.library.Export(path)
	if err != nil {
		table, ok := m.library.Table(path)
		if !ok {
			return nil, m.newNotLinkedError(path)
		}
		p := m.reflection.declarePackage(path, table)
		for _, made := range m.reflection.open {
			if made != p && m.program.Package(made) == nil {
				m.add(made)
			}
		}
		m.reflection.open = nil
		m.add(p) // again, where only the types of the package were known
		return p, nil
	}
	p, err := gcexportdata.Read(bytes.NewReader(data), m.fset, m.known, path)
	if err != nil {
		return nil, fmt.Errorf("types of package %s: %w", path, err)
	}
	m.whole[path] = true
	return p, m.create(p)
}

// create makes a package and those that it refers to known to SSA. A linked one is loaded wholly first.
func (m *importer) create(p *types.Package) error {
	for _, dep := range p.Imports() {
		if m.program.Package(dep) != nil || dep == types.Unsafe {
			continue
		}
		if _, err := m.loadLinked(dep.Path()); err != nil && m.program.Package(dep) == nil {
			m.add(dep)
		}
	}
	if m.program.Package(p) == nil {
		m.add(p)
	}
	return nil
}

// add makes a package without a body known to SSA. Goroutines of cells may run meanwhile.
func (m *importer) add(p *types.Package) {
	m.locked(func() { m.program.CreatePackage(p, nil, nil, true) })
}

// interpret checks and builds a package from its source.
func (m *importer) interpret(path string, texts map[string][]byte) (*types.Package, error) {
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		f, err := parser.ParseFile(m.fset, path+"/"+name, texts[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := newInfo()
	config := types.Config{Importer: m, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	p, err := config.Check(path, m.fset, files, info)
	if err != nil {
		return nil, err
	}
	m.known[path], m.whole[path] = p, true
	m.locked(func() { m.program.CreatePackage(p, files, info, true).Build() })
	return p, nil
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
}

// keepImports makes what a cell imports known to later ones though the cell does not compile. Names that mean something
// else keep that.
func (s *Session) keepImports(name, code string) {
	text := blank([]byte(code))
	for _, i := range split([]byte(code)) {
		if i.isImport {
			copy(text[i.begin:i.end], code[i.begin:i.end])
		}
	}
	file, _ := parser.ParseFile(token.NewFileSet(), name, "package main\n"+string(text), parser.ImportsOnly)
	if file == nil {
		return
	}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		pkg, err := s.importer.Import(path)
		if err != nil {
			continue
		}
		as := pkg.Name()
		if spec.Name != nil {
			as = spec.Name.Name
		}
		if as != "." && as != "_" && s.objects[as] == nil {
			s.imports[as] = path
		}
	}
}

// Offer makes a package known to cells under its name. It is not loaded before a cell uses it.
func (s *Session) Offer(name, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.imports[name] = path
}
