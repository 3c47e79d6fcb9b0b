package sphere

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

type testCase struct {
	model, variant string
}

func (c testCase) String() string { return c.model + "/" + c.variant }

func everyModel() []testCase {
	var all []testCase
	for _, model := range embeddings() {
		kind, _ := kindOf(model)
		for _, variant := range kind.variants {
			all = append(all, testCase{model, variant})
		}
	}
	return all
}

// maxModels is everyModel without blocks of 10 coordinates, for tests that train often. Under the race detector it is
// a third of them: what goroutines share is the same for all.
func maxModels() []testCase {
	at := -1
	return slices.DeleteFunc(everyModel(), func(c testCase) bool {
		at++
		return c.coordinates() == 10 || at%expect.Fewer(1, 3) > 0
	})
}

// smallGraph is a random graph with every relation and entity in training.
func smallGraph(tb testing.TB, seed uint64, entities, relations, triples int) *kg.Graph {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 99))
	seen := map[[3]string]bool{}
	var rows [3][][3]string
	add := func(h, k, t, split int) {
		row := [3]string{fmt.Sprintf("e%03d", h), fmt.Sprintf("r%02d", k), fmt.Sprintf("e%03d", t)}
		if !seen[row] {
			seen[row] = true
			rows[split] = append(rows[split], row)
		}
	}
	for e := range entities {
		add(e, e%relations, (e+1)%entities, 0)
	}
	for i := range triples {
		add(r.IntN(entities), r.IntN(relations), r.IntN(entities), max(0, i%10-7))
	}
	g, err := kg.New("small", rows[0], rows[1], rows[2])
	expect.NoError(tb, err)
	return g
}

// spread makes radii large enough that hinges close for some triples and not for others, and scales b of all kinds:
// large, small, negative and 0.
func spread(m *Model) {
	r := rand.New(rand.NewPCG(5, 5))
	wide := 8.0
	if m.rotation.coordinates() > 3 { // few blocks: distances are shorter
		wide = 3
	}
	for e := range m.radius[:min(len(m.radius), m.entities)] {
		m.radius[e] *= float32(r.Float64() * wide)
	}
	if m.geometry.isHinged {
		for e := range m.entities {
			for j := range m.settings.Dimension {
				m.row(int32(e))[m.rotation.coordinates()*m.blocks+j] *= float32(r.NormFloat64() * 12)
			}
		}
		m.sumRadii()
	}
	if m.rotation.coordinates() != 3 || m.settings.Variant != Released {
		return
	}
	for k := range int32(m.relations) {
		for j := range m.settings.Dimension {
			b := float32(r.NormFloat64())
			if (int(k)+j)%7 == 3 {
				b = 0
			}
			m.rawRow(k)[rawAngles*m.blocks+j] = b
		}
	}
	m.prepareAll()
}

// publishedSettings are those of the released code, with the factors of the paper's section 4.2.
func publishedSettings(model, variant string, dimension int) Settings {
	return Settings{Model: model, Variant: variant, Dimension: dimension, Gamma: 6, Epsilon: 2, Tau: 0.1, Alpha: 0.1,
		Beta: 0.07}
}

// publishedTraining has the settings of the released code, with the given sizes.
func publishedTraining(epochs, steps, batch, negatives int, seed uint64) Training {
	return Training{
		Epochs: epochs, Steps: steps, Batch: batch, Negatives: negatives, Seed: seed, Sampling: "bernoulli",
		Temperature: 2, LearningRate: 2e-5, Beta1: 0.9, Beta2: 0.999, AdamEpsilon: 1e-8,
	}
}

// coordinates is the number of coordinates of a model's blocks.
func (c testCase) coordinates() int {
	return Settings{Model: c.model, Variant: c.variant, Dimension: 1, Gamma: 1}.design(simd.Go()).rotation.coordinates()
}

