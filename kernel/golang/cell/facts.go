package cell

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// Facts are what the type checker knows about a cell that was not run, for programs that are written from cells.
type Facts struct {
	Items    []Item
	Objects  map[int]types.Object // what identifiers mean, by offset in the text
	Declared []types.Object       // what the cell declares for the whole notebook, by name
	HasInit  bool                 // it declares a function init
	HasValue bool                 // its last expression has a value that is shown
}

// Item is a declaration or a statement at the top of a cell: bytes from Begin to End of its text. A variable is a
// statement.
type Item struct {
	Begin, End            int
	IsStatement, IsImport bool
}

// Check finds the types of a cell and declares what it declares, without running it.
func (s *Session) Check(name, code string) (*Facts, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	_, c, err := s.prepare(name, ownFunction+strconv.Itoa(s.serial), code)
	if err != nil {
		return nil, err
	}
	f := &Facts{Objects: map[int]types.Object{}, HasInit: c.hasInit, HasValue: s.ending.HasValue && !s.ending.Prints}
	for _, i := range split([]byte(code)) {
		f.Items = append(f.Items, Item{i.begin, i.end, i.isStatement, i.isImport})
	}
	starts := []int{0}
	for i, b := range []byte(code) {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	note := func(id *ast.Ident, obj types.Object) {
		at := s.fset.Position(id.Pos())
		if obj == nil || at.Filename != name || strings.Contains(id.Name, "·") {
			return
		}
		if offset := starts[at.Line-1] + at.Column - 1; strings.HasPrefix(code[offset:], id.Name) {
			f.Objects[offset] = obj
		}
	}
	for id, obj := range c.info.Uses {
		note(id, obj)
	}
	for id, obj := range c.info.Defs {
		note(id, obj)
	}
	for _, name := range c.pkg.Scope().Names() {
		if obj := c.pkg.Scope().Lookup(name); obj.Pkg() == c.pkg && !strings.Contains(name, "·") {
			f.Declared = append(f.Declared, obj)
		}
	}
	return f, nil
}
