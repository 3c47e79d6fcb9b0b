package answer

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
)

// untrained is a run in a folder, whose model has its initial parameters.
func untrained(t *testing.T, g *kg.Graph, dir string) *Run {
	t.Helper()
	m, err := sphere.New(sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Paper, Dimension: 2, Gamma: 1,
		Epsilon: 2,
		Alpha:   .1, Beta: .06}, g, 3)
	expect.NoError(t, err)
	c := config.Default()
	c.Variant = sphere.Paper
	info := tracker.RunInfo{ID: strings.Repeat("a", 32), ArtifactURI: "file://" + dir}
	return &Run{Info: info, Graph: g, Model: m, Config: c}
}

func TestThresholdsAreKept(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	dir, ctx := t.TempDir(), context.Background()
	path := filepath.Join(dir, filepath.FromSlash(ThresholdsFile))
	limit := func(run *Run, q kg.Query) float32 {
		t.Helper()
		r, err := run.Retriever(ctx, Cut{Name: "fitted-f1"}, retrieve.Options{}, nil)
		expect.NoError(t, err)
		var set retrieve.Set
		expect.NoError(t, r.Set(ctx, q, &set))
		return set.Threshold
	}
	first := untrained(t, g, dir)
	list, err := eval.Fit(ctx, first.Model, g, eval.FitSettings{})
	expect.NoError(t, err)
	q := g.Valid[0].Query(kg.TailSide)
	want := list[0].Limit(q)
	if got := limit(first, q); got != want {
		t.Errorf("threshold %v, want %v", got, want)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("thresholds are kept where there is no model")
	}
	expect.NoError(t, os.WriteFile(filepath.Join(dir, ModelFile), nil, 0o644))
	if got := limit(untrained(t, g, dir), q); got != want {
		t.Errorf("threshold %v, want %v", got, want)
	}
	raw, err := os.ReadFile(path)
	expect.NoError(t, err)
	var kept []sphere.Thresholds
	if err := json.Unmarshal(raw, &kept); err != nil || !reflect.DeepEqual(kept, list) {
		t.Errorf("other thresholds are kept (%v)", err)
	}
	// What is kept is read, unless it is damaged or of another graph.
	for _, c := range []struct {
		change func()
		want   float32
	}{
		{func() { kept[0].Tail[q.Relation] = 7 }, 7},
		{func() { kept[0].Tail = kept[0].Tail[1:] }, want},
		{func() { kept = kept[1:] }, want},
	} {
		c.change()
		if raw, err = json.Marshal(kept); err == nil {
			err = os.WriteFile(path, raw, 0o644)
		}
		expect.NoError(t, err)
		if got := limit(untrained(t, g, dir), q); got != c.want {
			t.Errorf("threshold %v, want %v", got, c.want)
		}
	}
}

func TestDefaultCut(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	run := untrained(t, g, t.TempDir())
	facts := fmt.Sprintf("fitted on %d validation facts", len(g.Valid))
	isDefault(t, run, "fitted-novel", "the run has thresholds "+facts+", and eval.calibrate is off")
	run.Config.Eval.Calibrate = true
	isDefault(t, run, "expected-novel", "the run has probabilities "+facts)
	run.Config.Eval.Sample = 50
	sampled := strings.Replace(facts, "on", "on some queries of", 1)
	isDefault(t, run, "expected-novel", "the run has probabilities "+sampled)
	run.Config.Eval.Criterion = "sphere"
	isDefault(t, run, "sphere", "the run's config chooses it")
	if note := run.CutNote(Cut{Name: "sphere"}); note != "" {
		t.Errorf("a cut that was asked for is explained: %q", note)
	}
	bare, err := kg.New("bare", [][3]string{{"a", "r", "b"}, {"b", "r", "c"}}, nil, [][3]string{{"a", "r", "c"}})
	expect.NoError(t, err)
	run = untrained(t, bare, t.TempDir())
	isDefault(t, run, "intersect", "the run has no validation facts")
	few, err := kg.New("few", [][3]string{{"a", "r", "b"}, {"b", "r", "c"}}, [][3]string{{"a", "r", "c"}}, nil)
	expect.NoError(t, err)
	little := untrained(t, few, t.TempDir())
	isDefault(t, little, "fitted-novel",
		"thresholds are fitted on 1 validation fact, too few for probabilities, which need 10")
	little.Config.Eval.Calibrate = true // asked for, so its table and its answers have it
	isDefault(t, little, "expected-novel", "the run has probabilities fitted on 1 validation fact")
	for _, cut := range []string{"fitted-f1", "expected-novel", "precision-0.8", "recall-0.5"} {
		_, err = run.Retriever(t.Context(), Cut{Name: cut}, retrieve.Options{}, nil)
		if err == nil || !strings.Contains(err.Error(), "no validation facts to fit cut "+cut) ||
			!slices.Equal(hint.Of(err), []hint.Hint{{Action: hint.UseCut, Subject: "intersect"}}) {
			t.Errorf("%s: error %v", cut, err)
		}
	}
}

