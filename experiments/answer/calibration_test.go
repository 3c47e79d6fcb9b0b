package answer

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// TestCalibrationIsKept: the run keeps probabilities next to its model, and fits again what is damaged.
func TestCalibrationIsKept(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	dir := t.TempDir()
	expect.NoError(t, os.WriteFile(filepath.Join(dir, ModelFile), nil, 0o644))
	first, err := untrained(t, g, dir).Calibrated(t.Context(), "expected-f1", 0, nil)
	expect.NoError(t, err)
	path := filepath.Join(dir, filepath.FromSlash(CalibrationFile))
	for _, change := range []struct {
		do   func(*eval.Calibrated)
		kept bool
	}{
		{func(c *eval.Calibrated) { c.New.Head[0].Intercept++ }, true},
		{func(c *eval.Calibrated) { c.New.Head = c.New.Head[1:] }, false},
		{func(c *eval.Calibrated) { c.Promise.Fitted.Tail.Right = nil }, false},
	} {
		raw, err := json.Marshal(first)
		expect.NoError(t, err)
		var changed eval.Calibrated
		if err := json.Unmarshal(raw, &changed); err != nil || !reflect.DeepEqual(&changed, first) {
			t.Fatalf("JSON changes probabilities (%v)", err)
		}
		change.do(&changed)
		if raw, err = json.Marshal(changed); err == nil {
			err = os.WriteFile(path, raw, 0o644)
		}
		expect.NoError(t, err)
		again, err := untrained(t, g, dir).Calibrated(t.Context(), "expected-f1", 0, nil)
		expect.NoError(t, err)
		if reflect.DeepEqual(again, &changed) != change.kept || reflect.DeepEqual(again, first) == change.kept {
			t.Errorf("kept is %v, want %v", !change.kept, change.kept)
		}
	}
}

// TestPromisedCutsOfDotProducts: values below 0 have probabilities, too. Every validation query together has the
// promised recall, a note says how well it is kept, and slack does not move what is promised.
func TestPromisedCutsOfDotProducts(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	run := untrained(t, g, t.TempDir())
	run.Model, err = sphere.New(sphere.Settings{Model: sphere.DistMult, Variant: sphere.Clean, Dimension: 4, Gamma: 1,
		Epsilon: 2}, g, 3)
	expect.NoError(t, err)
	run.Config.Model, run.Config.Variant = string(sphere.DistMult), sphere.Clean
	cut := Cut{Name: "recall-0.9"}
	r, err := run.Retriever(t.Context(), cut, retrieve.Options{}, nil)
	expect.NoError(t, err)
	found := 0
	for _, f := range g.Valid {
		a, err := r.Answer(t.Context(), f.Query(kg.TailSide))
		expect.NoError(t, err)
		if a.Slacks[f.Tail] >= 0 {
			found++
		}
	}
	if share := float64(found) / float64(len(g.Valid)); math.Abs(share-.9) > .1 {
		t.Errorf("the sets hold %g of the validation answers", share)
	}
	note, err := run.NovelNote(t.Context(), r, 0, nil)
	if err != nil || note == nil || !strings.Contains(note.Text, "recall 0.9 of new answers begins at") {
		t.Errorf("note %+v, %v", note, err)
	}
	cut.Slack = 1
	if _, err := run.Retriever(t.Context(), cut, retrieve.Options{}, nil); err == nil ||
		!strings.Contains(err.Error(), "slack cannot move it") {
		t.Errorf("slack: error %v", err)
	}
}
