package prelude

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
)

// TestModulesLogged: a run keeps the modules that cells have imported before it.
func TestModulesLogged(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	s := newSession(t)
	expect.NoError(t, os.Mkdir("zoo", 0o700))
	expect.NoError(t, os.WriteFile("zoo/go.mod", []byte("module example.com/zoo\n\ngo 1.21\n"), 0o600))
	expect.NoError(t, os.WriteFile("zoo/zoo.go", []byte("package zoo\n\nconst Epochs = 2\n"), 0o600))
	s.cell("%get ./zoo")
	s.cell(`g := lab.Graph("bundled"); m := lab.Model("sphere-2d").Dim(4).Epochs(1).Name("before"); lab.Train(g, m)`)
	s.cell("import \"example.com/zoo\"\nlab.Train(g, m.Epochs(zoo.Epochs).Name(\"after\"))")
	runs, err := s.tracker.Runs(context.Background(), tracker.Filter{})
	expect.NoError(t, err)
	found := map[string]bool{}
	for _, run := range runs {
		found[run.Name] = true
		dir, err := run.ArtifactDir()
		expect.NoError(t, err)
		text, _ := os.ReadFile(filepath.Join(dir, "modules", "go.mod")) // checked below
		tag, own := run.Tags["notebook.modules"], ""
		if run.Name == "after" {
			here, err := os.ReadFile("go.mod")
			expect.NoError(t, err)
			own = string(here)
		}
		if string(text) != own || (tag == "example.com/zoo=./zoo") != (run.Name == "after") {
			t.Errorf("%s: tag %q, go.mod %q, want %q", run.Name, tag, text, own)
		}
	}
	if !found["before"] || !found["after"] {
		t.Errorf("runs %v", found)
	}
}

// TestProgramOfModules: the program of a notebook imports what its cells do, by the same lines of its go.mod.
func TestProgramOfModules(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module notebook\n\ngo 1.21\n\nrequire example.com/zoo v0.0.0\n\nreplace example.com/zoo => ./zoo\n",
		"zoo/go.mod": "module example.com/zoo\n\ngo 1.21\n", "zoo/zoo.go": "package zoo\n\nconst Legs = 6\n",
	} {
		expect.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	notebook := `{"cells": [{"cell_type": "code", "source": "%go111module on\n%get ./zoo\n%get\nimport (\"example.com/zoo\"; ` +
		`\"fmt\")\nlegs := zoo.Legs * 7\nfmt.Println(legs)"}]}`
	code := expect.Must[[]byte](t)(Program("zoo.ipynb", []byte(notebook), dir))
	if comment := "// The program's go.mod has to require what this adds to the notebook's: %get ./zoo\n"; bytes.Count(code,
		[]byte(comment)) != 1 || bytes.Count(code, []byte("%g")) != 1 {
		t.Errorf("%q is not in\n%s", comment, code)
	}
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), code, 0o600))
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "42\n" {
		t.Errorf("%v, the program prints\n%s\n%s", err, out, code)
	}
}