func isDefault(t *testing.T, run *Run, cut, why string) {
	t.Helper()
	if got := run.DefaultCut(kg.TailSide); got != cut {
		t.Errorf("the default cut is %s, want %s", got, cut)
	}
	if got, want := run.CutNote(Cut{Slack: 1}), "cut "+cut+": "+why; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
}

func TestParseAnswerCut(t *testing.T) {
	t.Parallel()
	for _, name := range append(eval.CutNames(), "top-1", "top-4711") {
		if c, err := ParseCut(name); err != nil || c.Name() != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]string{"": "there is no cut", "fitted-f2": `did you mean "fitted-f1"?`,
		"lookup": "needs no model", "top-0": "there is no cut", "margn": `did you mean "margin"?`} {
		if _, err := ParseCut(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", name, err, want)
		}
	}
}

// TestNovelNote: spheres of initial radii touch nothing, so the criterion of variant paper gets a note that names a cut
// which retrieves something; a cut that retrieves something gets none.
func TestNovelNote(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	run := untrained(t, g, t.TempDir())
	for _, c := range []struct {
		cut  Cut
		note bool
	}{
		{Cut{Name: "intersect"}, true},
		{Cut{Name: "intersect", Slack: -100}, false},
		{Cut{Name: "top-200"}, false},
	} {
		r, err := run.Retriever(t.Context(), c.cut, retrieve.Options{}, nil)
		expect.NoError(t, err)
		for range 2 { // the second is remembered
			note, err := run.NovelNote(t.Context(), r, 0, nil)
			if err != nil || (note != nil) != c.note {
				t.Errorf("%+v: note %v, %v", c.cut, note, err)
			}
			if note != nil && !strings.Contains(note.Text, "cut intersect retrieves") {
				t.Errorf("note %q", note.Text)
			}
		}
	}
}

// A criterion that only another model has is refused before its values are computed, and not offered.
func TestCutsThatFitTheModel(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{sphere.SpherE2D: "margin sphere intersect", sphere.RotatE: "margin sphere intersect",
		sphere.BoxE: "margin sphere intersect boxes", sphere.DistMult: "", "rotate+sphere-2d": "margin"} {
		c := config.Default()
		c.Model = model
		var got []string
		for _, name := range CutNamesFor(c) {
			if slices.Contains(sphere.Criteria(), sphere.Criterion(name)) {
				got = append(got, name)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s has the criteria %q, want %q", model, text, want)
		}
	}
	g, err := kg.Bundled()
	expect.NoError(t, err)
	run := untrained(t, g, t.TempDir())
	for _, name := range []string{"boxes", "blocks"} {
		if _, err := run.Retriever(context.Background(), Cut{Name: name}, retrieve.Options{}, nil); err == nil ||
			!strings.Contains(err.Error(), "cut "+name+" does not fit the model") {
			t.Errorf("cut %s: %v", name, err)
		}
	}
}
