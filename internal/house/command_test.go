package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// command matches a command of the program in a text.
var command = regexp.MustCompile(`spherelab (train|eval|query|predict|explain|runs|table|reproduce|sweep|worker|data|ui|tracker|kernel|doctor|version)\b`)

// worded are the folders that put hints into words.
var worded = []string{"internal/command", "internal/present", "experiments/lab", "kernel", "internal/graphtest"}

// TestNoCommandBelowMain: only commands, notebooks and the kernel name commands; all other packages carry hints.
func TestNoCommandBelowMain(t *testing.T) {
	t.Parallel()
	checked := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(inside))
		if entry.IsDir() {
			if name := entry.Name(); inside != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		below := func(dir string) bool { return folder == dir || strings.HasPrefix(folder, dir+"/") }
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			slices.ContainsFunc(worded, below) {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		checked++
		for _, text := range namedCommands(file) {
			t.Errorf("%s names a command: %s; give the error or the note a hint.Hint", inside, text)
		}
		return nil
	})
	expect.NoError(t, err)
	if checked < 50 {
		t.Errorf("only %d files were checked", checked)
	}
}

// namedCommands are the string literals of a file that name a command.
func namedCommands(file *ast.File) []string {
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && command.MatchString(text.Value) {
			found = append(found, text.Value)
		}
		return true
	})
	return found
}

func TestNamedCommandsFindsFaults(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "x.go",
		"package x\n\n// as `spherelab runs ls` does\nconst a, b = `see \"spherelab runs ls\"`, \"spherelab database\"\n", 0)
	expect.NoError(t, err)
	if got := namedCommands(file); len(got) != 1 || !strings.Contains(got[0], "runs ls") {
		t.Errorf("found %q", got)
	}
}
