package program

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// names chooses the names of the program. Those of imports come first: they are the file's, so no variable of the
// package may have them.
type names struct {
	taken    map[string]bool // every identifier of the notebook
	used     map[string]bool // names that the program's package has
	objects  map[types.Object]string
	packages map[string]string // names of packages that the notebook names, by path
	imports  map[string]string // the names of those that the program imports
	moved    map[string]string // paths where a program finds the types of a package of cells, by its path
}

func newNames(pages []page, moved map[string]string) names {
	n := names{moved: moved, taken: map[string]bool{}, used: map[string]bool{"main": true, "init": true, "ctx": true},
		objects: map[types.Object]string{}, packages: map[string]string{}, imports: map[string]string{}}
	for _, name := range types.Universe.Names() {
		n.used[name] = true
	}
	for _, p := range pages {
		if p.number > 0 {
			n.used[fmt.Sprintf("cell%d", p.number)] = true
		}
		for _, part := range p.parts {
			for _, id := range identifiers(part.Text) {
				n.taken[id] = true
			}
			n.notePackages(part)
		}
	}
	for _, p := range pages {
		for _, part := range p.parts {
			if part.facts == nil {
				continue
			}
			for _, obj := range part.facts.Declared {
				n.objects[obj] = n.choose(obj.Name(), obj.Name())
			}
		}
	}
	return n
}

// choose returns a name that the program does not have: own, whatever cells call so, otherwise want with a number.
func (n *names) choose(want, own string) string {
	name := want
	for i := 2; n.used[name] || n.taken[name] && name != own; i++ {
		name = fmt.Sprintf("%s%d", want, i)
	}
	n.used[name] = true
	return name
}

// notePackages chooses names for the packages that a part names.
func (n *names) notePackages(p part) {
	if p.facts == nil {
		return
	}
	for _, offset := range slices.Sorted(maps.Keys(p.facts.Objects)) {
		if pkg, ok := p.facts.Objects[offset].(*types.PkgName); ok && n.packages[pkg.Imported().Path()] == "" {
			n.packages[pkg.Imported().Path()] = n.choose(pkg.Name(), pkg.Name())
		}
	}
}

// imported returns the name of a package, which the program then imports.
func (n *names) imported(path, want string) string {
	if n.imports[path] == "" {
		name := n.packages[path]
		if name == "" {
			name = n.choose(want, "")
		}
		n.imports[path] = name
	}
	return n.imports[path]
}

// of returns the name of what a cell declares for the notebook; "" for everything else.
func (n *names) of(obj types.Object) string { return n.objects[obj] }

func (n *names) importList() string {
	if len(n.imports) == 0 {
		return ""
	}
	var standard, others []string
	for _, path := range slices.Sorted(maps.Keys(n.imports)) {
		line := fmt.Sprintf("%q", path)
		if name := n.imports[path]; name != path[strings.LastIndex(path, "/")+1:] {
			line = name + " " + line
		}
		if strings.Contains(path, ".") {
			others = append(others, line)
		} else {
			standard = append(standard, line)
		}
	}
	return "import (\n" + strings.Join(standard, "\n") + "\n\n" + strings.Join(others, "\n") + "\n)\n"
}

var errNoName = errors.New("a type without a name that can be exported")

var typeOfCell = regexp.MustCompile(`cell·([0-9]+)\.([\pL_][\pL\p{Nd}_]*)`)

// typeText returns how the program writes a type.
func (n *names) typeText(t types.Type) (text string, err error) {
	var cells []*types.Package // a type of a cell is written as "cell·", the number of its package here, ".Name"
	text = types.TypeString(t, func(p *types.Package) string {
		if p.Path() == layout.CellPath {
			cells = append(cells, p)
			return fmt.Sprint("cell·", len(cells)-1)
		}
		return n.typePackage(p.Path(), p.Name())
	})
	text = typeOfCell.ReplaceAllStringFunc(text, func(written string) string {
		place := typeOfCell.FindStringSubmatch(written)
		i, _ := strconv.Atoi(place[1])
		if name := n.of(cells[i].Scope().Lookup(place[2])); name != "" {
			return name
		}
		return place[2]
	})
	return text, n.checkNamed(t, map[types.Type]bool{})
}

// typePackage returns the name of the package that has the types of a package of cells.
func (n *names) typePackage(path, name string) string {
	if there, ok := n.moved[path]; ok {
		path, name = there, there[strings.LastIndex(there, "/")+1:]
	}
	return n.imported(path, name)
}

// checkNamed returns an error if a type has a part that other packages cannot name.
func (n *names) checkNamed(t types.Type, seen map[types.Type]bool) error {
	if seen[t] {
		return nil
	}
	seen[t] = true
	parts := []types.Type{}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		obj := t.Obj()
		switch {
		case obj.Pkg() == nil:
		case obj.Pkg().Path() == layout.CellPath:
		case !obj.Exported():
			return errNoName
		}
		for i := range t.TypeArgs().Len() {
			parts = append(parts, t.TypeArgs().At(i))
		}
	case *types.Map:
		parts = append(parts, t.Key(), t.Elem())
	case interface{ Elem() types.Type }:
		parts = append(parts, t.Elem())
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for i := range tuple.Len() {
				parts = append(parts, tuple.At(i).Type())
			}
		}
	case *types.Struct:
		for i := range t.NumFields() {
			parts = append(parts, t.Field(i).Type())
		}
	}
	for _, part := range parts {
		if err := n.checkNamed(part, seen); err != nil {
			return err
		}
	}
	return nil
}

// identifiers returns those of a text.
func identifiers(text string) (list []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), func(token.Position, string) {}, 0)
	for {
		_, tok, name := s.Scan()
		switch tok {
		case token.EOF:
			return list
		case token.IDENT:
			list = append(list, name)
		}
	}
}
