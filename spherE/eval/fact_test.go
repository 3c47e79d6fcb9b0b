package eval

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestEstimateReadsTheCurve compares estimate with lines between logarithms of odds, by package math.
func TestEstimateReadsTheCurve(t *testing.T) {
	t.Parallel()
	curve := []Step{{Odds: -3, Share: .02, Low: .01, High: .05}, {Odds: -1, Share: .1, Low: .04, High: .19},
		{Odds: 2, Share: .36, Low: .24, High: .5}}
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	for z, want := range map[float64]float64{
		-3: .02, -1: .1, 2: .36, 5: .36, 40: .36, // nothing is above what was measured
		0:  1 / (1 + math.Exp(-(logit(.1)*2/3 + logit(.36)/3))),
		-2: 1 / (1 + math.Exp(-(logit(.02)+logit(.1))/2)),
		-5: 1 / (1 + math.Exp(-(logit(.02) - 2))),
	} {
		e := estimate(curve, z)
		if math.Abs(e.Probability-want) > 1e-12 || !(e.Low <= e.Probability && e.Probability <= e.High) {
			t.Errorf("at %g: %+v, want %g", z, e, want)
		}
	}
	if e := estimate(curve, -1); math.Abs(e.Low-.04) > 1e-12 || math.Abs(e.High-.19) > 1e-12 {
		t.Errorf("the range is %+v", e)
	}
	last := -1.0
	for z := -9.0; z < 9; z += .01 {
		if e := estimate(curve, z); e.Probability < last {
			t.Fatalf("at %g the probability falls to %g", z, e.Probability)
		} else {
			last = e.Probability
		}
	}
}

// TestCurveIsIsotonic: groups have rightsOfStep right ones or more, violators are pooled, and steps ascend; the shares
// are those of the pooled groups.
func TestCurveIsIsotonic(t *testing.T) {
	t.Parallel()
	f := &Facts{Weights: []FactWeights{{0, 1, 0}}}
	var list []candidate
	// each block: odds, how many, how many of them right
	for _, b := range [][3]int{{4, 60, 30}, {3, 50, 35}, {2, 90, 30}, {1, 300, 30}, {0, 300, 45}, {-2, 2000, 20},
		{-3, 3000, 20}, {-4, 1000, 2}} { // the last two have too few right ones, and smaller shares
		for i := range b[1] {
			c := candidate{tail: float64(b[0]), head: 7, n: 1}
			if i < b[2] {
				c.right = 1
			}
			list = append(list, c)
		}
	}
	curve := curveOf(f, list)
	want := []struct {
		share float64
		count int
	}{{42. / 6000, 6000}, {75. / 600, 600}, {1. / 3, 90}, {65. / 110, 110}}
	if len(curve) != len(want) {
		t.Fatalf("the curve is %+v", curve)
	}
	for i, s := range curve {
		if n := float64(want[i].count); s.Count != want[i].count ||
			math.Abs(s.Share-(want[i].share*n+.5)/(n+1)) > 1e-12 || !(s.Low < s.Share && s.Share < s.High) {
			t.Errorf("step %d is %+v, want %+v", i, s, want[i])
		}
	}
}

// TestFitWeights compares the fit with ascent of the likelihood by package math. The tail counts more than the head,
// and a side that misleads gets no weight.
func TestFitWeights(t *testing.T) {
	t.Parallel()
	var list []candidate
	for i := range 400 {
		c := candidate{tail: float64(i%13)/2 - 4, head: float64(i%7)/2 - 3, n: float64(1 + i%3)}
		if float64((i*7919)%1000)/1000 < 1/(1+math.Exp(-(.5+c.tail+.3*c.head))) {
			c.right = 1
		}
		list = append(list, c)
	}
	twin := func(list []candidate, both bool) (w [3]float64) {
		for range 60000 {
			var g [3]float64
			for _, c := range list {
				e := c.n * (c.right - 1/(1+math.Exp(-(w[0]+w[1]*c.tail+w[2]*c.head))))
				g[0], g[1], g[2] = g[0]+e, g[1]+e*c.tail, g[2]+e*c.head
			}
			for j := range w {
				if j < 2 || both {
					w[j] += 2e-4 * (g[j] - leastRidge*w[j])
				}
			}
		}
		return w
	}
	compare := func(list []candidate, both bool) []float64 {
		got, want := fitWeights([]float64{0, .5, .5}, list, nil, nil), twin(list, both)
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-3 {
				t.Errorf("weights %v, want %v", got, want)
			}
		}
		return got
	}
	if w := compare(list, true); !(w[1] > w[2] && w[2] > 0) {
		t.Errorf("weights are %v", w)
	}
	for i := range list {
		list[i].head = -list[i].head
	}
	if w := compare(list, false); w[2] != 0 {
		t.Errorf("a side that misleads has the weight %g", w[2])
	}
}

