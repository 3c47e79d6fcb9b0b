package eval

import (
	"math"
	"slices"
	"strings"
	"testing"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestPromisesAreKeptWhereTheyWereFitted counts the new answers of every promise again, query by query, on either half
// of the validation queries: by names and package math.
func TestPromisesAreKeptWhereTheyWereFitted(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(31), 60, 4, 5)
	g := f.graph(t)
	m := informed{&fake{g: g, levels: 1 << 40, gamma: 3, open: true}, g.Index(kg.Train, kg.Valid)}
	by := mustCalibrate(t, m, g, CalibrateSettings{})
	w := newTwin(f, g, m, Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}})
	queries := distinct(g.Valid, g.Index(kg.Train, kg.Valid), g.Index(kg.Train))
	reached := 0
	for _, name := range []string{"precision-0.2", "precision-0.5", "precision-0.999", "recall-0.1", "recall-0.5",
		"recall-0.95"} {
		cut, ok := ParseCut(name)
		if !ok {
			t.Fatal(name)
		}
		promised := cut.(Promised).By(by).(Promised)
		o := promised.Outcome()
		if !o.Reached {
			if o != (Outcome{}) || !strings.Contains(o.Text(promised), "sets are empty") {
				t.Errorf("%s: %+v", name, o)
			}
			continue
		}
		reached++
		for half, got := range []Kept{o.Fitted, o.Measured} {
			var size, hits, all float64
			for i, q := range queries {
				if i%2 != half || len(q.known) == len(q.truth) {
					continue
				}
				side, x := "tail", [3]string{1: g.Relations.Name(q.Relation)}
				if q.Side == kg.HeadSide {
					side, x[2] = "head", g.Entities.Name(q.Known)
				} else {
					x[0] = g.Entities.Name(q.Known)
				}
				known, truth := w.answers(w.known, x, side), w.answers(w.truth, x, side)
				all += float64(len(truth) - len(known))
				v, _ := w.values(sphere.CriterionMargin, x, side)
				sigmoid := w.sigmoidOf(by.Promise.Calibration, x, side)
				for entity, value := range v {
					if _, p := sigmoid(value); p >= o.Probability && !known[entity] {
						size++
						if truth[entity] {
							hits++
						}
					}
				}
			}
			want := Kept{Recall: hits / all}
			if size > 0 {
				want.Precision = hits / size
			}
			if !near(got.Precision, want.Precision) || !near(got.Recall, want.Recall) {
				t.Errorf("%s, half %d: %+v, want %+v", name, half, got, want)
			}
		}
		kept := o.Fitted.Precision
		if strings.HasPrefix(name, "recall") {
			kept = o.Fitted.Recall
		}
		if kept < promised.Share() {
			t.Errorf("%s: %+v where it was fitted", name, o.Fitted)
		}
	}
	if reached < 4 {
		t.Errorf("only %d promises are reached", reached)
	}
}

// TestPromisedCuts: a promise that no threshold keeps gives empty sets, and a small recall less than a great one.
func TestPromisedCuts(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(32), 60, 4, 5).graph(t)
	m := &fake{g: g, levels: 1 << 40, gamma: 3, open: true} // knows nothing
	by := mustCalibrate(t, m, g, CalibrateSettings{})
	var cuts []Cut
	for _, name := range []string{"precision-0.99", "recall-0.2", "recall-0.9"} {
		c, _ := ParseCut(name)
		if _, err := Run(t.Context(), m, g, Settings{Cuts: []Cut{c}}); err == nil {
			t.Errorf("%s: no probabilities, no error", name)
		}
		cuts = append(cuts, c.(Limited).By(by))
	}
	r := mustRun(t, m, g, Settings{Cuts: cuts})
	if size := r.Cuts[0].Head.Size + r.Cuts[0].Tail.Size; size != 0 {
		t.Errorf("precision .99 of a model that knows nothing: sets of %g", size)
	}
	if few, many := r.Cuts[1].Head.Size, r.Cuts[2].Head.Size; !(few > 0 && few < many) {
		t.Errorf("sets of %g for recall .2, of %g for recall .9", few, many)
	}
	if math.IsNaN(r.Cuts[0].Head.Precision) {
		t.Error("precision of empty sets is NaN")
	}
}

