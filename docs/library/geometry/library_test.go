package geometry

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// copied is TransE as another package would define it, with a shared parameter that scales relations, 1 at first. It
// has 21 numbers where a plane has 32.
type copied struct{ unit float32 }

func init() {
	sphere.Register(sphere.Registration{Name: "copied", Title: "Copied", New: func(s sphere.Settings) sphere.Geometry {
		return copied{float32((s.Gamma + s.Epsilon) / float64(s.Dimension))}
	}})
}

func (copied) Shape() sphere.Shape {
	return sphere.Shape{Entity: 21, Relation: 21, Shared: 3, Point: 40}
}

func (m copied) Draw(part sphere.Part, x []float32, uniform func() float32) {
	for i := range x {
		if x[i] = float32(uniform() * m.unit); part == sphere.SharedPart {
			x[i] = 1
		}
	}
}

func (copied) Bind(side kg.Side, point, known, relation, shared []float32) {
	for i, r := range relation {
		if side == kg.HeadSide {
			r = -r
		}
		point[i] = known[i] + float32(r*shared[1])
	}
	point[39] = 1
}

func (copied) Distance(point, candidate []float32) float32 {
	sum := 0.0
	for i, c := range candidate {
		sum += math.Abs(float64(point[i] - c))
	}
	return float32(sum)
}

func (copied) Push(w float32, point, candidate, byPoint, byCandidate []float32) {
	for i, c := range candidate {
		g := w
		switch {
		case c < point[i]:
			g = -w
		case c == point[i]:
			g = 0
		}
		if byPoint != nil {
			byPoint[i] -= g
		} else {
			byCandidate[i] += g
		}
	}
}

func (copied) Pull(side kg.Side, byPoint, _, relation, shared, byKnown, byRelation, byShared []float32) {
	for i := range relation {
		g := byPoint[i]
		byKnown[i] += g
		if side == kg.HeadSide {
			g = -g
		}
		byRelation[i] += float32(g * shared[1])
		byShared[1] += 0 // held, so that the model stays TransE
	}
}

func copiedTraining() (s sphere.Settings, t sphere.Training) {
	t = sphere.Training{Epochs: 3, Steps: 5, Batch: 40, Negatives: 6, Seed: 9, Sampling: "bernoulli", Temperature: 2,
		LearningRate: .01, Beta1: .9, Beta2: .999, AdamEpsilon: 1e-8, Regularizer: .05, WarmUp: 9}
	return sphere.Settings{Model: "copied", Variant: sphere.Clean, Dimension: 21, Gamma: 5, Epsilon: 2}, t
}

// TestGeometryIsAModel: a copy of TransE from outside learns as the model of this package, from the same first numbers.
// The two sum in other orders, so they agree up to rounding. So does TransE with the 2-norm.
func TestGeometryIsAModel(t *testing.T) {
	t.Parallel()
	learnsAs(t, "copied", sphere.TransE)
	learnsAs(t, "own-transe-l2", sphere.TransEL2)
}

func learnsAs(t *testing.T, outside, inside string) {
	t.Helper()
	g := expect.Must[*kg.Graph](t)(kg.Bundled())
	s, training := copiedTraining()
	losses := map[string][]float64{}
	models := map[string]*sphere.Model{}
	for _, model := range []string{outside, inside} {
		s.Model = model
		m, err := sphere.New(s, g, training.Seed)
		expect.NoError(t, err)
		trainer, err := sphere.NewTrainer(m, g, training)
		expect.NoError(t, err)
		defer trainer.Close()
		for range training.Epochs {
			stats, err := trainer.Epoch(t.Context())
			expect.NoError(t, err)
			losses[model] = append(losses[model], stats.Loss)
		}
		models[model] = m
	}
	for i, want := range losses[inside] {
		if got := losses[outside][i]; math.Abs(got-want) > 1e-5*want {
			t.Errorf("epoch %d: %s has loss %v, %s has %v", i+1, outside, got, inside, want)
		}
	}
	for _, q := range []kg.Query{
		{Side: kg.TailSide, Known: 3, Relation: 1}, {Side: kg.HeadSide, Known: 8, Relation: 4},
	} {
		for e := range int32(g.Entities.Len()) {
			got, want := models[outside].Distance(q, e), models[inside].Distance(q, e)
			if math.Abs(float64(got-want)) > 1e-3 {
				t.Fatalf("%v of %d: %s has distance %v, %s has %v", q, e, outside, got, inside, want)
			}
		}
	}
}

// TestGeometryBits: the same bits for any number of threads, and across a stop.
func TestGeometryBits(t *testing.T) {
	t.Parallel()
	g := expect.Must[*kg.Graph](t)(kg.Bundled())
	s, training := copiedTraining()
	digests := map[string]bool{}
	for _, threads := range []int{1, 2, 5} {
		training.Threads = threads
		m, err := sphere.New(s, g, training.Seed)
		expect.NoError(t, err)
		trainer, err := sphere.NewTrainer(m, g, training)
		expect.NoError(t, err)
		path := filepath.Join(t.TempDir(), "state")
		for epoch := range training.Epochs {
			_, err := trainer.Epoch(t.Context())
			expect.NoError(t, err)
			if epoch == 1 && threads == 2 {
				expect.NoError(t, trainer.Save(path))
				trainer.Close()
				trainer, err = sphere.ResumeTrainer(path, g, training)
				expect.NoError(t, err)
			}
		}
		digests[trainer.Model().Digest()] = true
		expect.NoError(t, trainer.Model().Save(path, nil))
		trainer.Close()
		loaded, _, err := sphere.Load(path)
		expect.NoError(t, err)
		digests[loaded.Digest()] = true
	}
	if len(digests) != 1 {
		t.Errorf("%d models", len(digests))
	}
	if n := s.Parameters(90, 5); n != 90*21+5*21+3 {
		t.Errorf("%d parameters", n)
	}
	training.Loss = sphere.OneVsAll
	m, err := sphere.New(s, g, 1)
	expect.NoError(t, err)
	_, err = sphere.NewTrainer(m, g, training)
	if e, ok := err.(*sphere.SettingError); !ok {
		t.Errorf("one-vs-all: %v", err)
	} else if e.Key != "Training.Loss" && e.Key != "Training.Regularizer" {
		t.Errorf("one-vs-all: %v", e)
	}
}

// TestRegister: a name is taken once.
func TestRegister(t *testing.T) {
	t.Parallel()
	none := func(sphere.Settings) sphere.Geometry { return nil }
	for name, of := range map[string]func(sphere.Settings) sphere.Geometry{"copied": none, sphere.RotatE: none,
		sphere.Rules: none, "": none, "a+b": none, "-a": none, "Upper": none, sphere.Trees: none, "without": nil} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is registered", name)
				}
			}()
			sphere.Register(sphere.Registration{Name: name, New: of})
		}()
	}
	if sphere.Title("copied+rotate") != "Copied + RotatE" {
		t.Errorf("title %q", sphere.Title("copied+rotate"))
	}
}
