package eval

import (
	"bytes"
	"math"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// judgedEntity is an entity that is not known, as an answer of a test query.
type judgedEntity struct {
	p     float64
	right bool
}

// judgedEntities lists those of all distinct queries of a side with new answers, by names and package math.
func (w *twin) judgedEntities(by Calibration, side string) (list []judgedEntity) {
	seen := set{}
	for _, x := range w.evaluated {
		query := x[1] + "|" + w.given(x, side)
		known, truth := w.answers(w.known, x, side), w.answers(w.truth, x, side)
		if seen[query] || len(known) == len(truth) {
			continue
		}
		seen[query] = true
		v, _ := w.values(sphere.CriterionMargin, x, side)
		sigmoid := w.sigmoidOf(by, x, side)
		for name, value := range v {
			if !known[name] && value-value == 0 {
				_, p := sigmoid(value)
				list = append(list, judgedEntity{p, truth[name]})
			}
		}
	}
	return list
}

// TestReliabilityMatchesTwin: on the test split, for likely and for unlikely answers, and whatever the threads.
func TestReliabilityMatchesTwin(t *testing.T) {
	t.Parallel()
	likely := 0
	for seed := range uint64(6) {
		f := randomFacts(newRand(700+seed), 30, 4, int(seed%3)*8)
		g := f.graph(t)
		m := informed{&fake{g: g, levels: 1 << 40, gamma: 3, salt: seed, nan: 5 * (seed % 2), inf: 5 * (seed % 2),
			open: true}, g.Index(kg.Train, kg.Valid)}
		by := mustCalibrate(t, m, g, CalibrateSettings{})
		if seed > 2 { // as of a model that is too sure
			for i := range by.New.Head {
				by.New.Head[i], by.New.Tail[i] = Logit{3, 1, -.1, .2}, Logit{2, 2, .1, .1}
			}
		}
		settings := Settings{Cuts: ExpectedCuts(by), KeepRecords: true}
		report := func(s Settings) *Report {
			e, err := New(g, s)
			if err == nil {
				e, err = e.Judging(by)
			}
			expect.NoError(t, err)
			r, err := e.Run(t.Context(), m)
			expect.NoError(t, err)
			return r
		}
		r := report(settings)
		for _, other := range []Settings{{Threads: 1}, {Threads: 3, Block: 5}, {Threads: 7, Block: 1}} {
			settings.Threads, settings.Block = other.Threads, other.Block
			if !bytes.Equal(mustJSON(t, report(settings)), mustJSON(t, r)) {
				t.Errorf("seed %d, %d threads, blocks of %d: another report", seed, other.Threads, other.Block)
			}
		}
		w, metrics := newTwin(f, g, m, settings), r.LoggedMetrics()
		for side, got := range map[string]*Reliability{"head": &r.Reliability.Head, "tail": &r.Reliability.Tail} {
			list := w.judgedEntities(by.New, side)
			var ece, score, n float64
			total := 0.0
			for i, band := range got.Bands() {
				var entities, expected, right, squares float64
				for _, e := range list {
					if e.p < band.From || e.p >= band.To && band.To < 1 {
						continue
					}
					entities++
					y := 0.0
					if e.right {
						y = 1
					}
					if e.p < 1e-6 {
						e.p = 0
					}
					expected, right, squares = expected+e.p, right+y, squares+(e.p-y)*(e.p-y)
				}
				total += entities
				if entities != band.Entities || entities > 0 &&
					(!near(band.Mean, expected/entities) || !near(band.Share, right/entities)) {
					t.Errorf("seed %d, %s, from %g: %+v, want %g entities, mean %g, share %g", seed, side, band.From, band,
						entities, expected/entities, right/entities)
				}
				if entities > 0 && !(band.Low <= band.Share && band.Share <= band.High) {
					t.Errorf("seed %d, %s: interval of %+v", seed, side, band)
				}
				if i > 0 {
					n, ece, score = n+entities, ece+math.Abs(expected-right), score+squares
				}
			}
			if total != float64(len(list)) {
				t.Errorf("seed %d, %s: bands have %g of %d entities", seed, side, total, len(list))
			}
			if n == 0 {
				continue
			}
			likely++
			if a, b := metrics["test/"+side+"_ece"], metrics["test/"+side+"_brier"]; !near(a, ece/n) || !near(b, score/n) {
				t.Errorf("seed %d, %s: ECE %g, Brier %g; want %g, %g", seed, side, a, b, ece/n, score/n)
			}
		}
	}
	if likely < 8 {
		t.Errorf("only %d sides have likely answers", likely)
	}
}

// TestJudgingKeepsTheReport: nothing else changes, and keys can be read.
func TestJudgingKeepsTheReport(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(12), 30, 4, 5).graph(t)
	m := &fake{g: g, levels: 1 << 40, gamma: 3, nan: 5}
	by := mustCalibrate(t, m, g, CalibrateSettings{})
	for _, s := range []Settings{{}, {Cuts: []Cut{Criterion(sphere.CriterionSphere)}, SkipRanking: true}} {
		e, err := New(g, s)
		expect.NoError(t, err)
		if e, err = e.Judging(by); err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context(), m)
		expect.NoError(t, err)
		got, want := r.LoggedMetrics(), mustRun(t, m, g, s).LoggedMetrics()
		for _, key := range []string{"test/head_ece", "test/tail_ece", "test/head_brier", "test/tail_brier"} {
			if _, ok := got[key]; !ok {
				t.Errorf("%s is not logged", key)
			}
			if k, ok := ParseKey(key); !ok || k.String() != key {
				t.Errorf("%s is read as %+v", key, k)
			}
			delete(got, key)
		}
		compareMaps(t, "judged", got, want)
	}
	other := randomFacts(newRand(12), 30, 3, 5).graph(t)
	e, err := New(other, Settings{})
	expect.NoError(t, err)
	if _, err := e.Judging(by); err == nil {
		t.Error("probabilities of another graph are taken")
	}
}

