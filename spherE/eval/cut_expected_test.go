package eval

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
)

// expectedF1 is the mean F1 of a set over all outcomes of independent answers: bit i of members puts candidate i into
// the set, known answers are in it already.
func expectedF1(p []float64, members, known int) float64 {
	sum := 0.0
	for outcome := range 1 << len(p) {
		chance, hits, size, truth := 1.0, known, known, known
		for i, x := range p {
			in, right := members>>i&1, outcome>>i&1
			size, truth, hits = size+in, truth+right, hits+in*right
			if right == 1 {
				chance *= x
			} else {
				chance *= 1 - x
			}
		}
		if hits > 0 {
			sum += chance * 2 * float64(hits) / float64(size+truth)
		}
	}
	return sum
}

// TestExpectedIsOptimal compares the chosen set with all subsets of the candidates.
func TestExpectedIsOptimal(t *testing.T) {
	t.Parallel()
	random := newRand(71)
	sizes := map[int]bool{}
	for range 150 {
		n, known := 1+random.IntN(7), random.IntN(4)
		p := make([]float64, n)
		for i := range p {
			p[i] = math.Pow(random.Float64(), 3)
		}
		slices.SortFunc(p, func(a, b float64) int { return -compareFloats(a, b) })
		c := choice{p: p}
		for i := range p {
			c.values = append(c.values, float32(i))
		}
		size := c.best(known)
		best := 0.0
		for members := range 1 << n {
			best = max(best, expectedF1(p, members, known))
		}
		if got := expectedF1(p, 1<<size-1, known); !near(got, best) {
			t.Fatalf("p %v, %d known: the first %d have %.6f, the best set %.6f", p, known, size, got, best)
		}
		sizes[size] = true
	}
	if len(sizes) < 5 {
		t.Errorf("only sizes %v were chosen", sizes)
	}
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TestManyExpected: past the exact part the quotient of means decides, and both agree where they meet.
func TestManyExpected(t *testing.T) {
	t.Parallel()
	for _, many := range []int{100, 120, 140, 400, 3000} {
		c := choice{}
		for i := range 2 * many {
			p := .9
			if i >= many {
				p = .02
			}
			c.p, c.values = append(c.p, p), append(c.values, float32(i))
		}
		if got := c.best(0); got != many {
			t.Errorf("%d likely answers and %d unlikely ones: a set of %d", many, many, got)
		}
	}
}

// TestTiesStayTogether: entities of one value are in a set together or not at all.
func TestTiesStayTogether(t *testing.T) {
	t.Parallel()
	c := choice{p: []float64{.9, .3, .3, .3, .01}, values: []float32{1, 2, 2, 2, 3}}
	best, size := 0.0, 0
	for _, k := range []int{1, 4, 5} {
		if f := expectedF1(c.p, 1<<k-1, 0); f > best {
			best, size = f, k
		}
	}
	if got := c.best(0); got != size {
		t.Errorf("a set of %d, want %d", got, size)
	}
}

// sigmoidOf is a query's probability of a value, by package math and names.
func (w *twin) sigmoidOf(by Calibration, x [3]string, side string) func(v float32) (z, p float64) {
	v, _ := w.values(sphere.CriterionMargin, x, side)
	known := w.answers(w.trainOnly, x, side)
	var open []float64
	for name, value := range v {
		if !known[name] && !math.IsNaN(float64(value)) && !math.IsInf(float64(value), 0) {
			open = append(open, float64(value))
		}
	}
	sort.Float64s(open)
	crowd := 0.0
	if len(open) > 0 {
		crowd = open[min(9, len(open)-1)]
	}
	r, _ := w.g.Relations.ID(x[1])
	l := by.Tail[r]
	if side == "head" {
		l = by.Head[r]
	}
	return func(value float32) (float64, float64) {
		z := l.Intercept - l.Value*float64(value) + l.Count*math.Log(1+float64(len(known))) + l.Crowd*crowd
		return z, 1 / (1 + math.Exp(-z))
	}
}

// expectedSet is the set of a cut by expected F1: all outcomes for every limit.
func (w *twin) expectedSet(cut string, x [3]string, side string) set {
	by, known := w.calibrated.New, w.answers(w.known, x, side)
	if cut == "expected-f1" {
		by, known = w.calibrated.Answer, set{}
	}
	v, _ := w.values(sphere.CriterionMargin, x, side)
	sigmoid := w.sigmoidOf(by, x, side)
	var p []float64
	var limits []float32
	for name, value := range v {
		if _, chance := sigmoid(value); !known[name] && chance >= 1e-6 {
			limits = append(limits, value)
		}
	}
	slices.Sort(limits)
	for _, value := range limits {
		_, chance := sigmoid(value)
		p = append(p, chance)
	}
	fixed := 0
	if cut == "expected-union" {
		fixed = len(known)
	}
	best, limit := expectedF1(p, 0, fixed), float32(math.Inf(-1))
	for k := range limits {
		if k+1 < len(limits) && limits[k] == limits[k+1] {
			continue
		}
		if f := expectedF1(p, 1<<(k+1)-1, fixed); f > best {
			best, limit = f, limits[k]
		}
	}
	s := make(set)
	for name, value := range v {
		if value <= limit {
			s[name] = true
		}
	}
	return s
}

// TestExpectedCutsMatchTwin evaluates the cuts by expected F1 on the test split, against all outcomes.
func TestExpectedCutsMatchTwin(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		f := randomFacts(newRand(900+seed), 9, 3, int(seed%3)*8)
		g := f.graph(t)
		m := &fake{g: g, levels: []uint64{9, 1 << 40}[seed%2], gamma: 3, salt: seed, nan: 10 * (seed % 2)}
		by, err := Calibrate(t.Context(), m, g, CalibrateSettings{Pseudo: 2})
		expect.NoError(t, err)
		if seed > 3 { // as of a model that knows something
			for _, l := range slices.Concat(by.New.Head, by.New.Tail, by.Answer.Head, by.Answer.Tail) {
				if l.Value < 0 {
					t.Fatalf("seed %d: weight %g of the value", seed, l.Value)
				}
			}
			for _, c := range []Calibration{by.New, by.Answer} {
				for i := range c.Head {
					c.Head[i] = Logit{2, 1.5, -.1, .2}
					c.Tail[i] = Logit{1, 1.1, .3, .1}
				}
			}
		}
		settings := Settings{Cuts: ExpectedCuts(by), Resamples: 10, KeepRecords: true}
		r := mustRun(t, m, g, settings)
		w := newTwin(f, g, m, settings)
		w.calibrated = by
		got := withoutIntervals(r)
		delete(got, nanValues) // of all cuts of the criterion; TestNaNIsCountedInFittedCuts has it
		compareMaps(t, fmt.Sprintf("seed %d", seed), got,
			w.metrics("expected-f1", append(ExpectedNames(), "lookup", "lookup-train")))
		settings.Threads, settings.Block = 3, 5
		if !bytes.Equal(mustJSON(t, r), mustJSON(t, mustRun(t, m, g, settings))) {
			t.Errorf("seed %d: other threads and blocks: another report", seed)
		}
	}
}

