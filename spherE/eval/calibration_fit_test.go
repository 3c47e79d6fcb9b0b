package eval

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

func mustCalibrate(t *testing.T, m Model, g *kg.Graph, s CalibrateSettings) *Calibrated {
	t.Helper()
	c, err := Calibrate(t.Context(), m, g, s)
	expect.NoError(t, err)
	return c
}

// slope is the derivative of the mean negative log-likelihood of a side by each weight: plain loops over all entities
// of all validation queries, by names and package math.
func (w *twin) slope(by Calibration, side string, all bool) (slope [features]float64, rights int) {
	seen := map[string]bool{}
	for _, x := range w.evaluated {
		query := x[1] + "|" + w.given(x, side)
		known, truth := w.answers(w.known, x, side), w.answers(w.truth, x, side)
		v, _ := w.values(sphere.CriterionMargin, x, side)
		findable := 0
		for name := range truth {
			if (all || !known[name]) && v[name]-v[name] == 0 {
				findable++
			}
		}
		if seen[query] || findable == 0 {
			continue
		}
		seen[query] = true
		sigmoid := w.sigmoidOf(by, x, side)
		zero := Calibration{Head: slices.Repeat([]Logit{{Crowd: 1}}, w.g.Relations.Len())}
		zero.Tail = zero.Head
		crowd, _ := w.sigmoidOf(zero, x, side)(0)
		for name, value := range v {
			if known[name] && !all || value-value != 0 {
				continue
			}
			_, p := sigmoid(value)
			if truth[name] {
				p--
				rights++
			}
			for j, feature := range []float64{1, -float64(value), math.Log(1 + float64(len(known))), crowd} {
				slope[j] += p * feature
			}
		}
	}
	for j := range slope {
		slope[j] /= float64(rights)
	}
	return slope, rights
}

// TestCalibrateFindsTheOptimum: where the side outweighs all relations, the derivative by every weight is 0, except for
// the small ridge.
func TestCalibrateFindsTheOptimum(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		f := randomFacts(newRand(40+seed), 40, 4, int(seed)*3)
		g := f.graph(t)
		m := informed{&fake{g: g, levels: 1 << 40, gamma: 3, salt: seed, nan: 5 * (seed % 2), inf: 5 * (seed % 2),
			open: true}, g.Index(kg.Train, kg.Valid)}
		by := mustCalibrate(t, m, g, CalibrateSettings{Pseudo: 1e12})
		w := newTwin(f, g, m, Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}})
		for _, side := range []string{"head", "tail"} {
			for _, all := range []bool{true, false} {
				c := by.New
				if all {
					c = by.Answer
				}
				slope, rights := w.slope(c, side, all)
				if rights == 0 {
					t.Fatal("no right answers")
				}
				for j, x := range slope {
					if math.Abs(x) > 2e-3 {
						t.Errorf("seed %d, %s, all %v: derivative by weight %d is %g of %d answers: %+v", seed, side,
							all, j, x, rights, c.Head[0])
					}
				}
			}
		}
	}
}

