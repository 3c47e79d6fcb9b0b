package results_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/cmplx"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// pykeenScore is the score of a triple by PyKEEN's formula, from its tensors.
func pykeenScore(model string, state map[string]sphere.Tensor, of kg.Triple) (score float64) {
	entity, relation := state["entity_representations.0._embeddings.weight"], state["relation_representations.0._embeddings.weight"]
	row := func(t sphere.Tensor, i int32) []float32 { return t.Data[int(i)*t.Shape[1]:][:t.Shape[1]] }
	h, r, t := row(entity, of.Head), row(relation, of.Relation), row(entity, of.Tail)
	number := func(x []float32, i int) complex128 { return complex(float64(x[2*i]), float64(x[2*i+1])) }
	for i := range h {
		switch {
		case model == sphere.TransE:
			score -= math.Abs(float64(h[i]) + float64(r[i]) - float64(t[i]))
		case model == sphere.TransEL2:
			score += math.Pow(float64(h[i])+float64(r[i])-float64(t[i]), 2)
		case model == sphere.DistMult:
			score += float64(h[i]) * float64(r[i]) * float64(t[i])
		case model == sphere.RESCAL:
			for j := range t {
				score += float64(h[i]) * float64(r[i*len(t)+j]) * float64(t[j])
			}
		case i >= len(h)/2:
		case model == sphere.ComplEx:
			score += real(number(h, i) * number(r, i) * cmplx.Conj(number(t, i)))
		default:
			score += math.Pow(cmplx.Abs(number(h, i)*number(r, i)-number(t, i)), 2)
		}
	}
	if model == sphere.RotatE || model == sphere.TransEL2 {
		return -math.Sqrt(score)
	}
	return score
}

// TestExportForPyKEEN scores exported tensors by PyKEEN's formulas, and with PyKEEN itself by the documented code. A
// model that PyKEEN does not have gets no file.
func TestExportForPyKEEN(t *testing.T) {
	t.Parallel()
	g, err := kg.New("tea", [][3]string{{"Ann", "drinks", "tea"}, {"Bob", "drinks", "milk"}, {"Bob", "knows", "Ann"}}, nil, nil)
	expect.NoError(t, err)
	folder := t.TempDir()
	want := map[string][]float64{}
	for _, c := range []struct {
		model, variant string
		reciprocal, is bool
	}{
		{sphere.TransE, sphere.Clean, false, true}, {sphere.TransEL2, sphere.Clean, false, true},
		{sphere.DistMult, sphere.Clean, false, true},
		{sphere.ComplEx, sphere.Clean, false, true}, {sphere.RotatE, sphere.Paper, false, true},
		{sphere.RESCAL, sphere.Clean, false, true}, {sphere.RESCAL, sphere.Clean, true, false},
		{sphere.RotatE, sphere.Clean, false, false}, {sphere.DistMult, sphere.Clean, true, false},
		{sphere.ComplEx, sphere.Clean, true, false}, {sphere.BoxE, sphere.Clean, false, false},
		{sphere.SpherE2D, sphere.Paper, false, false},
	} {
		run := initialRun(t, g, c.model, c.variant, c.reciprocal)
		dir := filepath.Join(folder, fmt.Sprint(c.model, c.variant, c.reciprocal))
		expect.NoError(t, results.ExportModel(run, dir))
		state, err := sphere.ReadTensors(filepath.Join(dir, results.ExportedPyKEEN))
		if !c.is {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s %s: %v, want no file", c.model, c.variant, err)
			}
			continue
		}
		expect.NoError(t, err)
		dist := make([]float32, g.Entities.Len())
		for _, f := range g.Train {
			run.Model.Distances([]kg.Query{f.Query(kg.TailSide)}, dist)
			ours := -float64(dist[f.Tail])
			want[dir+"|"+sphere.Title(c.model)] = append(want[dir+"|"+sphere.Title(c.model)], ours)
			if theirs := pykeenScore(c.model, state, f); math.Abs(ours-theirs) > 1e-6*(1+math.Abs(ours)) {
				t.Errorf("%s: PyKEEN's formula gives %v, the model %v", c.model, theirs, ours)
			}
		}
	}
	python := os.Getenv("SPHERELAB_TEST_PYKEEN")
	if python == "" {
		t.Skip("no PyKEEN to compare with: set SPHERELAB_TEST_PYKEEN to the Python of an environment that has it " +
			"(pip install pykeen)")
	}
	script := runtest.DocumentedCode(t, "../../docs/python.md", "tensors") +
		runtest.DocumentedCode(t, "../../docs/python.md", "pykeen") + `
import sys
scores = {}
for where in sys.argv[2:]:
    folder, name = where.split("|")
    name, _, norm = name.partition("-L")
    model = load(folder, name, **({"scoring_fct_norm": int(norm or 1)} if name == "TransE" else {}))
    scores[where] = model.score_hrt(torch.tensor(json.loads(sys.argv[1]))).flatten().tolist()
print(json.dumps(scores))
`
	var facts [][3]int32
	for _, f := range g.Train {
		facts = append(facts, [3]int32{f.Head, f.Relation, f.Tail})
	}
	args := []string{"-c", script, string(expect.Must[[]byte](t)(json.Marshal(facts)))}
	for where := range want {
		args = append(args, where)
	}
	out, err := exec.Command(python, args...).Output()
	expect.NoError(t, err)
	var got map[string][]float64
	expect.NoError(t, json.Unmarshal(out, &got))
	for where, scores := range want {
		for i, ours := range scores {
			if len(got[where]) != len(scores) || math.Abs(got[where][i]-ours) > 1e-6*(1+math.Abs(ours)) {
				t.Errorf("%s: PyKEEN scores %v, the model %v", filepath.Base(where), got[where], scores)
				break
			}
		}
	}
}
