package cell

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// Ending is what matters about the last expression of a cell for what is shown.
type Ending struct {
	HasValue bool // there is a last expression, and not a call without results
	Prints   bool // a call that prints: its number of bytes is not shown
	Fails    bool // a call whose last result is an error
	Line     int  // of the cell, from 1
}

// Ending returns how the cell that ran last ends.
func (s *Session) Ending() Ending { return s.ending }

func endingOf(fset *token.FileSet, p *parsed, c *checked) (e Ending) {
	if p.last == nil {
		return e
	}
	x := p.last.X
	if shown, ok := x.(*ast.CallExpr); ok && len(shown.Args) == 1 {
		if id, ok := shown.Fun.(*ast.Ident); ok && id.Name == show {
			x, e.HasValue = shown.Args[0], true
		}
	}
	e.Line = fset.Position(x.Pos()).Line
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return e
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
		f, ok := c.info.Uses[sel.Sel].(*types.Func)
		e.Prints = ok && f.Pkg() != nil && f.Pkg().Path() == "fmt" &&
			(strings.HasPrefix(f.Name(), "Print") || strings.HasPrefix(f.Name(), "Fprint"))
	}
	t := c.info.Types[x].Type
	if results, ok := t.(*types.Tuple); ok && results.Len() > 0 {
		t = results.At(results.Len() - 1).Type()
	}
	e.Fails = t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
	return e
}

// Import makes a package known to cells under a name; "" is its own, "." declares all of its names.
func (s *Session) Import(name, path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.importer.Import(path)
	if err != nil {
		return err
	}
	switch name {
	case ".":
		s.open(path)
	case "":
		s.imports[p.Name()] = path
	default:
		s.imports[name] = path
	}
	return nil
}

// open declares all names of a package in the session.
func (s *Session) open(path string) {
	p, err := s.importer.Import(path)
	if err != nil {
		return // it was imported before
	}
	for _, name := range p.Scope().Names() {
		if token.IsExported(name) || path == SessionPath {
			s.objects[name] = p.Scope().Lookup(name)
		}
	}
}

// Do calls f, which may call methods of cells, on a goroutine of a cell, so that a panic does not end the caller's
// goroutine. The error means that f was left behind with the cell.
func (s *Session) Do(x *run.Execution, f func()) error {
	ended := make(chan error, 1)
	go func() {
		defer func() { ended <- nil }()
		g := run.NewG(x)
		g.Begin()
		defer g.End()
		f()
	}()
	return s.wait(x, ended)
}

// Still returns what may be walked through instead of a value that other goroutines may change.
func (s *Session) Still(v any) any {
	still, _ := s.compiler.Still(v)
	return still
}

// Text returns a value as fmt.Sprint prints it in compiled Go.
func (s *Session) Text(v any) string {
	text := s.compiler.Text(v)
	run.FinishRecovery()
	return text
}

// Box returns a value of a cell with its methods; false for values whose type no cell declares.
func (s *Session) Box(v any) (bridge.Box, map[string]string, bool) {
	if v == nil {
		return bridge.Box{}, nil, false
	}
	methods := s.compiler.MethodsOf(v)
	return bridge.Box{V: v, S: s.compiler}, methods, len(methods) > 0
}
