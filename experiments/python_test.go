package experiments

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestDocumentedPythonScores trains models, scores a fact with the code of docs/python.md from only the run's
// artifacts, and compares the numbers with the explanation of the same fact.
func TestDocumentedPythonScores(t *testing.T) {
	t.Parallel()
	python := os.Getenv("SPHERELAB_PYTHON")
	if python == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("SPHERELAB_PYTHON is not set: run this by make test")
		}
		t.Skip("SPHERELAB_PYTHON is not set: run make test, which makes a Python environment with numpy and safetensors")
	}
	script := runtest.DocumentedCode(t, "../docs/python.md", "score") + `
import sys
print(json.dumps(score(*sys.argv[1:])))
`
	ctx, tr := context.Background(), trackertest.Open(t)
	for _, c := range []struct {
		model, variant string
		reciprocal     bool
	}{
		{sphere.SpherE2D, sphere.Clean, false}, {sphere.SpherE2D, sphere.Released, false},
		{sphere.SpherE2D, sphere.Paper, false}, {sphere.RotatE, sphere.Paper, false},
		{sphere.Rotate3D, sphere.Clean, false}, {sphere.Rotate3D, sphere.Released, false},
		{sphere.SpherE3D, sphere.Released, false}, {sphere.SpherE3D, sphere.Paper, false},
		{sphere.BoxE, sphere.Clean, false}, {sphere.TransE, sphere.Clean, false},
		{sphere.TransEL2, sphere.Clean, false},
		{sphere.DistMult, sphere.Clean, false},
		{sphere.DistMult, sphere.Clean, true}, {sphere.ComplEx, sphere.Clean, false},
		{sphere.ComplEx, sphere.Clean, true}, {sphere.RESCAL, sphere.Clean, false}, {sphere.RESCAL, sphere.Clean, true},
	} {
		cfg := runtest.SmallConfig(runtest.CircleGraph(t, 30))
		cfg.Model, cfg.Variant, cfg.Tau, cfg.Reciprocal = c.model, c.variant, 0.3, c.reciprocal
		product := slices.Contains([]string{sphere.DistMult, sphere.ComplEx, sphere.RESCAL}, c.model)
		result, err := (&Runner{Tracker: tr, Environment: ReadEnvironment(ctx)}).Train(ctx, runtest.Checked(t, cfg))
		expect.NoError(t, err)
		run, err := answer.Open(ctx, tr, result.RunID, nil)
		expect.NoError(t, err)
		triple := run.Graph.Test[0]
		r, err := run.Retriever(ctx, answer.Cut{Name: string(run.Criterion())}, retrieve.Options{}, nil)
		expect.NoError(t, err)
		x, err := r.Explain(ctx, triple)
		expect.NoError(t, err)
		values := make([]float32, run.Model.Entities())
		q := triple.Query(kg.TailSide)
		run.Model.Distances([]kg.Query{q}, values)
		run.Model.Values(sphere.CriterionMargin, q, values, values)
		dir, err := run.Info.ArtifactDir()
		expect.NoError(t, err)
		g := run.Graph
		out, err := exec.Command(python, "-c", script, dir, g.Entities.Name(triple.Head),
			g.Relations.Name(triple.Relation), g.Entities.Name(triple.Tail)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var got map[string]float64
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		wants := map[string]float64{"distance": float64(x.Distance), "head_radius": float64(x.HeadRadius),
			"tail_radius": float64(x.TailRadius), "score": x.Gamma - float64(values[triple.Tail])}
		if product {
			wants = map[string]float64{"score": -float64(x.Distance)}
		}
		for key, want := range wants {
			if have, ok := got[key]; !ok || !(math.Abs(have-want) <= 1e-4*(1+math.Abs(want))) {
				t.Errorf("%s %s: Python has %s %v, explain %v", c.model, c.variant, key, have, want)
			}
		}
	}
}

// TestNamesBesideTheModel reads the artifacts with the names back: all of them, in the order of the ids.
func TestNamesBesideTheModel(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	path := filepath.Join(t.TempDir(), "entities.tsv") // a file of the user with the name of one of ours
	facts := "head\trelation\ttail\n\"tab\there\"\tknows\tb\nb\tknows\tc\nc\tlikes\t\"tab\there\"\n"
	expect.NoError(t, os.WriteFile(path, []byte(facts), 0o644))
	cfg := runtest.SmallConfig(path)
	cfg.Train.Negatives, cfg.Eval.Every, cfg.Eval.Final, cfg.File.Quotes = 1, 0, false, kg.QuotesCSV
	result, err := (&Runner{Tracker: tr, Environment: ReadEnvironment(ctx)}).Train(ctx, runtest.Checked(t, cfg))
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, result.RunID)
	expect.NoError(t, err)
	dir, err := info.ArtifactDir()
	expect.NoError(t, err)
	g := result.Graph
	for name, names := range map[string]*kg.Vocabulary{answer.EntitiesFile: g.Entities,
		answer.RelationsFile: g.Relations} {
		file, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
		expect.NoError(t, err)
		defer file.Close()
		r := csv.NewReader(file)
		r.Comma = '\t'
		rows, err := r.ReadAll()
		if err != nil || len(rows) != names.Len()+1 {
			t.Fatalf("%s: %d rows of %d names, %v", name, len(rows), names.Len(), err)
		}
		for id, row := range rows[1:] {
			if row[0] != strconv.Itoa(id) || row[1] != names.Name(int32(id)) {
				t.Errorf("%s: row %d is %q, want %q", name, id, row, names.Name(int32(id)))
			}
			if name == answer.EntitiesFile && row[2] != g.Label(int32(id)) {
				t.Errorf("%s: label %q, want %q", name, row[2], g.Label(int32(id)))
			}
		}
	}
	if kept, err := os.ReadFile(filepath.Join(dir, answer.GraphFolder, "entities.tsv")); err != nil || string(kept) != facts {
		t.Errorf("the run's copy of the graph: %v\n%s", err, kept)
	}
}
