package foreign_test

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/experiments/foreign"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
)

// TestPyKEENItself reads models that PyKEEN trains now: their filtered MRR is what PyKEEN reports.
func TestPyKEENItself(t *testing.T) {
	t.Parallel()
	python := os.Getenv("SPHERELAB_TEST_PYKEEN")
	if python == "" {
		t.Skip("no PyKEEN to compare with: set SPHERELAB_TEST_PYKEEN to the Python of an environment that has it " +
			"(pip install pykeen)")
	}
	g, folder := ten(t), t.TempDir()
	cmd := exec.Command(python, "../../_tool/python/pykeen_models.py", filepath.Join("testdata", "ten"), folder)
	out, err := cmd.Output()
	if stopped, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%v\n%s", err, stopped.Stderr)
	}
	expect.NoError(t, err)
	var reported map[string]float64
	expect.NoError(t, json.Unmarshal(out, &reported))
	for _, model := range pykeenFolders() {
		m, err := foreign.Open(filepath.Join(folder, model), g, foreign.Options{})
		expect.NoError(t, err)
		report, err := eval.Run(t.Context(), m.Model, g, eval.Settings{Cuts: []eval.Cut{eval.Top(2)}})
		expect.NoError(t, err)
		if got, want := report.Ranking.Both.MRR, reported[model]; !(math.Abs(got-want) <= 1e-6) {
			t.Errorf("%s: MRR %v, PyKEEN reports %v", model, got, want)
		}
	}
}
