package results_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// initialRun is a run of a model with initial parameters.
func initialRun(t *testing.T, g *kg.Graph, model, variant string, reciprocal bool) *answer.Run {
	t.Helper()
	c := config.Default()
	c.Model, c.Variant, c.Dimension, c.Reciprocal, c.Tau, c.Alpha, c.Beta = model, variant, 3, reciprocal, .3, .2, .1
	m, err := sphere.New(c.Settings(), g, 7)
	expect.NoError(t, err)
	return answer.Judge("initial", m, g, c)
}

// TestExportModel exports every model in every variant and reads it back. In Python the documented code scores the
// files, where it knows the model.
func TestExportModel(t *testing.T) {
	t.Parallel()
	facts := [][3]string{{"Ann", "drinks", "te\"a"}, {"Bob", "drinks", "milk"}, {"Bob", "knows", "Ann"}}
	g, err := kg.New("tea", facts, nil, nil)
	expect.NoError(t, err)
	type scored struct {
		folder string
		want   float64
	}
	var all []scored
	for _, model := range sphere.Models() {
		if sphere.IsUntrained(model) {
			continue
		}
		product := slices.Contains([]string{sphere.DistMult, sphere.ComplEx, sphere.RESCAL}, model)
		for _, variant := range sphere.Variants() {
			for _, reciprocal := range []bool{false, true} {
				if (sphere.Settings{Model: model, Variant: variant, Dimension: 3, Gamma: 1, Epsilon: 1, Tau: 1,
					Alpha: 1, Beta: 1, Reciprocal: reciprocal}).Validate() != nil {
					continue
				}
				run := initialRun(t, g, model, variant, reciprocal)
				dir := filepath.Join(t.TempDir(), fmt.Sprint(model, variant, reciprocal))
				expect.NoError(t, results.ExportModel(run, dir))
				read, _, err := sphere.Load(filepath.Join(dir, results.ExportedModel))
				if err != nil || read.Digest() != run.Model.Digest() {
					t.Errorf("%s %s: %v", model, variant, err)
				}
				card, err := os.ReadFile(filepath.Join(dir, results.ExportedCard))
				has := func(text string) bool { return strings.Contains(string(card), text) }
				if err != nil || !has("score = ") || !has("no final evaluation") || has("registered") || has("|  |") {
					t.Errorf("%s %s: %v\n%s", model, variant, err, card)
				}
				values := make([]float32, g.Entities.Len())
				q := g.Train[0].Query(kg.TailSide)
				run.Model.Distances([]kg.Query{q}, values)
				run.Model.Values(sphere.CriterionMargin, q, values, values)
				score := -float64(values[g.Train[0].Tail])
				if !product {
					score += run.Config.Gamma
				}
				if run.Config.Settings().Coordinates() <= 3 {
					all = append(all, scored{dir, score})
				}
			}
		}
	}
	err = results.ExportModel(initialRun(t, g, sphere.TransE, sphere.Clean, false), all[0].folder)
	if err == nil || !strings.Contains(err.Error(), "has files, such as README.md; name one that is empty") {
		t.Errorf("a folder with files: %v", err)
	}

	python := os.Getenv("SPHERELAB_PYTHON")
	if python == "" {
		t.Skip("SPHERELAB_PYTHON is not set: run make test, which makes a Python environment with numpy and safetensors")
	}
	script := runtest.DocumentedCode(t, "../../docs/python.md", "score") + runtest.DocumentedCode(t, "../../docs/python.md", "tensors") + `
import sys
for folder in sys.argv[4:]:
    with safe_open(f"{folder}/model.safetensors", "numpy") as file:
        plain = tensors(f"{folder}/model.safetensors")
        assert sorted(plain) == sorted(file.keys()) and all((plain[k] == file.get_tensor(k)).all() for k in plain)
print(json.dumps([score(folder, *sys.argv[1:4])["score"] for folder in sys.argv[4:]]))
`
	f := g.Train[0]
	args := []string{"-c", script, g.Entities.Name(f.Head), g.Relations.Name(f.Relation), g.Entities.Name(f.Tail)}
	for _, s := range all {
		args = append(args, s.folder)
	}
	out, err := exec.Command(python, args...).CombinedOutput()
	var got []float64
	if err != nil || json.Unmarshal(out, &got) != nil || len(got) != len(all) {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, s := range all {
		if !(math.Abs(got[i]-s.want) <= 1e-5*(1+math.Abs(s.want))) {
			t.Errorf("%s: Python has score %v, want %v", filepath.Base(s.folder), got[i], s.want)
		}
	}
}
