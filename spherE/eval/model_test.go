package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// briefly trains m, so that its scales are no longer 1.
func briefly(t *testing.T, m *sphere.Model, g *kg.Graph) {
	t.Helper()
	trainer, err := sphere.NewTrainer(m, g, sphere.Training{Epochs: 1, Steps: 20, Batch: 20, Negatives: 5, Threads: 1,
		Sampling:    "bernoulli",
		Temperature: 2, LearningRate: .05, Beta1: .9, Beta2: .999, AdamEpsilon: 1e-8})
	expect.NoError(t, err)
	defer trainer.Close()
	if _, err := trainer.Epoch(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestRealModels evaluates briefly trained models of all kinds against the twin, and with other threads and blocks.
func TestRealModels(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(50), 18, 4, 10)
	g := f.graph(t)
	for _, s := range []sphere.Settings{
		{Model: "rotate", Variant: "released", Dimension: 6, Gamma: 6, Epsilon: 2, Tau: .1},
		{Model: "sphere-2d", Variant: "released", Dimension: 6, Gamma: 6, Epsilon: 2, Tau: .1},
		{Model: "sphere-2d", Variant: "paper", Dimension: 6, Gamma: 2, Epsilon: 2, Alpha: .1, Beta: .06},
		{Model: "sphere-2d", Variant: "clean", Dimension: 6, Gamma: 6, Epsilon: 2},
		{Model: "rotate3d", Variant: "released", Dimension: 6, Gamma: 6, Epsilon: 2, Tau: .1},
		{Model: "rotate3d", Variant: "paper", Dimension: 6, Gamma: 2, Epsilon: 2, Alpha: .1, Beta: .06},
		{Model: "sphere-3d", Variant: "released", Dimension: 6, Gamma: 6, Epsilon: 2, Tau: .1},
		{Model: "sphere-3d", Variant: "paper", Dimension: 6, Gamma: 2, Epsilon: 2, Alpha: .1, Beta: .06},
		{Model: "sphere-3d", Variant: "clean", Dimension: 6, Gamma: 6, Epsilon: 2},
		{Model: "house-5d", Variant: "released", Dimension: 3, Gamma: 5, Epsilon: 2, Tau: .1},
		{Model: "sphere-5d", Variant: "clean", Dimension: 3, Gamma: 5, Epsilon: 2},
		{Model: "sphere-5d", Variant: "released", Dimension: 3, Gamma: 5, Epsilon: 2, Tau: .1},
		{Model: "transe", Variant: "clean", Dimension: 6, Gamma: 6, Epsilon: 2},
		{Model: "transe-l2", Variant: "clean", Dimension: 6, Gamma: 6, Epsilon: 2},
		{Model: "complex", Variant: "clean", Dimension: 6, Gamma: 6, Epsilon: 2},
		{Model: "distmult", Variant: "clean", Dimension: 6, Gamma: 6, Epsilon: 2},
	} {
		t.Run(s.Model+" "+s.Variant, func(t *testing.T) {
			m, err := sphere.New(s, g, 1)
			expect.NoError(t, err)
			briefly(t, m, g)
			criteria := []sphere.Criterion{sphere.CriterionMargin, sphere.CriterionIntersect, sphere.CriterionSphere}
			primary := string(m.DefaultCriterion())
			switch has := s.Criteria(); {
			case len(has) == 0: // of a dot product; the first cut that is left is the primary one
				criteria, primary = nil, "top-1"
			case has[0] == sphere.CriterionBlocks:
				criteria = has
			}
			settings := Settings{Cuts: with(defaultCut, Top(1), Top(5)), KeepRecords: true}
			for _, c := range criteria {
				settings.Cuts = append(settings.Cuts, Criterion(c))
			}
			r := mustRun(t, m, g, settings)
			if r.Primary != primary {
				t.Errorf("primary cut %q, want %q", r.Primary, primary)
			}
			var cuts []string
			if len(criteria) > 0 {
				cuts = append(cuts, r.Primary)
			}
			for _, c := range criteria {
				if string(c) != r.Primary {
					cuts = append(cuts, string(c))
				}
			}
			w := newTwin(f, g, m, settings)
			compareMaps(t, "twin", r.Metrics(), w.metrics(r.Primary,
				append(cuts, "top-1", "top-5", "lookup", "lookup-train")))
			for _, threads := range []int{1, 3} {
				for _, block := range []int{1, 7} {
					settings.Threads, settings.Block = threads, block
					if !bytes.Equal(mustJSON(t, r), mustJSON(t, mustRun(t, m, g, settings))) {
						t.Errorf("threads %d, block %d: another report", threads, block)
					}
				}
			}
		})
	}
}

// TestBitsAreThoseOfNumericsVersion holds every digit of an evaluation with records and intervals. Whoever has to
// change the digest raises sphere.NumericsVersion.
func TestBitsAreThoseOfNumericsVersion(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(51), 40, 5, 30)
	g := f.graph(t)
	settings := sphere.Settings{Model: "sphere-2d", Variant: "released", Dimension: 9, Gamma: 6, Epsilon: 2, Tau: .1}
	m, err := sphere.New(settings, g, 3)
	expect.NoError(t, err)
	r := mustRun(t, m, g, Settings{Cuts: with(every, defaultCuts()...), Resamples: 50, Seed: 4, KeepRecords: true})
	const want = "64bc58781e2510237c0108403abef525918531e3190f599bfaf36a10f7f11603"
	if got := fmt.Sprintf("%x", sha256.Sum256(mustJSON(t, r))); got != want {
		t.Errorf("digest of the report %s, want %s", got, want)
	}
	for _, c := range r.Cuts { // which came later
		maps.DeleteFunc(c.Intervals, func(metric string, _ Interval) bool { return LaterInterval(metric) })
	}
	const before = "c6483959793636eb524416e5c67563db953596c5c1828faf9a6ed813fa7de95d"
	if got := fmt.Sprintf("%x", sha256.Sum256(mustJSON(t, r))); got != before {
		t.Errorf("digest without the intervals of novel and union F1 %s, want %s", got, before)
	}
}

