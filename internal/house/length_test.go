package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// longestTest is how many lines a function of tests may have. A longer one is several scenarios: give each a function
// or a subtest.
const longestTest = 100

// Files have fewer lines than these: a reader holds what one is for in mind. Generated files are exempt.
const (
	longestFile     = 400
	longestTestFile = 500
)

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, name := range clonedFiles(t, "*.go") {
		source, err := os.ReadFile(inRoot(name))
		expect.NoError(t, err)
		if strings.Contains(name, "testdata/") || strings.Contains(string(source[:min(len(source), 400)]), "DO NOT EDIT") {
			continue
		}
		checked++
		limit := longestFile
		if strings.HasSuffix(name, "_test.go") {
			limit = longestTestFile
		}
		if lines := strings.Count(string(source), "\n"); lines >= limit {
			t.Errorf("%s has %d lines; it has fewer than %d", name, lines, limit)
		}
	}
	if checked < 500 {
		t.Errorf("only %d files were checked", checked)
	}
}

func TestTestsAreShort(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, name := range clonedFiles(t, "*_test.go") {
		source, err := os.ReadFile(inRoot(name))
		expect.NoError(t, err)
		checked++
		for _, fault := range longFunctions(name, source, longestTest) {
			t.Error(fault)
		}
	}
	if checked < 200 {
		t.Errorf("only %d files were checked", checked)
	}
}

// longFunctions finds the functions of a file that have more lines than limit.
func longFunctions(name string, source []byte, limit int) (faults []string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		first := set.Position(f.Pos()).Line
		if lines := set.Position(f.End()).Line - first + 1; lines > limit {
			faults = append(faults, fmt.Sprintf("%s:%d: %s has %d lines, more than %d", name, first, f.Name.Name, lines, limit))
		}
	}
	return faults
}

func TestTestsAreShortFindsFaults(t *testing.T) {
	t.Parallel()
	source := func(lines int) []byte {
		return []byte("package x\n\nfunc F() {\n" + strings.Repeat("\tprintln()\n", lines-2) + "}\n")
	}
	if faults := longFunctions("x.go", source(100), 100); len(faults) > 0 {
		t.Errorf("100 lines are too many: %q", faults)
	}
	if faults := longFunctions("x.go", source(101), 100); len(faults) != 1 || !strings.HasPrefix(faults[0], "x.go:3: F has 101 lines") {
		t.Errorf("101 lines: %q", faults)
	}
}
