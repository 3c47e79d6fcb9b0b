package geometry

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

var names = []string{"own-transe-l2", "protate", "tucker"}

// geometries are the models with few numbers.
func geometries() map[string]sphere.Geometry {
	const bound = .7
	return map[string]sphere.Geometry{"own-transe-l2": transE{5, bound},
		"protate": pRotatE{5, bound, math.Pi / bound}, "tucker": tuckER{5, 3}}
}

func TestDerivatives(t *testing.T) {
	t.Parallel()
	for name, m := range geometries() {
		for seed := range uint64(5) {
			if err := sphere.CheckGeometry(m, seed); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// wrong is TransE-L2 with a method replaced.
type wrong struct {
	transE
	bind func(side kg.Side, point, known, relation, shared []float32)
	far  func(point, candidate []float32) float32
	push func(w float32, point, candidate, byPoint, byCandidate []float32)
	pull func(side kg.Side, byPoint, known, relation, shared, byKnown, byRelation, byShared []float32)
}

func (m wrong) Bind(side kg.Side, point, known, relation, shared []float32) {
	m.bind(side, point, known, relation, shared)
}

func (m wrong) Distance(point, candidate []float32) float32 { return m.far(point, candidate) }

func (m wrong) Push(w float32, point, candidate, byPoint, byCandidate []float32) {
	m.push(w, point, candidate, byPoint, byCandidate)
}

func (m wrong) Pull(side kg.Side, byPoint, known, relation, shared, byKnown, byRelation, byShared []float32) {
	m.pull(side, byPoint, known, relation, shared, byKnown, byRelation, byShared)
}

// TestWrongDerivatives: CheckGeometry finds each slip and names its place.
func TestWrongDerivatives(t *testing.T) {
	t.Parallel()
	right := transE{5, .7}
	for name, c := range map[string]struct {
		broken func(*wrong)
		wants  []string
	}{
		"nothing": {func(*wrong) {}, nil},
		"heads": {func(m *wrong) {
			m.pull = func(_ kg.Side, byPoint, known, r, s, byKnown, byRelation, byShared []float32) {
				right.Pull(kg.TailSide, byPoint, known, r, s, byKnown, byRelation, byShared)
			}
		}, []string{"head query", "Pull, byRelation"}},
		"weight": {func(m *wrong) {
			m.push = func(_ float32, point, candidate, byPoint, byCandidate []float32) {
				right.Push(1, point, candidate, byPoint, byCandidate)
			}
		}, []string{"tail query", "Push, byCandidate", "float 0"}},
		"sets": {func(m *wrong) {
			m.pull = func(side kg.Side, byPoint, known, r, s, byKnown, byRelation, byShared []float32) {
				clear(byKnown)
				right.Pull(side, byPoint, known, r, s, byKnown, byRelation, byShared)
			}
		}, []string{"tail query", "Pull, byKnown"}},
		"sets the point": {func(m *wrong) {
			m.push = func(w float32, point, candidate, byPoint, byCandidate []float32) {
				clear(byPoint)
				right.Push(w, point, candidate, byPoint, byCandidate)
			}
		}, []string{"tail query", "Pull, byKnown"}},
		"small": {func(m *wrong) {
			m.far = func(point, candidate []float32) float32 { return right.Distance(point, candidate) / 500 }
			m.push = func(w float32, point, candidate, byPoint, byCandidate []float32) {}
		}, []string{"tail query", "Push, byCandidate"}},
		"jumps": {func(m *wrong) {
			calls := 0
			m.far = func(point, candidate []float32) float32 {
				calls++
				return float32(calls * calls % 7)
			}
		}, []string{"corners"}},
		"point": {func(m *wrong) {
			m.bind = func(side kg.Side, point, known, r, s []float32) {
				right.Bind(side, point[:4], known[:4], r[:4], s)
			}
		}, []string{"NaN", "Bind sets every float"}},
		"infinite": {func(m *wrong) {
			m.far = func(_, _ []float32) float32 { return float32(math.Inf(1)) }
		}, []string{"+Inf"}},
	} {
		m := &wrong{transE: right, bind: right.Bind, far: right.Distance, push: right.Push, pull: right.Pull}
		c.broken(m)
		err := sphere.CheckGeometry(m, 3)
		if (err == nil) != (c.wants == nil) {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range c.wants {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not in %v", name, want, err)
			}
		}
	}
}

// TestTrained: each model learns, has the same bits for any number of threads and after loading, and is evaluated.
func TestTrained(t *testing.T) {
	t.Parallel()
	g := expect.Must[*kg.Graph](t)(kg.Bundled())
	for _, name := range names {
		var digests []string
		for _, threads := range []int{1, 3} {
			o := sphere.Options{Settings: sphere.Settings{Model: name, Dimension: 7}, Every: 4, Patience: -1}
			o.Training = sphere.Training{Epochs: 12, Negatives: 8, LearningRate: .02, Threads: threads}
			first, last := 0., 0.
			o.Progress = func(p sphere.Progress) {
				if last = p.Loss; p.Epoch == 1 {
					first = p.Loss
				}
			}
			trained, err := sphere.Train(t.Context(), g, o)
			expect.NoError(t, err)
			digests = append(digests, trained.Model.Digest())
			if last > .8*first || trained.Value < .01 {
				t.Errorf("%s: loss %v after %v, MRR %v", name, last, first, trained.Value)
			}
			path := filepath.Join(t.TempDir(), "model")
			expect.NoError(t, trained.Model.Save(path, nil))
			loaded, _, err := sphere.Load(path)
			expect.NoError(t, err)
			settings := eval.Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}}
			report, err := eval.Run(t.Context(), loaded, g, settings)
			expect.NoError(t, err)
			if report.Ranking.Both.MRR != trained.Value {
				t.Errorf("%s: loaded, its MRR is %v, not %v", name, report.Ranking.Both.MRR, trained.Value)
			}
		}
		if len(slices.Compact(digests)) != 1 {
			t.Errorf("%s: other bits with other threads", name)
		}
	}
}
