package eval

import (
	"context"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// trained returns a model of FB15k-237 after a few epochs of the released configuration, with a learning rate that
// makes up for the epochs left out: models trained as little at the usual rate put almost every entity into every set.
func trained(b *testing.B, epochs int) (*sphere.Model, *kg.Graph) {
	b.Helper()
	g, err := kg.Load(graphtest.Folder(b, "fb15k-237"))
	expect.NoError(b, err)
	settings := sphere.Settings{Model: "sphere-2d", Variant: "released", Dimension: 200, Gamma: 6, Epsilon: 2, Tau: .1}
	m, err := sphere.New(settings, g, 42)
	expect.NoError(b, err)
	t, err := sphere.NewTrainer(m, g, sphere.Training{Epochs: epochs, Steps: 100, Batch: 2721, Negatives: 25, Seed: 42,
		Sampling:    "bernoulli",
		Temperature: 2, LearningRate: 5e-4, Beta1: .9, Beta2: .999, AdamEpsilon: 1e-8})
	expect.NoError(b, err)
	defer t.Close()
	for range epochs {
		if _, err := t.Epoch(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	return m, g
}

// benchEpochs is enough for sets that are a fraction of all entities.
const benchEpochs = 3

// BenchmarkEvaluation is the full evaluation of FB15k-237's test split: three criteria, six top-l cuts, two lookup
// rows, ranks, and 1,000 resamples; what a final evaluation of `train` does. "fitted" adds what eval.fit adds.
func BenchmarkEvaluation(b *testing.B) {
	m, g := trained(b, benchEpochs)
	fitted, err := Fit(b.Context(), m, g, FitSettings{})
	expect.NoError(b, err)
	full := with(every, defaultCuts()...)
	for _, c := range []struct {
		name     string
		settings Settings
	}{
		{"full", Settings{Cuts: full, Resamples: 1000}},
		{"no-intervals", Settings{Cuts: full}},
		{"fitted", Settings{Cuts: with(full, append(cutsOf(fitted), TopMean{})...)}},
		{"one-cut", Settings{Cuts: defaultCut, SkipRanking: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := Run(context.Background(), m, g, c.settings)
				expect.NoError(b, err)
				b.ReportMetric(r.Cuts[0].Head.Size, "head-set")
			}
		})
	}
}

// BenchmarkFit fits all thresholds on FB15k-237's validation split.
func BenchmarkFit(b *testing.B) {
	m, g := trained(b, benchEpochs)
	for b.Loop() {
		if _, err := Fit(b.Context(), m, g, FitSettings{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFinal is the final evaluation of the committed configs: thresholds are fitted, and all cuts are measured
// with ranks and intervals.
func BenchmarkFinal(b *testing.B) {
	m, g := trained(b, benchEpochs)
	full := with(every, defaultCuts()...)
	for b.Loop() {
		fitted, err := Fit(b.Context(), m, g, FitSettings{})
		expect.NoError(b, err)
		s := Settings{Cuts: with(full, append(cutsOf(fitted), TopMean{})...), Resamples: 1000}
		if _, err := Run(b.Context(), m, g, s); err != nil {
			b.Fatal(err)
		}
	}
}
