package cell

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/module"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// modules are the packages of modules, which are interpreted.
type modules struct {
	find     func(path string) (*module.Package, error) // nil: there are none
	provides func(path string) bool                     // a module may have a package
	loading  []string                                   // packages that are being checked
	waiting  []*waiting                                 // packages whose variables have no values yet, in their order
	failed   map[string]error                           // why packages could not be imported, in this cell
	files    map[string]string                          // paths of files, by their names in messages
}

// waiting is a package that has to be initialized before the next cell runs.
type waiting struct {
	pkg    *ssa.Package
	embeds []embedding
}

// UseModules makes packages that are not linked known to cells by a function that finds their files, and one that
// reports without a search whether a module may have a package.
func (s *Session) UseModules(find func(path string) (*module.Package, error), provides func(path string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.importer.modules.find, s.importer.modules.provides = find, provides
}

// ModuleFile returns where a file of a module's package is, by its name in messages.
func (s *Session) ModuleFile(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, ok := s.importer.modules.files[name]
	return path, ok
}

// inside imports for a package of a module.
type inside struct {
	m    *importer
	path string
}

// Import implements types.Importer.
func (i inside) Import(path string) (*types.Package, error) {
	if err := mayImport(i.path, path); err != nil {
		return nil, err
	}
	return i.m.load(path)
}

// mayImport applies Go's rule for folders that are named internal; from is "" for a cell.
func mayImport(from, path string) error {
	parts := strings.Split(path, "/")
	for n := len(parts) - 1; n >= 0; n-- {
		if parts[n] != "internal" {
			continue
		}
		parent := strings.Join(parts[:n], "/")
		if from != parent && !strings.HasPrefix(from, parent+"/") {
			return fmt.Errorf("use of internal package %q: only packages below %q may import it", path, parent)
		}
		return nil
	}
	return nil
}

// importModule checks and builds a package of a module. It fails at once if it has failed in this cell.
func (m *importer) importModule(path string) (*types.Package, error) {
	if err, ok := m.modules.failed[path]; ok {
		return nil, err
	}
	p, err := m.checkModule(path)
	if err != nil {
		m.modules.failed[path] = err
	}
	return p, err
}

func (m *importer) checkModule(path string) (*types.Package, error) {
	if at := slices.Index(m.modules.loading, path); at >= 0 {
		return nil, fmt.Errorf("import cycle: %s", strings.Join(append(m.modules.loading[at:], path), " imports "))
	}
	m.modules.loading = append(m.modules.loading, path)
	defer func() { m.modules.loading = m.modules.loading[:len(m.modules.loading)-1] }()
	found, err := m.modules.find(path)
	if missing := (*module.MissingError)(nil); errors.As(err, &missing) {
		return nil, m.missingError(missing)
	}
	if err != nil {
		return nil, err
	}
	files, embeds, err := m.parseModule(found)
	if err != nil {
		return nil, err
	}
	info := newInfo()
	config := types.Config{Importer: inside{m, path}, Sizes: types.SizesFor("gc", runtime.GOARCH),
		GoVersion: found.Language}
	var first error
	config.Error = func(err error) {
		if first == nil {
			first = m.moduleError(err)
		}
	}
	p, err := config.Check(path, m.fset, files, info)
	if err != nil {
		if errors.As(first, new(*innerError)) {
			return nil, first
		}
		return nil, found.CheckError(first)
	}
	pkg, err := m.buildModule(p, files, info)
	if err != nil {
		return nil, fmt.Errorf("package %q: %w", path, err)
	}
	m.known[path], m.whole[path] = p, true
	m.modules.waiting = append(m.modules.waiting, &waiting{pkg, embeds})
	return p, nil
}

// buildModule builds SSA. A panic of the builder must not end the kernel.
func (m *importer) buildModule(p *types.Package, files []*ast.File, info *types.Info) (pkg *ssa.Package, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the compiler failed: %v", fault)
		}
	}()
	m.locked(func() {
		pkg = m.program.CreatePackage(p, files, info, true)
		pkg.Build()
	})
	return pkg, nil
}