// newTestTrainer makes a model of so many blocks, of fewer where a block has more than three coordinates, and of twice
// as many where it has one.
func newTestTrainer(tb testing.TB, c testCase, g *kg.Graph, dimension int, t Training) *Trainer {
	tb.Helper()
	switch k := c.coordinates(); {
	case k > 3:
		dimension = max(1, 2*dimension/k)
	case k == 1:
		dimension *= 2
	}
	s := publishedSettings(c.model, c.variant, dimension)
	s.Gamma, s.Epsilon = 2, 1
	m, err := New(s, g, t.Seed)
	expect.NoError(tb, err)
	spread(m)
	trainer, err := NewTrainer(m, g, t)
	expect.NoError(tb, err)
	tb.Cleanup(trainer.Close)
	return trainer
}

// TestGradients compares every gradient with central differences of the reference. The gradient is read off Adam's
// first moment after one step, which is (1-beta1) times it.
func TestGradients(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 1, 12, 2, 60)
	settings := publishedTraining(1, 1, 16, 5, 3)
	settings.Threads, settings.Temperature = 2, 1.5
	for _, c := range everyModel() {
		t.Run(c.String(), func(t *testing.T) {
			trainer := newTestTrainer(t, c, g, 5, settings)
			ref := newReference(trainer.model)
			variables := ref.variables(trainer.model)
			batch := drawBatch(trainer.sampler, 0, settings)
			want := ref.gradient(batch, variables, settings.Temperature)
			loss := ref.loss(batch, ref.attention(batch, settings.Temperature))
			stats, err := trainer.Epoch(context.Background())
			expect.NoError(t, err)
			if math.Abs(stats.Loss-loss) > 1e-6 {
				t.Errorf("loss %.9f, reference %.9f", stats.Loss, loss)
			}
			moved, closed := 0, 0
			for i, v := range variables {
				got := float64(v.in(trainer.moment[0])) / (1 - settings.Beta1)
				if math.Abs(got-want[i]) > 2e-6+1e-4*math.Abs(want[i]) {
					t.Errorf("%s: gradient %.8f, central difference %.8f", v.name, got, want[i])
				}
				if want[i] != 0 {
					moved++
				}
			}
			for _, p := range trainer.batch.pull {
				if p == 0 {
					closed++
				}
			}
			if trainer.model.geometry.isHinged {
				closed = ref.closedBlocks(batch)
			}
			if moved < len(variables)*9/10 {
				t.Errorf("only %d of %d variables have a gradient: the test does not see them", moved, len(variables))
			}
			if trainer.model.HasRadii() && (closed == 0 || closed == len(trainer.batch.pull)) {
				t.Errorf("%d of %d hinges are closed: the test does not see both sides", closed,
					len(trainer.batch.pull))
			}
		})
	}
}

// TestGoldenTraining trains the float64 reference, with its own Adam, and compares it with the trainer.
func TestGoldenTraining(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 2, 14, 3, 80)
	settings := publishedTraining(expect.Fewer(6, 2), 5, 12, 4, 8)
	settings.Threads, settings.LearningRate, settings.AdamEpsilon, settings.Sampling = 2, 0.01, 1e-3, "uniform"
	for _, c := range everyModel() {
		t.Run(c.String(), func(t *testing.T) {
			settings := settings
			if c.coordinates() > 5 { // many variables
				settings.Epochs, settings.Steps = 1, 2
			}
			trainer := newTestTrainer(t, c, g, 3, settings)
			ref := newReference(trainer.model)
			variables := ref.variables(trainer.model)
			m, v := make([]float64, len(variables)), make([]float64, len(variables))
			step := 0
			for range settings.Epochs {
				mean := 0.0
				for range settings.Steps {
					batch := drawBatch(trainer.sampler, uint64(step), settings)
					mean += ref.loss(batch, ref.attention(batch, settings.Temperature)) / float64(settings.Steps)
					gradient := ref.gradient(batch, variables, settings.Temperature)
					step++
					for i, x := range gradient {
						m[i] = settings.Beta1*m[i] + (1-settings.Beta1)*x
						v[i] = settings.Beta2*v[i] + (1-settings.Beta2)*x*x
						first := m[i] / (1 - math.Pow(settings.Beta1, float64(step)))
						second := v[i] / (1 - math.Pow(settings.Beta2, float64(step)))
						variables[i].add(-settings.LearningRate * first / (math.Sqrt(second) + settings.AdamEpsilon))
					}
				}
				stats, err := trainer.Epoch(context.Background())
				expect.NoError(t, err)
				if math.Abs(stats.Loss-mean) > 2e-5*math.Abs(mean) {
					t.Errorf("epoch %d: loss %.8f, reference %.8f", stats.Epoch, stats.Loss, mean)
				}
			}
			after := newReference(trainer.model)
			for i, want := range ref.flat() {
				if got := after.flat()[i]; math.Abs(got-want) > 2e-4 {
					t.Errorf("parameter %d: %.7f, reference %.7f", i, got, want)
				}
			}
			for e := range int32(g.Entities.Len()) {
				for _, q := range []kg.Query{{Side: kg.HeadSide, Known: e},
					{Side: kg.TailSide, Known: e, Relation: 1}} {
					checkValues(t, trainer.model, after, q)
				}
			}
		})
	}
}

