package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// exampled are the packages that other programs import. Each shows code that runs.
var exampled = []string{"spherE", "spherE/kg", "spherE/eval", "spherE/retrieve", "spherE/ask", "spherE/stack", "spherE/stack/boost",
	"spherE/rule", "spherE/inductive", "spherE/scorefile", "experiments/lab", "tracker", "chart", "kernel", "kernel/display", "kernel/wire"}

// longestExample is how many lines the body of an example may have, without its output.
const longestExample = 25

// TestExamples: packages for other programs have examples, in a package of their own, as a user would write them.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, folder := range exampled {
		files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
		expect.NoError(t, err)
		run := 0
		for _, file := range files {
			source, err := os.ReadFile(file)
			expect.NoError(t, err)
			n, faults := checkExamples(file, source)
			run += n
			for _, fault := range faults {
				t.Error(fault)
			}
		}
		if run == 0 {
			t.Errorf("%s has no example with an Output comment", folder)
		}
	}
}

// checkExamples counts the examples of a file that go test runs, and finds those that are too long or see more of the
// package than a user does.
func checkExamples(path string, source []byte) (run int, faults []string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments)
	if err != nil {
		return 0, []string{err.Error()}
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Example") {
			continue
		}
		last := set.Position(f.Body.End()).Line
		for _, c := range file.Comments {
			if c.Pos() > f.Body.Pos() && c.End() < f.Body.End() && strings.HasPrefix(c.Text(), "Output:") {
				last = set.Position(c.Pos()).Line
				run++
			}
		}
		at := set.Position(f.Pos())
		if lines := last - at.Line - 1; lines > longestExample {
			faults = append(faults, fmt.Sprintf("%s: %s has %d lines; at most %d", at, f.Name.Name, lines, longestExample))
		}
		if !strings.HasSuffix(file.Name.Name, "_test") {
			faults = append(faults, fmt.Sprintf("%s: %s is in package %s; a user has its exported names only", at,
				f.Name.Name, file.Name.Name))
		}
	}
	return run, faults
}

func TestExamplesFindsFaults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\tprintln()\n", longestExample)
	for _, c := range []struct {
		source, want string
		run          int
	}{
		{"package x_test\nfunc ExampleA() {\n" + long + "\t// Output:\n\t// one\n\t// two\n}\n", "", 1},
		{"package x_test\nfunc ExampleA() {\n" + long + "\tprintln()\n\t// Output:\n}\n", "has 26 lines", 1},
		{"package x_test\nfunc ExampleA() {\n" + long + "}\n", "", 0},
		{"package x\nfunc ExampleA() {\n\t// Output:\n}\n", "exported names only", 1},
		{"package x\nfunc TestA() {\n}\n", "", 0},
	} {
		run, faults := checkExamples("x_test.go", []byte(c.source))
		got := strings.Join(faults, "\n")
		if run != c.run || c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %d run, %q; want %d, %q", c.source, run, got, c.run, c.want)
		}
	}
}