// TestNothingToCalibrateOn: where no validation fact is new, no entity is likely to be a new answer.
func TestNothingToCalibrateOn(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(33), 60, 4, 5)
	f.valid = f.train[:20]
	g := f.graph(t)
	m := &fake{g: g, levels: 1 << 40, gamma: 3, open: true}
	by := mustCalibrate(t, m, g, CalibrateSettings{})
	var cuts []Cut
	for _, name := range []string{"expected-novel", "expected-union", "precision-0.5", "recall-0.5"} {
		c, _ := ParseCut(name)
		cuts = append(cuts, c.(Limited).By(by))
	}
	for _, c := range mustRun(t, m, g, Settings{Cuts: cuts}).Cuts[:len(cuts)] {
		if size := c.Head.Size + c.Tail.Size; size != 0 {
			t.Errorf("%s: sets of %g", c.Name, size)
		}
	}
}

// TestOneFactToCalibrateOn: the half of the queries that a promise is fitted on has no query for tails then.
func TestOneFactToCalibrateOn(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(34), 60, 4, 0)
	f.valid = f.valid[:1]
	g := f.graph(t)
	m := informed{&fake{g: g, levels: 1 << 40, gamma: 3, open: true}, g.Index(kg.Train, kg.Valid)}
	c, _ := PromisedRecall(.5)
	r := mustRun(t, m, g, Settings{Cuts: []Cut{c.By(mustCalibrate(t, m, g, CalibrateSettings{}))}})
	if head, tail := r.Cuts[0].Head.Size, r.Cuts[0].Tail.Size; head == 0 || tail != 0 {
		t.Errorf("sets of %g heads, which have a fact to be fitted on, and of %g tails, which have none", head, tail)
	}
}

// overflown is a fake with distances of minus infinity, which a dot product can overflow to.
type overflown struct{ *fake }

func (m overflown) Distances(queries []kg.Query, dst []float32) {
	m.fake.Distances(queries, dst)
	for i, q := range queries {
		for e := 0; q.Relation == 0 && e < m.Entities(); e += 2 {
			dst[i*m.Entities()+e] = float32(math.Inf(-1))
		}
	}
}

func (m overflown) DistancesAt(q kg.Query, entities []int32, dst []float32) {
	listed(m, q, entities, dst)
}

// TestOverflowSpoilsNoCalibration: a value that is not finite is not evidence.
func TestOverflowSpoilsNoCalibration(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(35), 60, 4, 5).graph(t)
	m := overflown{&fake{g: g, levels: 1 << 40, gamma: 3, open: true}}
	by := mustCalibrate(t, m, g, CalibrateSettings{})
	for _, l := range slices.Concat(by.Answer.Head, by.New.Head, by.New.Tail, by.Promise.Calibration.Tail) {
		if sum := l.Intercept + l.Value + l.Count + l.Crowd; sum-sum != 0 || l.Intercept == leastOdds/2 {
			t.Errorf("weights %+v", l)
		}
	}
}

// TestReachHoldsWhatIsLikely: the greatest value of a probability may be below 0, as those of dot products are.
func TestReachHoldsWhatIsLikely(t *testing.T) {
	t.Parallel()
	r := newRand(71)
	for range 1000 {
		s, least := Sigmoid{base: 20 * (r.Float64() - .5), slope: 3 * r.Float64()}, 10*(r.Float64()-.5)
		reach := s.reach(least)
		for _, v := range []float32{reach - 1e-2, reach + 1e-2, float32(40 * (r.Float64() - .5))} {
			if inside := s.base-float64(s.slope*float64(v)) >= least; inside != (v <= reach) {
				t.Errorf("%+v reaches %g for log-odds %g: %g is inside: %v", s, reach, least, v, inside)
			}
		}
	}
	for base, want := range map[float64]float32{-1: -math.MaxFloat32, 1: math.MaxFloat32} {
		if got := (Sigmoid{base: base}).reach(0); got != want {
			t.Errorf("values tell nothing, odds %g: reach %g", base, got)
		}
	}
}

// TestPrecisionIsThatOfTheSmallestProbability: where several probabilities keep a precision, and some between do not,
// the smallest one is promised, which finds the most; of a recall it is the greatest one.
func TestPrecisionIsThatOfTheSmallestProbability(t *testing.T) {
	t.Parallel()
	by := &Calibrated{Promise: Promise{Fitted: newReliabilityBySide(), Measured: newReliabilityBySide()}}
	for bin, x := range map[int][2]float64{500: {20, 18}, 400: {20, 5}, 300: {10, 10}, 200: {100, 10}} {
		by.Promise.Fitted.Head.put(bin, binned{entities: x[0], right: x[1]})
	}
	for cut, want := range map[string]int{"precision-0.6": 201, "precision-0.9": 401, "recall-0.5": 400, "recall-0.4": 500} {
		c, ok := ParseCut(cut)
		if !ok {
			t.Fatal(cut)
		}
		if at, ok := c.(Promised).By(by).(Promised).place(); !ok || at != want {
			t.Errorf("%s begins at bin %d, want %d", cut, at, want)
		}
	}
}
