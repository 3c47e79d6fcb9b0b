package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// programs are those of notebooks, as if they were packages of this module.
type programs struct {
	t     *testing.T
	paths []string
}

// add writes the program of a notebook.
func (s *programs) add(p *program, notebook string) {
	s.t.Helper()
	folder := filepath.Join(s.t.TempDir(), "program")
	file := filepath.Join(folder, "main.go")
	p.ok("notebook", "to-go", notebook, "-o", file)
	p.ok("notebook", "to-go", notebook, "-o", file) // replaces what it wrote
	s.paths = append(s.paths, file)
}

// goTool runs a go command with the programs as packages, named by notebook-0 and so on.
func (s *programs) goTool(args ...string) {
	s.t.Helper()
	replace := map[string]string{}
	var packages []string
	for i, path := range s.paths {
		name := "notebook-" + string(rune('0'+i))
		replace[filepath.Join(expect.Must[string](s.t)(filepath.Abs(name)), "main.go")] = path
		packages = append(packages, "./"+name)
	}
	overlay := filepath.Join(s.t.TempDir(), "overlay.json")
	raw := expect.Must[[]byte](s.t)(json.Marshal(map[string]any{"Replace": replace}))
	expect.NoError(s.t, os.WriteFile(overlay, raw, 0o644))
	args = append([]string{args[0], "-trimpath", "-overlay", overlay}, append(args[1:], packages...)...)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		s.t.Fatalf("go %q: %v\n%s", args, err, out)
	}
}

// TestNotebooksAsPrograms: every notebook becomes a program that compiles, and the one about an own graph prints what
// its cells show.
func TestNotebooksAsPrograms(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	all := &programs{t: t}
	for _, path := range notebookFiles(t) {
		all.add(p, expect.Must[string](t)(filepath.Abs(path)))
	}
	all.goTool("list", "-export") // compiles, and does not link

	one := &programs{t: t}
	path := expect.Must[string](t)(filepath.Abs("../../notebooks/02_your_own_graph.ipynb"))
	one.add(p, path)
	binary := filepath.Join(t.TempDir(), "program")
	one.goTool("build", "-o", binary)
	run := p.command()
	run.Path, run.Args, run.Dir = binary, []string{binary}, t.TempDir()
	var said strings.Builder
	run.Stderr = &said
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	if !strings.Contains(said.String(), "finished in") {
		t.Errorf("the training showed no progress: %q", said.String())
	}
	var want strings.Builder
	for _, c := range readNotebook(t, path).Cells {
		for _, o := range c.Outputs {
			switch o.Type {
			case "stream":
				want.WriteString(string(o.Text))
			case "execute_result":
				want.WriteString(string(o.Data["text/plain"]) + "\n")
			}
		}
	}
	if have := masked(string(out)); have != masked(want.String()) || strings.Count(have, "\n") < 20 {
		t.Errorf("the program prints\n%s\nthe notebook shows\n%s", have, masked(want.String()))
	}
}

// TestNotebookToGoRefusals: what a program cannot have is named with its place, and no file is lost.
func TestNotebookToGoRefusals(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		expect.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	cell := func(code string) string {
		raw := expect.Must[[]byte](t)(json.Marshal(map[string]any{"cells": []any{
			map[string]any{"cell_type": "code", "source": "x := 1"},
			map[string]any{"cell_type": "code", "source": code}}}))
		return write("n.ipynb", string(raw))
	}
	for code, want := range map[string][]string{
		"x++\n$ls":                 {"cell 2, line 2", "$ls"},
		"x++\n\nClearOutput(true)": {"cell 2, line 3", "ClearOutput"},
		"func init() { x = 2 }":    {"cell 2, line 1", "func init"},
		"type T int\n// F is one.\nfunc (T) F() {}\n\nfunc (t *T) G() {}\n?x\nfunc (T) F() { x++ }": {
			"cell 2, line 7", "method T.F is that of cell 2 again"},
		"x = \"a\"": {"cell 2, line 1: cannot use \"a\""},
	} {
		p.fails(1, want, "notebook", "to-go", cell(code))
	}
	p.fails(1, []string{"is not a notebook"}, "notebook", "to-go", write("n.ipynb", "x := 1"))
	p.fails(2, []string{"missing.ipynb"}, "notebook", "to-go", "missing.ipynb")
	p.fails(2, []string{"must end in .go"}, "notebook", "to-go", cell("x++"), "-o", "n.txt")
	mine := write("main.go", "package main\n")
	p.fails(2, []string{"is not the program of a notebook"}, "notebook", "to-go", cell("x++"), "-o", mine)
	if kept := string(expect.Must[[]byte](t)(os.ReadFile(mine))); kept != "package main\n" {
		t.Errorf("the file became %q", kept)
	}
}