// TestSideOutweighsByRightAnswers: a relation's weights balance its own likelihood against the side's, of which Pseudo
// right answers count. The side's curvature is a difference of its derivatives.
func TestSideOutweighsByRightAnswers(t *testing.T) {
	t.Parallel()
	const pseudo = 6
	f := randomFacts(newRand(44), 40, 4, 9)
	g := f.graph(t)
	m := informed{&fake{g: g, levels: 1 << 40, gamma: 3, salt: 2, open: true}, g.Index(kg.Train, kg.Valid)}
	side := mustCalibrate(t, m, g, CalibrateSettings{Pseudo: 1e12})
	own := mustCalibrate(t, m, g, CalibrateSettings{Pseudo: pseudo})
	whole := newTwin(f, g, m, Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}})
	checked := 0
	for r := range g.Relations.Len() {
		part := *whole
		part.evaluated = slices.DeleteFunc(slices.Clone(whole.evaluated), func(x [3]string) bool {
			return x[1] != g.Relations.Name(int32(r))
		})
		center, at := weightsOf(side.New.Head[r]), weightsOf(own.New.Head[r])
		if at[1] <= 0 {
			continue // held at 0
		}
		slope, rights := part.slope(own.New, "head", false)
		if rights == 0 {
			continue
		}
		const step = 1e-3
		var moved [2]Calibration
		for i, by := range []float64{-step, step} {
			w := make([]float64, features)
			for j := range w {
				w[j] = center[j] + float64(by*(at[j]-center[j]))
			}
			moved[i] = Calibration{Head: slices.Repeat([]Logit{logitOf(w)}, g.Relations.Len())}
			moved[i].Tail = moved[i].Head
		}
		below, all := whole.slope(moved[0], "head", false)
		above, _ := whole.slope(moved[1], "head", false)
		for j := range slope {
			pull := pseudo * (above[j] - below[j]) / (2 * step)
			if got := slope[j] * float64(rights); math.Abs(got+pull) > 1e-3*float64(all)+.02*math.Abs(pull) {
				t.Errorf("relation %d, weight %d: derivative %g of its own likelihood, %g of the side's", r, j, got, pull)
			}
			if math.Abs(pull) > .1 {
				checked++
			}
		}
	}
	if checked < 4 {
		t.Errorf("only %d weights are pulled", checked)
	}
}

func weightsOf(l Logit) []float64 { return []float64{l.Intercept, l.Value, l.Count, l.Crowd} }

// informed is a fake that brings right answers 2 closer.
type informed struct {
	*fake
	right *kg.Index
}

func (m informed) Distances(queries []kg.Query, dst []float32) {
	m.fake.Distances(queries, dst)
	for i, q := range queries {
		for _, a := range m.right.Answers(q) {
			dst[i*m.Entities()+int(a)] -= 2
		}
	}
}

func (m informed) DistancesAt(q kg.Query, entities []int32, dst []float32) {
	listed(m, q, entities, dst)
}

// TestCalibrateIsAFunctionOfTheGraph: no number of threads changes a bit, and no test fact enters. The graph has more
// entities than a query keeps.
func TestCalibrateIsAFunctionOfTheGraph(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(401), 400, 5, 10)
	f.valid, f.test = f.valid[:60], f.test[:60]
	g := f.graph(t)
	m := &fake{g: g, levels: 1 << 40, gamma: 3}
	want := mustJSON(t, mustCalibrate(t, m, g, CalibrateSettings{Threads: 1}))
	for _, threads := range []int{0, 2, 7} {
		if got := mustJSON(t, mustCalibrate(t, m, g, CalibrateSettings{Threads: threads})); !bytes.Equal(got, want) {
			t.Errorf("%d threads: other probabilities", threads)
		}
	}
	h := f.withOtherTests().graph(t)
	got := mustJSON(t, mustCalibrate(t, &fake{g: h, levels: 1 << 40, gamma: 3}, h, CalibrateSettings{}))
	if !bytes.Equal(got, want) {
		t.Error("other test facts: other probabilities")
	}
}

// TestSampledEntitiesStandForAll: the weights of a query's values add up to its entities.
func TestSampledEntitiesStandForAll(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(77), 900, 3, 0)
	f.valid = f.valid[:60]
	g := f.graph(t)
	m := &fake{g: g, levels: 1 << 40, gamma: 3}
	by := mustCalibrate(t, m, g, CalibrateSettings{})
	var open [2]float64
	for i, q := range distinct(g.Valid, g.Index(kg.Train, kg.Valid), g.Index(kg.Train)) {
		if len(q.truth) > len(q.known) {
			open[i%2] += float64(g.Entities.Len() - len(q.known))
		}
	}
	for i, half := range []ReliabilityBySide{by.Promise.Fitted, by.Promise.Measured} {
		both := half.Both()
		r := both.sum(0, bins)
		if !near(r.entities, open[i]) {
			t.Errorf("half %d: %.3f entities, want %.0f", i, r.entities, open[i])
		}
		if i == 0 && math.Abs(r.expected-r.right) > .1*r.right {
			t.Errorf("%.1f right answers where it was fitted, %.1f expected", r.right, r.expected)
		}
	}
}