// TestExpectedRefuses: a cut without probabilities of the graph says so.
func TestExpectedRefuses(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(3), 20, 3, 0).graph(t)
	m := &fake{g: g, levels: 1 << 40, gamma: 3}
	for _, c := range append(ExpectedCuts(nil), ExpectedCuts(&Calibrated{})...) {
		_, err := Run(t.Context(), m, g, Settings{Cuts: []Cut{c}})
		if err == nil || !strings.Contains(err.Error(), c.Name()) {
			t.Errorf("%s: %v", c.Name(), err)
		}
	}
	g.Valid = nil
	if _, err := Calibrate(t.Context(), m, g, CalibrateSettings{}); err == nil ||
		!strings.Contains(err.Error(), "no valid triples") {
		t.Errorf("without validation: %v", err)
	}
}

// TestUnlikelyExpected: of many candidates the unlikely ones count with their mean. What a set loses by that is small.
func TestUnlikelyExpected(t *testing.T) {
	t.Parallel()
	random := newRand(72)
	maximum, others := 0.0, 0
	for range 100 {
		n, known := 100+random.IntN(500), random.IntN(3)*random.IntN(20)
		p := make([]float64, n)
		a, b := 3*random.Float64(), 1+random.Float64()
		c := choice{p: p}
		for i := range p {
			p[i] = 1 / (1 + math.Exp(a+b*math.Log(float64(i+1))))
			c.values = append(c.values, float32(i))
		}
		size, best, at := c.best(known), 0.0, 0
		if size > 40 {
			t.Fatalf("a set of %d is not compared", size)
		}
		var all [50]float64
		for k := range all {
			if all[k] = expectedOfMany(p, k, known); all[k] > best {
				best, at = all[k], k
			}
		}
		if maximum = max(maximum, best-all[size]); at != size {
			others++
		}
	}
	t.Logf("%d of 100 sets have another size than the best; the greatest loss is %.5f", others, maximum)
	if maximum > .002 {
		t.Errorf("a set loses %.5f of expected F1", maximum)
	}
}

// expectedOfMany is the expected F1 of the first k candidates, by how many of them and of the others are right.
func expectedOfMany(p []float64, k, known int) float64 {
	const enough = 120
	count := func(p []float64) []float64 {
		d := make([]float64, enough)
		d[0] = 1
		for _, x := range p {
			for i := enough - 1; i >= 0; i-- {
				d[i] *= 1 - x
				if i > 0 {
					d[i] += x * d[i-1]
				}
			}
		}
		return d
	}
	in, out, sum := count(p[:k]), count(p[k:]), 0.0
	for h, x := range in {
		for r, y := range out {
			if all := 2*known + k + h + r; all > 0 {
				sum += x * y * 2 * float64(known+h) / float64(all)
			}
		}
	}
	return sum
}

// TestSmallestOfEquallyGood: of sizes with the same expected F1 the smallest is taken: an answer that is as likely to
// cost as to gain stays out.
func TestSmallestOfEquallyGood(t *testing.T) {
	t.Parallel()
	c := choice{p: []float64{1, .5}, values: []float32{1, 2}}
	if size := c.exact(2, 0, 0); size != 1 {
		t.Errorf("size %d, and one and two have expected F1 5/6", size)
	}
}

// TestManyBesideKnown: likely answers that are more than the least number of exact ones are all taken in, next to known
// answers too.
func TestManyBesideKnown(t *testing.T) {
	t.Parallel()
	var c choice
	for i := range 3 * leastExact {
		c.p, c.values = append(c.p, .9), append(c.values, float32(i))
	}
	for _, known := range []int{0, 5} {
		if size := c.best(known); size != len(c.p) {
			t.Errorf("%d of %d likely answers next to %d known ones", size, len(c.p), known)
		}
	}
}