// TestFitFacts: the same numbers for any number of threads; odds of both sides are those of the two rows; what is
// measured on test facts is closer to the truth where it matters, and no probability is above the end of its curve.
func TestFitFacts(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	m, err := sphere.New(sphere.Settings{Model: sphere.RotatE, Variant: sphere.Clean, Dimension: 8, Gamma: 4,
		Epsilon: 2}, g, 7)
	expect.NoError(t, err)
	by, err := Calibrate(t.Context(), m, g, CalibrateSettings{})
	expect.NoError(t, err)
	var all []*Facts
	for _, threads := range []int{1, 3} {
		f, err := FitFacts(t.Context(), m, g, by, FactSettings{Threads: threads})
		expect.NoError(t, err)
		if err := f.Check(g); err != nil {
			t.Error(err)
		}
		all = append(all, f)
	}
	if !reflect.DeepEqual(all[0], all[1]) {
		t.Error("other threads, other numbers")
	}
	queries := distinct(g.Valid, g.Index(kg.Train, kg.Valid), g.Index(kg.Train))
	limit, err := Expected{objective: novel}.By(by).Limits(g)
	expect.NoError(t, err)
	list, err := factEvidence(t.Context(), m, g, by, queries, FactSettings{}, limit)
	if err != nil || len(list) == 0 {
		t.Fatal(err, len(list))
	}
	sigmoid, err := by.New.Sigmoids(g)
	expect.NoError(t, err)
	row := make([]float32, m.Entities())
	odds := func(q kg.Query, e int32) float64 {
		m.Distances([]kg.Query{q}, row)
		m.Values(sphere.CriterionMargin, q, row, row)
		return clampOdds(sigmoid(q, row).Odds(row[e]))
	}
	for i := 0; i < len(list); i += 1 + len(list)/50 {
		c := list[i]
		tail, head := odds(c.triple.Query(kg.TailSide), c.triple.Tail), odds(c.triple.Query(kg.HeadSide), c.triple.Head)
		right := 0.0
		if slices.Contains(g.Valid, c.triple) {
			right = 1
		}
		if c.tail != tail || c.head != head || c.right != right {
			t.Errorf("%+v, want odds %g and %g, right %g", c, tail, head, right)
		}
	}
	for _, z := range []float64{-20, -1, 3, math.Inf(1)} {
		e := all[0].Of(1, z, math.Inf(-1))
		if top := all[0].Curve[len(all[0].Curve)-1].Share; e.Probability > top || !(e.Probability >= 0) {
			t.Errorf("at %g: %+v, and the curve ends at %g", z, e, top)
		}
	}
	if _, err := FitFacts(t.Context(), m, &kg.Graph{}, by, FactSettings{}); err == nil {
		t.Error("a graph without validation facts is accepted")
	}
	measured, err := MeasureFacts(t.Context(), m, g, by, all[0], Expected{objective: novel}, kg.Test, FactSettings{})
	if err != nil || len(measured.BothSides.Bands) == 0 || measured.OneSide.ECE == measured.BothSides.ECE {
		t.Errorf("%+v, %v", measured, err)
	}
}

// TestFactSampleIsShared: each relation and side has its part of the sample, and those that are drawn stand for all.
func TestFactSampleIsShared(t *testing.T) {
	t.Parallel()
	var queries []query
	number := map[int32]int{0: 40, 1: 3, 2: 9}
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		for relation := range int32(3) {
			for known := range int32(number[relation]) {
				queries = append(queries, query{Query: kg.Query{Side: side, Relation: relation, Known: known}})
			}
		}
	}
	for _, c := range []struct{ sample, of0, of1, of2 int }{
		{0, 40, 3, 9}, {16, 6, 3, 6}, {2, 1, 1, 1}, {100, 40, 3, 9}, {51, 39, 3, 9},
	} {
		chosen, weights := factSample(queries, 50, FactSettings{Sample: c.sample})
		count, sum := map[kg.Query]int{}, map[kg.Query]float64{}
		for i, q := range chosen {
			of := kg.Query{Side: q.Side, Relation: q.Relation}
			count[of]++
			sum[of] += weights[i]
		}
		for of, n := range count {
			if want := [...]int{c.of0, c.of1, c.of2}[of.Relation]; n != want ||
				math.Abs(sum[of]-float64(number[of.Relation])) > 1e-9 {
				t.Errorf("sample %d, %+v: %d queries stand for %g, want %d", c.sample, of, n, sum[of], want)
			}
		}
		for half := 1; half <= 2; half++ {
			part, _ := factSample(queries, 50, FactSettings{Sample: c.sample, Half: half})
			spans := map[kg.Query]bool{}
			for _, q := range part {
				spans[kg.Query{Side: q.Side, Relation: q.Relation}] = true
			}
			if len(spans) != 6 {
				t.Errorf("sample %d, half %d: %d relations and sides", c.sample, half, len(spans))
			}
		}
		if len(count) != 6 {
			t.Errorf("sample %d: %d relations and sides", c.sample, len(count))
		}
	}
}