func (r *reference) flat() []float64 {
	var all []float64
	for _, row := range slices.Concat(r.center, r.phase) {
		all = append(all, slices.Concat(row...)...)
	}
	all = append(all, slices.Concat(r.ball...)...)
	return append(all, r.radius...)
}

// checkValues compares distances and criteria with the formulas.
func checkValues(t *testing.T, m *Model, ref *reference, q kg.Query) {
	t.Helper()
	dist := make([]float32, m.Entities())
	values := make([]float32, m.Entities())
	m.Distances([]kg.Query{q}, dist)
	for _, c := range m.settings.Criteria() {
		cut := m.Values(c, q, dist, values)
		for e := range values {
			x := kg.Triple{Head: q.Known, Relation: q.Relation, Tail: int32(e)}
			if q.Side == kg.HeadSide {
				x.Head, x.Tail = x.Tail, x.Head
			}
			want, wantCut := ref.d(x, q.Side, false), ref.margin()
			switch c {
			case CriterionMargin:
			case CriterionBlocks:
				want, wantCut = ref.gaps(x, q.Side), 0
			case CriterionBoxes:
				want, wantCut = ref.outside(x), 0
			default:
				want = ref.dist(x, q.Side)
				if m.HasRadii() {
					want -= ref.rho(x.Head) + ref.rho(x.Tail)
				}
				if c == CriterionIntersect {
					wantCut = 0
				}
			}
			if math.Abs(float64(values[e])-want) > 1e-5 || math.Abs(float64(cut)-wantCut) > 1e-6 {
				t.Fatalf("%v %s: value %g <= %g, reference %g <= %g", q, c, values[e], cut, want, wantCut)
			}
		}
	}
}

// TestLossOfDistances compares loss and pulls of one positive with the formula of the loss, in float64. Training in
// float32 hides errors below its own; here distances are given, so no error above 1e-12 can hide.
func TestLossOfDistances(t *testing.T) {
	t.Parallel()
	settings := publishedTraining(1, 1, 4, 3, 8)
	trainer := newTestTrainer(t, testCase{RotatE, Clean}, smallGraph(t, 2, 14, 3, 80), 3, settings)
	if _, err := trainer.Epoch(context.Background()); err != nil {
		t.Fatal(err)
	}
	s, n := &trainer.scratch[0], trainer.batch.negatives
	pull, score := make([]float32, n+1), make([]float64, n+1)
	for k := range score {
		s.distance[k] = .25 + 1.375*float32(k*k)
		score[k] = trainer.model.distance.margin - float64(s.distance[k])
	}
	trainer.pulls(1, pull, s)
	softplus := func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	total := 0.
	for _, x := range score[1:] {
		total += math.Exp(settings.Temperature * x)
	}
	loss, weight := softplus(-score[0]), trainer.batch.weightOf(1)
	want := []float64{sigmoid(-score[0]) * weight}
	for _, x := range score[1:] {
		p := math.Exp(settings.Temperature*x) / total
		loss += p * softplus(x)
		want = append(want, -p*sigmoid(x)*weight)
	}
	if got := trainer.batch.loss[1]; math.Abs(got-loss) > 1e-12*loss {
		t.Errorf("the loss is %v, want %v", got, loss)
	}
	for k := range pull {
		if math.Abs(float64(pull[k])-want[k]) > 2e-7*math.Abs(want[k]) {
			t.Errorf("pull %d is %v, want %v", k, pull[k], want[k])
		}
	}
}