// TestFittedBitsAreThoseOfNumericsVersion holds every digit of fitted thresholds, as the test above.
func TestFittedBitsAreThoseOfNumericsVersion(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(53), 90, 7, 20).graph(t)
	hashed := sha256.New()
	for _, s := range []sphere.Settings{
		{Model: "sphere-2d", Variant: "released", Dimension: 9, Gamma: 6, Epsilon: 2, Tau: .1},
		{Model: "sphere-2d", Variant: "paper", Dimension: 6, Gamma: 2, Epsilon: 2, Alpha: .1, Beta: .06},
		{Model: "sphere-3d", Variant: "released", Dimension: 6, Gamma: 6, Epsilon: 2, Tau: .1},
		{Model: "rotate3d", Variant: "clean", Dimension: 6, Gamma: 6, Epsilon: 2},
	} {
		m, err := sphere.New(s, g, 5)
		expect.NoError(t, err)
		briefly(t, m, g)
		fitted, err := Fit(t.Context(), m, g, FitSettings{})
		expect.NoError(t, err)
		expect.NoError(t, json.NewEncoder(hashed).Encode(fitted))
	}
	const want = "090c25d934aed0a3906640baf4fd2a5df53b3fd6a94112081cac11426694281b"
	if got := fmt.Sprintf("%x", hashed.Sum(nil)); got != want {
		t.Errorf("digest of the thresholds %s, want %s", got, want)
	}
}

// TestTestTriplesStayOutOfValidation changes the test triples only: no validation metric may move.
func TestTestTriplesStayOutOfValidation(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(52), 30, 4, 20)
	other := f
	other.test = nil
	for _, x := range f.test { // every test fact again, with another tail, so that categories change
		other.test = append(other.test, x, [3]string{x[0], x[1], f.train[0][0]}, [3]string{x[0], x[1], f.train[1][0]})
	}
	settings := Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}}
	var metrics []map[string]float64
	for _, facts := range []facts{f, other} {
		g := facts.graph(t)
		m, err := sphere.New(sphere.Settings{Model: "sphere-2d", Variant: "clean", Dimension: 6, Gamma: 6, Epsilon: 2},
			g, 1)
		expect.NoError(t, err)
		metrics = append(metrics, mustRun(t, m, g, settings).Metrics())
	}
	compareMaps(t, "with other test triples", metrics[1], metrics[0])
}
