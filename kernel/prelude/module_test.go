package prelude

import (
	"context"
	"os"
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
