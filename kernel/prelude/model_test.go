package prelude

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
)

// TestModelOfACell: a model whose geometry a cell declares is trained, logged with the text of the cells, asked,
// stacked, and stands in tables. Training it again has the same bits.
func TestModelOfACell(t *testing.T) {
	file := expect.Must[string](t)(filepath.Abs("../../docs/library/geometry/transe.go"))
	s := newSession(t)
	_, source, _ := strings.Cut(string(expect.Must[[]byte](t)(os.ReadFile(file))), "package geometry\n")
	s.cell(strings.Replace(source, `"own-transe-l2", Title: "Own TransE-L2"`, `"of-a-cell", Title: "Of a cell"`, 1))
	facts := "head,relation,tail\n"
	for i := range 60 {
		facts += fmt.Sprintf("n%d,r%d,n%d\n", i%12, i%3, (i*5+i/12)%12)
	}
	expect.NoError(t, os.WriteFile("small.csv", []byte(facts), 0o644))
	s.cell(`g := lab.Graph("small.csv"); m := lab.Model("of-a-cell").Dim(3).Epochs(2).Set("gamma", 4)`)
	s.cell(`run := lab.Train(g, m)`)
	if text, _ := s.cell(`run.Ask("n0", "r0", "?")`); !strings.Contains(text, "Of a cell") {
		t.Errorf("the answers are\n%s", text)
	}
	if text, _ := s.cell(`lab.Train(g, m.Name("again")).Digest() == run.Digest()`); text != "true" {
		t.Error("trained again it has other bits")
	}
	s.cell(`points := lab.Train(g, lab.Model("rotate").Dim(3).Epochs(2)); both := lab.Stack(run, points)`)
	if text, _ := s.cell(`lab.Compare(run, both).Table("clean")`); !strings.Contains(text, "\nOf a cell ") || !strings.Contains(text, "Of a cell + RotatE") {
		t.Errorf("the table is\n%s", text)
	}
	runs, err := s.tracker.Runs(t.Context(), tracker.Filter{Name: "again"})
	expect.NoError(t, err)
	dir, err := runs[0].ArtifactDir()
	expect.NoError(t, err)
	kept := string(expect.Must[[]byte](t)(os.ReadFile(filepath.Join(dir, answer.GeometryFile))))
	if !strings.HasPrefix(kept, "// cell [1]\n") || !strings.Contains(kept, "func (transE) Distance(point") || strings.Contains(kept, "lab.Train") {
		t.Errorf("kept is\n%s", kept)
	}
	s.fails(`sphere.Register(sphere.Registration{Name: "of-a-cell", New: func(sphere.Settings) sphere.Geometry { return transE{} }})`,
		"Panic", "a changed geometry needs a new one, such as of-a-cell-2")
}
