package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/spherelab/spherelab/internal/expect"
)

// ordered are the packages whose files have an order: a file names what it declares itself and what files below it
// declare. So they can be read from the ground up.
var ordered = []string{"./kernel/golang/compile/...", "./kernel/golang/bridge", "./kernel/golang/layout"}

// TestFileOrder looks for files that name each other in a circle.
func TestFileOrder(t *testing.T) {
	t.Parallel()
	loaded, err := packages.Load(&packages.Config{Dir: root, BuildFlags: []string{"-trimpath"}, Mode: packages.NeedName |
		packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports |
		packages.NeedExportFile}, ordered...)
	expect.NoError(t, err)
	files := 0
	for _, p := range loaded {
		for _, err := range p.Errors {
			t.Error(err)
		}
		named := namedFiles(p.Fset, p.Types, p.Syntax, p.TypesInfo.Uses)
		files += len(named)
		if circle := circleOf(named); circle != "" {
			t.Errorf("%s: files name each other: %s", p.PkgPath, circle)
		}
	}
	if files == 0 {
		t.Error("no file was checked")
	}
}

// namedFiles returns, for each file of a package, the other files that declare what it names, each with one such name.
func namedFiles(fset *token.FileSet, pkg *types.Package, syntax []*ast.File,
	uses map[*ast.Ident]types.Object) map[string]map[string]string {
	file := func(pos token.Pos) string { return filepath.Base(fset.Position(pos).Filename) }
	named := map[string]map[string]string{}
	for _, f := range syntax {
		named[file(f.Pos())] = map[string]string{}
	}
	for id, o := range uses {
		if o.Pkg() != pkg || !o.Pos().IsValid() {
			continue
		}
		if from, to := file(id.Pos()), file(o.Pos()); from != to {
			named[from][to] = id.Name
		}
	}
	return named
}

// circleOf returns a circle of files as text, "" if there is none.
func circleOf(named map[string]map[string]string) string {
	const open, done = 1, 2
	state := map[string]int{}
	var way []string
	var visit func(file string) string
	visit = func(file string) string {
		state[file] = open
		way = append(way, file)
		for _, next := range slices.Sorted(maps.Keys(named[file])) {
			if state[next] == open {
				circle := append(way[slices.Index(way, next):], next)
				var text []string
				for i, from := range circle[:len(circle)-1] {
					text = append(text, fmt.Sprintf("%s names %s of %s", from, named[from][circle[i+1]], circle[i+1]))
				}
				return strings.Join(text, ", ")
			}
			if state[next] == 0 {
				if circle := visit(next); circle != "" {
					return circle
				}
			}
		}
		state[file] = done
		way = way[:len(way)-1]
		return ""
	}
	for _, file := range slices.Sorted(maps.Keys(named)) {
		if state[file] == 0 {
			if circle := visit(file); circle != "" {
				return circle
			}
		}
	}
	return ""
}

// TestFileOrderFindsFaults shows the search files with and without a circle.
func TestFileOrderFindsFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		named map[string]map[string]string
		want  string
	}{
		{map[string]map[string]string{"a": {"b": "x", "c": "y"}, "b": {"c": "z"}, "c": {}}, ""},
		{map[string]map[string]string{"a": {"b": "x"}, "b": {"c": "y"}, "c": {"b": "z"}}, "b names y of c, c names z of b"},
		{map[string]map[string]string{"a": {"b": "x"}, "b": {"c": "y"}, "c": {"a": "z"}},
			"a names x of b, b names y of c, c names z of a"},
	} {
		if got := circleOf(c.named); got != c.want {
			t.Errorf("%v: %q, want %q", c.named, got, c.want)
		}
	}
}
