package eval

import (
	"context"
	"testing"

	"github.com/spherelab/spherelab/internal/graphtest"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// trained returns a model of FB15k-237 after a few epochs of the released configuration, with a learning rate that makes
// up for the epochs left out: models trained as little at the usual rate put almost every entity into every set.
func trained(b *testing.B, epochs int) (*sphere.Model, *kg.Graph) {
	b.Helper()
	g, err := kg.Load(graphtest.Folder(b, "fb15k-237"))
	if err != nil {
		b.Fatal(err)
	}
	m, err := sphere.New(sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Released, Dimension: 200}, g, 42)
	if err != nil {
		b.Fatal(err)
	}
	t, err := sphere.NewTrainer(m, g, sphere.Training{Epochs: epochs, Steps: 100, Batch: 2721, Negatives: 25, Seed: 42, LearningRate: 5e-4})
	if err != nil {
		b.Fatal(err)
	}
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
// rows, ranks, and 1,000 resamples; what a final evaluation of `train` does.
func BenchmarkEvaluation(b *testing.B) {
	m, g := trained(b, benchEpochs)
	for _, c := range []struct {
		name      string
		resamples int
		skip      bool
	}{{"full", 1000, false}, {"no-intervals", 0, false}, {"one-cut", 0, true}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := Settings{Further: sphere.Criteria(), Resamples: c.resamples}
				if c.skip {
					s = Settings{SkipTopL: true, SkipRanking: true}
				}
				r, err := Run(context.Background(), m, g, s)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.Cuts[0].Head.Size, "head-set")
			}
		})
	}
}