// TestMassBands compares bands with a count by hand: about equally many each, equal probabilities together.
func TestMassBands(t *testing.T) {
	t.Parallel()
	var list []judgedFact
	for i, p := range []float64{.1, .1, .1, .2, .3, .3, .5, .6, .9, .9} {
		list = append(list, judgedFact{p, 1, float64(i % 2)})
	}
	bands := massBands(list, 3)
	want := []Band{{From: .1, To: .2, Entities: 4, Mean: .125, Share: .5},
		{From: .3, To: .5, Entities: 3, Mean: 1.1 / 3, Share: 1. / 3},
		{From: .6, To: .9, Entities: 3, Mean: .8, Share: 2. / 3}}
	if len(bands) != len(want) {
		t.Fatalf("%+v", bands)
	}
	for i, b := range bands {
		w := want[i]
		if b.From != w.From || b.To != w.To || b.Entities != w.Entities || math.Abs(b.Mean-w.Mean) > 1e-12 ||
			math.Abs(b.Share-w.Share) > 1e-12 {
			t.Errorf("band %d is %+v, want %+v", i, b, w)
		}
	}
	var tied []judgedFact // an edge of equal masses lies among equal probabilities
	for _, p := range []float64{.1, .1, .2, .2, .2, .2, .5, .5, .5} {
		tied = append(tied, judgedFact{p, 1, 1})
	}
	bands = massBands(tied, 3)
	if len(bands) != 2 || bands[0].Entities != 6 || bands[0].To != .2 || bands[1].From != .5 {
		t.Errorf("equal probabilities are apart: %+v", bands)
	}
	r := returned(list)
	if likely := r.Likely[0]; likely.From != .2 || len(r.Likely) > likelyBands {
		t.Errorf("likely bands are %+v", r.Likely)
	}
}

// TestFactsOutsideSets: a probability is also asked of facts that no query returns, as by an explanation or between two
// entities. By the queries of the validation facts the sum of their probabilities stays near the number that is right.
func TestFactsOutsideSets(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	m, err := sphere.New(sphere.Settings{Model: "sphere-2d", Variant: sphere.Clean, Dimension: 16, Gamma: 4,
		Epsilon: 2}, g, 7)
	expect.NoError(t, err)
	trainer, err := sphere.NewTrainer(m, g, sphere.Training{Epochs: 1, Steps: 400, Batch: 64, Negatives: 16,
		Sampling: "bernoulli", Temperature: 1, LearningRate: .02, Beta1: .9, Beta2: .999, AdamEpsilon: 1e-8})
	expect.NoError(t, err)
	defer trainer.Close()
	if _, err := trainer.Epoch(t.Context()); err != nil {
		t.Fatal(err)
	}
	by, err := Calibrate(t.Context(), m, g, CalibrateSettings{})
	expect.NoError(t, err)
	f, err := FitFacts(t.Context(), m, g, by, FactSettings{})
	expect.NoError(t, err)
	limit, err := Expected{objective: novel}.By(by).Limits(g)
	expect.NoError(t, err)
	sides, err := by.New.Sides(g)
	expect.NoError(t, err)
	rows := map[kg.Query][]float32{}
	values := func(q kg.Query) []float32 {
		if rows[q] == nil {
			row := make([]float32, m.Entities())
			m.Distances([]kg.Query{q}, row)
			m.Values(sphere.CriterionMargin, q, row, row)
			rows[q] = row
		}
		return rows[q]
	}
	known := g.Index(kg.Train)
	ends := map[kg.Query]float32{}
	returned := func(q kg.Query, e int32) bool {
		if _, ok := ends[q]; !ok {
			ends[q] = limit(q, known.Answers(q), values(q))
		}
		return values(q)[e] <= ends[q]
	}
	odds := func(q kg.Query, e int32) float64 { return sides.Of(q, values(q)).Odds(values(q)[e]) }
	expected, right := 0.0, 0
	for i, q := range distinct(g.Valid, g.Index(kg.Train, kg.Valid), known) {
		if i%19 != 0 {
			continue
		}
		for e := range int32(m.Entities()) {
			fact := q.Triple(e)
			tail, head := fact.Query(kg.TailSide), fact.Query(kg.HeadSide)
			if kg.Contains(q.known, e) || returned(tail, fact.Tail) || returned(head, fact.Head) {
				continue
			}
			expected += f.Of(q.Relation, odds(tail, fact.Tail), odds(head, fact.Head)).Probability
			if kg.Contains(q.truth, e) {
				right++
			}
		}
	}
	if right == 0 || expected > 4*float64(right) {
		t.Errorf("of the facts that are in no set %d are right, and %.0f are expected", right, expected)
	}
}