// TestWilson: the interval has the shares whose own 95 % region holds the observed one.
func TestWilson(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ right, n float64 }{{0, 10}, {3, 10}, {10, 10}, {400, 1000}} {
		share := x.right / x.n
		low, high := wilson(share, x.n)
		for _, end := range []float64{low, high} {
			if end < 1e-12 || end > 1-1e-12 {
				continue
			}
			if z := math.Abs(share-end) / math.Sqrt(end*(1-end)/x.n); math.Abs(z-1.96) > 1e-4 {
				t.Errorf("%g of %g: end %g is %g standard deviations away", x.right, x.n, end, z)
			}
		}
		if !(low <= share && share <= high && low < high) {
			t.Errorf("%g of %g: %g to %g", x.right, x.n, low, high)
		}
	}
}

// TestECE of probabilities that are right, and of ones that are .3 too high; unlikely entities do not count.
func TestECE(t *testing.T) {
	t.Parallel()
	r := newReliability()
	if ece, score := r.ECE(); ece != 0 || score != 0 {
		t.Errorf("of nothing: ECE %g, Brier score %g", ece, score)
	}
	s := Sigmoid{slope: 0} // .5
	r.add(s, 0, 30, 1)
	r.add(s, 0, 30, 0)
	r.add(Sigmoid{base: -5}, 0, 1e6, 0)
	r.add(Sigmoid{base: -20}, 0, 1e6, 0)
	if ece, score := r.ECE(); !near(ece, 0) || !near(score, .25) {
		t.Errorf("ECE %g, Brier score %g", ece, score)
	}
	r.add(s, 0, 90, 0)
	if ece, score := r.ECE(); !near(ece, .3) || !near(score, .25) {
		t.Errorf("ECE %g, Brier score %g, want .3 and .25", ece, score)
	}
}
