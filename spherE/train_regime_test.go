package sphere

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
	"github.com/spherelab/spherelab/spherE/kg"
)

// houseTraining is the regime of HousE: one side per step, weighted positives, a regularizer, and a rate that drops
// twice within two epochs.
func houseTraining() Training {
	s := publishedTraining(2, 5, 12, 4, 8)
	s.Threads, s.LearningRate, s.AdamEpsilon, s.Sampling = 2, 0.01, 1e-3, "alternate"
	s.Subsample, s.Regularizer, s.WarmUp = true, 0.3, 4
	return s
}

// regimeModels are models of every kind of distance.
func regimeModels() []testCase {
	return []testCase{
		{HousE5D, Released}, {HousE5D, Clean}, {SpherE5D, Released}, {SpherE5D, Clean},
		{SpherE2D, Released}, {SpherE2D, Paper}, {SpherE3D, Released},
	}
}

// rarity is the subsampling weight, from counts of the training triples.
func rarity(g *kg.Graph, x kg.Triple) float64 {
	n := 3.0 + 3
	for _, other := range g.Train {
		if other.Relation == x.Relation && other.Head == x.Head {
			n++
		}
		if other.Relation == x.Relation && other.Tail == x.Tail {
			n++
		}
	}
	return 1 / math.Sqrt(n)
}

// TestGoldenRegime trains the float64 reference in the regime of HousE and compares it with the trainer, step by step.
func TestGoldenRegime(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 2, 14, 3, 80)
	settings := houseTraining()
	for _, c := range regimeModels() {
		t.Run(c.String(), func(t *testing.T) {
			trainer := newTestTrainer(t, c, g, 3, settings)
			ref := newReference(trainer.model)
			ref.regularizer = settings.Regularizer
			variables := ref.variables(trainer.model)
			m, v := make([]float64, len(variables)), make([]float64, len(variables))
			rate, since, step := settings.LearningRate, 0, 0
			for range settings.Epochs {
				mean := 0.0
				for range settings.Steps {
					if step == 4 || step == 8 { // the first and twice the first
						rate, since = rate/10, 0
						clear(m)
						clear(v)
					}
					batch := drawBatch(trainer.sampler, uint64(step), settings)
					for _, x := range batch.positive {
						batch.weight = append(batch.weight, rarity(g, x))
					}
					mean += ref.loss(batch, ref.attention(batch, settings.Temperature)) / float64(settings.Steps)
					gradient := ref.gradient(batch, variables, settings.Temperature)
					step++
					since++
					for i, x := range gradient {
						m[i] = settings.Beta1*m[i] + (1-settings.Beta1)*x
						v[i] = settings.Beta2*v[i] + (1-settings.Beta2)*x*x
						first := m[i] / (1 - math.Pow(settings.Beta1, float64(since)))
						second := v[i] / (1 - math.Pow(settings.Beta2, float64(since)))
						variables[i].add(-rate * first / (math.Sqrt(second) + settings.AdamEpsilon))
					}
				}
				stats, err := trainer.Epoch(context.Background())
				expect.NoError(t, err)
				if math.Abs(stats.Loss-mean) > 2e-5*math.Abs(mean) {
					t.Errorf("epoch %d: loss %.8f, reference %.8f", stats.Epoch, stats.Loss, mean)
				}
				if stats.LearningRate != rate {
					t.Errorf("epoch %d: learning rate %g, want %g", stats.Epoch, stats.LearningRate, rate)
				}
			}
			after := newReference(trainer.model)
			for i, want := range ref.flat() {
				if got := after.flat()[i]; math.Abs(got-want) > 2e-4 {
					t.Fatalf("parameter %d: %.7f, reference %.7f", i, got, want)
				}
			}
		})
	}
}

// TestRegimeIsTheSameEverywhere trains on every path with several numbers of threads.
func TestRegimeIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	want := map[testCase]string{}
	for _, c := range regimeModels() {
		want[c], _ = run(t, newTestTrainer(t, c, g, 21, houseTraining()))
		for name, change := range map[string]func(*Training){
			"subsample":   func(s *Training) { s.Subsample = false },
			"regularizer": func(s *Training) { s.Regularizer = 0 },
			"warm up":     func(s *Training) { s.WarmUp = 5 },
			"sampling":    func(s *Training) { s.Sampling = "uniform" },
			"typed":       func(s *Training) { s.TypedNegatives = .5 },
		} {
			s := houseTraining()
			change(&s)
			if got, _ := run(t, newTestTrainer(t, c, g, 21, s)); got == want[c] {
				t.Errorf("%s: %s changes nothing", c, name)
			}
		}
	}
	simdtest.Each(t, true, simd.Select, func(t *testing.T, path *simd.Kernels) {
		for _, c := range regimeModels() {
			for _, threads := range []int{1, 2, 5} {
				s := houseTraining()
				s.Threads, s.SIMD = threads, path.Name
				if got, _ := run(t, newTestTrainer(t, c, g, 21, s)); got != want[c] {
					t.Errorf("%s: %d threads on %s give other bits", c, threads, path.Name)
				}
			}
		}
	})
}

// TestRegimeResumes stops after every step, among them those at which Adam restarts, and continues from the saved
// state.
func TestRegimeResumes(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	settings := houseTraining()
	for _, c := range regimeModels() {
		want, losses := run(t, newTestTrainer(t, c, g, 21, settings))
		for stop := 1; stop < settings.Epochs*settings.Steps; stop += expect.Fewer(1, 4) {
			trainer := newTestTrainer(t, c, g, 21, settings)
			var seen []float64
			for ctx := (&stopAfter{context.Background(), stop}); ; {
				stats, err := trainer.Epoch(ctx)
				if err != nil {
					break
				}
				seen = append(seen, stats.Loss)
			}
			path := t.TempDir() + "/state.safetensors"
			expect.NoError(t, trainer.Save(path))
			resumed, err := ResumeTrainer(path, g, settings)
			expect.NoError(t, err)
			t.Cleanup(resumed.Close)
			got, rest := run(t, resumed)
			if got != want || !slices.Equal(append(seen, rest...), losses) {
				t.Errorf("%s: stopped after step %d, the resumed training gives other bits", c, stop)
			}
		}
	}
}
