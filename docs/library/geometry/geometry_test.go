package geometry

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

var names = []string{"transe-l2", "protate", "tucker"}

// geometries are the models with few numbers.
func geometries() map[string]sphere.Geometry {
	const bound = .7
	return map[string]sphere.Geometry{"transe-l2": transE{5, bound},
		"protate": pRotatE{5, bound, math.Pi / bound}, "tucker": tuckER{5, 3}}
}

// TestDerivatives compares Push and Pull with differences of distances.
func TestDerivatives(t *testing.T) {
	t.Parallel()
	for name, m := range geometries() {
		for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			s := m.Shape()
			all := make([]float32, 2*s.Entity+s.Relation+s.Shared)
			for i := range all {
				all[i] = float32(math.Sin(float64(3*i+1))) * .7
			}
			parts := func(x []float32) (known, candidate, relation, shared []float32) {
				known, x = x[:s.Entity], x[s.Entity:]
				candidate, x = x[:s.Entity], x[s.Entity:]
				return known, candidate, x[:s.Relation], x[s.Relation:]
			}
			known, candidate, relation, shared := parts(all)
			point := make([]float32, s.Point)
			distance := func() float64 {
				m.Bind(side, point, known, relation, shared)
				return float64(m.Distance(point, candidate))
			}
			const w = 1.5
			got, byPoint := make([]float32, len(all)), make([]float32, s.Point)
			byKnown, byCandidate, byRelation, byShared := parts(got)
			distance()
			m.Push(w, point, candidate, byPoint, nil)
			m.Push(w, point, candidate, nil, byCandidate)
			m.Pull(side, byPoint, known, relation, shared, byKnown, byRelation, byShared)
			for i := range all {
				const step = 1. / 256
				at := all[i]
				all[i] = at + step
				above := distance()
				all[i] = at - step
				want := w * (above - distance()) / (2 * step)
				if all[i] = at; math.Abs(float64(got[i])-want) > .01*(1+math.Abs(want)) {
					t.Errorf("%s, %v: derivative %d is %v, by differences %v", name, side, i, got[i], want)
				}
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