// innerError is an error in a package that a package of a module imports.
type innerError struct{ text string }

func (e *innerError) Error() string { return e.text }

// moduleError words an error of the type checker, with its place.
func (m *importer) moduleError(err error) error {
	var fault types.Error
	if !errors.As(err, &fault) {
		return err
	}
	at := m.fset.Position(fault.Pos)
	place := fmt.Sprintf("%s:%d", at.Filename, at.Line)
	inner := notLinked.FindStringSubmatch(fault.Msg)
	switch {
	case inner == nil:
		return fmt.Errorf("%s: %s", place, fault.Msg)
	case m.namesFile(inner[1]):
		return &innerError{inner[1]}
	}
	return &innerError{place + ": " + inner[1]}
}

// namesFile reports whether a message begins with a file of a module.
func (m *importer) namesFile(message string) bool {
	file, _, _ := strings.Cut(message, ":")
	_, ok := m.modules.files[file]
	return ok
}

// parseModule parses the files of a package, and refuses what has no body.
func (m *importer) parseModule(found *module.Package) (files []*ast.File, embeds []embedding, err error) {
	for _, name := range found.Names() {
		m.modules.files[name] = found.File(name)
		file, err := parser.ParseFile(m.fset, name, found.Texts[name], parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, nil, fmt.Errorf("package %q: %w", found.Path, err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil {
				at := m.fset.Position(f.Pos())
				return nil, nil, found.AssemblyError(fmt.Sprintf("%s:%d", at.Filename, at.Line), f.Name.Name,
					isLinkname(file, f.Name.Name))
			}
		}
		list, err := m.findEmbeds(found, file, found.Texts[name])
		if err != nil {
			return nil, nil, err
		}
		embeds = append(embeds, list...)
		files = append(files, file)
	}
	return files, embeds, nil
}

// isLinkname reports whether a function without a body is another package's.
func isLinkname(file *ast.File, function string) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if words := strings.Fields(c.Text); len(words) > 2 && words[0] == "//go:linkname" && words[1] == function {
				return true
			}
		}
	}
	return false
}

// startModules initializes the packages that wait for it, each after those that it imports. If one fails, it and those
// after it are loaded again when a cell imports them again.
func (s *Session) startModules(x *run.Execution) error {
	s.mu.Lock()
	list := s.importer.modules.waiting
	s.importer.modules.waiting = nil
	s.mu.Unlock()
	for n, w := range list {
		err := s.fillEmbeds(w)
		if err == nil {
			err = s.call(w.pkg.Func("init"), x)
		}
		if err != nil {
			s.forgetModules(list[n:])
			return err
		}
	}
	return nil
}

// forgetModules makes packages unknown.
func (s *Session) forgetModules(list []*waiting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range list {
		path := w.pkg.Pkg.Path()
		s.importer.forget(path)
		for name, imported := range s.imports {
			if imported == path {
				delete(s.imports, name)
			}
		}
		for name, obj := range s.objects {
			if obj.Pkg() == w.pkg.Pkg {
				delete(s.objects, name)
			}
		}
	}
}

func (m *importer) forget(path string) {
	delete(m.known, path)
	delete(m.whole, path)
}

// forgetFrom makes the waiting packages from an index on unknown: those of a cell that does not compile. No other cell
// is to initialize them, and the next import loads them again. Names that cells have for them stay.
func (m *importer) forgetFrom(first int) {
	for _, w := range m.modules.waiting[first:] {
		m.forget(w.pkg.Pkg.Path())
	}
	clear(m.modules.waiting[first:])
	m.modules.waiting = m.modules.waiting[:first]
}

// ModuleText returns the text of a file of a module's package, by its name in messages.
func (s *Session) ModuleText(name string) (string, bool) {
	path, ok := s.ModuleFile(name)
	if !ok {
		return "", false
	}
	text, err := os.ReadFile(path)
	return string(text), err == nil
}
