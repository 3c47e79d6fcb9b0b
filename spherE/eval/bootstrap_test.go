package eval

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/kg"
)

// drawn is one distinct query of a side with the test triples that ask it, in the twin's terms.
type drawn struct{ triples [][3]string }

// distinctQueries lists a side's queries in the order in which the bootstrap numbers them: by relation, then known
// entity, both in the order of names.
func (w *twin) distinctQueries(side string) []drawn {
	groups := make(map[[2]string]*drawn)
	var keys [][2]string
	for _, x := range w.evaluated {
		key := [2]string{x[1], w.given(x, side)}
		if groups[key] == nil {
			groups[key] = &drawn{}
			keys = append(keys, key)
		}
		groups[key].triples = append(groups[key].triples, x)
	}
	sort.Slice(keys, func(i, j int) bool {
		return keys[i][0] < keys[j][0] || keys[i][0] == keys[j][0] && keys[i][1] < keys[j][1]
	})
	var list []drawn
	for _, key := range keys {
		list = append(list, *groups[key])
	}
	return list
}

// draw returns the triples of the queries of a side that resample b draws.
func (w *twin) draw(side string, seed uint64, b int) (of [][3]string) {
	queries := w.distinctQueries(side)
	stream := draw.New(seed, draw.Bootstrap, uint64(b), uint32(slices.Index([]string{"head", "tail"}, side)))
	for range queries {
		of = append(of, queries[stream.Uint32n(uint32(len(queries)))].triples...)
	}
	return of
}

// resamples computes the statistics of a cut for every resample by writing out each drawn triple.
func (w *twin) resamples(cut string, n int, seed uint64) (values [len(statistics)][]float64) {
	for b := range n {
		var nn [2]float64
		for s, side := range []string{"head", "tail"} {
			of := w.draw(side, seed, b)
			scores := w.scores(cut, side, of)
			values[s] = append(values[s], scores["f1"])
			values[2+s] = append(values[2+s], scores["rr"])
			novel, ok := scores["novel_f1"]
			if !ok {
				novel = math.NaN()
			}
			values[5+s] = append(values[5+s], novel)
			values[7+s] = append(values[7+s], scores["union_f1"])
			nn[s] = math.NaN()
			var ofNN [][3]string
			for _, x := range of {
				if w.category(x[1]) == "n-n" {
					ofNN = append(ofNN, x)
				}
			}
			if len(ofNN) > 0 {
				nn[s] = w.scores(cut, side, ofNN)["f1"]
			}
		}
		values[4] = append(values[4], (nn[0]+nn[1])/2)
	}
	return values
}

// bounds are the 2.5th and 97.5th percentiles of the numbers among values.
func bounds(values []float64) (lo, hi float64) {
	var sorted []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			sorted = append(sorted, v)
		}
	}
	sort.Float64s(sorted)
	at := func(p float64) float64 {
		position := p * float64(len(sorted)-1)
		i := int(position)
		if i+1 == len(sorted) {
			return sorted[i]
		}
		return sorted[i] + (position-float64(i))*(sorted[i+1]-sorted[i])
	}
	return at(.025), at(.975)
}

func TestIntervalsMatchTwin(t *testing.T) {
	t.Parallel()
	undefined, decided := false, false
	for seed := range uint64(8) {
		r := newRand(200 + seed)
		entities := 5 + r.IntN(4)
		f := randomFacts(r, entities, 3+int(seed)%2, 20)
		if seed > 3 { // all but one test triple are known
			f.test = append(f.test[:1], f.test[entities:]...)
		}
		g := f.graph(t)
		m := &fake{g: g, levels: 7, gamma: 3, salt: seed}
		const n = 37
		cuts := with(defaultCut, Criterion(sphere.CriterionSphere), Top(3))
		s := Settings{Cuts: cuts, Resamples: n, Seed: seed, KeepRecords: true}
		rep := mustRun(t, m, g, s)
		w := newTwin(f, g, m, s)
		all := make(map[string][len(statistics)][]float64)
		for _, c := range rep.Cuts {
			values := w.resamples(c.Name, n, seed)
			all[c.Name] = values
			for k, statistic := range statistics {
				key := statistic.key
				got, ok := c.Intervals[key]
				lo, hi := math.NaN(), math.NaN()
				if rep.NNTriples > 0 || key != "nn_f1" {
					lo, hi = bounds(values[k])
				}
				if ok == math.IsNaN(lo) || ok && (!near(got.Low, lo) || !near(got.High, hi)) {
					t.Errorf("seed %d, %s %s: interval %v (present: %v), want [%v, %v]", seed, c.Name, key, got, ok, lo,
						hi)
				}
			}
			for _, v := range values[4] {
				undefined = undefined || math.IsNaN(v)
			}
		}
		for _, pair := range [][2]string{{"", "top-3"}, {"sphere", "lookup"}, {"margin", "margin"}} {
			c, err := Compare(t.Context(), rep, rep, CompareSettings{CutA: pair[0], CutB: pair[1], Resamples: n,
				Seed: seed})
			expect.NoError(t, err)
			a, b := all[c.CutA], all[c.CutB]
			metrics := rep.Metrics()
			found := map[string]Difference{}
			for _, d := range c.Differences {
				found[d.Key] = d
			}
			for k, statistic := range statistics {
				key := statistic.key
				d, ok := found[key]
				var diff []float64
				missing := 0
				for i := range a[k] {
					diff = append(diff, a[k][i]-b[k][i])
					if math.IsNaN(diff[i]) {
						missing++
					}
				}
				if ok != (missing < len(diff)) {
					t.Errorf("seed %d, %s - %s: %s is there: %v", seed, c.CutA, c.CutB, key, ok)
				}
				if !ok {
					continue
				}
				lo, hi := bounds(diff)
				if !near(d.Interval.Low, lo) || !near(d.Interval.High, hi) {
					t.Errorf("seed %d, %s - %s: %+v, want [%v, %v]", seed, c.CutA, c.CutB, d, lo, hi)
				}
				if k >= 5 && missing > 0 && (lo > 0 || hi < 0) { // a 0 in place of what is missing would show
					decided = true
				}
				if c.CutB != "margin" && d.B != metrics[c.CutB+"/"+d.Key] || d.Difference != d.A-d.B {
					t.Errorf("seed %d, %s - %s: %+v", seed, c.CutA, c.CutB, d)
				}
				if c.CutA == c.CutB && (d.Difference != 0 || d.Interval != Interval{} || d.Clear()) {
					t.Errorf("seed %d: a cut differs from itself: %+v", seed, d)
				}
			}
		}
	}
	if !decided {
		t.Error("no resample with only known answers decides an interval; make the graphs smaller")
	}
	if !undefined {
		t.Error("no resample was without n-to-n triples; make the graphs smaller")
	}
}

// TestComparedRanksMatchTwin writes out each drawn triple for MRR and Hits of two models.
func TestComparedRanksMatchTwin(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		f := randomFacts(newRand(400+seed), 7+int(seed), 3, 20)
		g := f.graph(t)
		const n = 41
		s := Settings{Cuts: defaultCut, KeepRecords: true}
		var reports [2]*Report
		var twins [2]*twin
		for i := range reports {
			m := &fake{g: g, levels: uint64(5 + 3*i), gamma: 3, salt: seed + uint64(7*i)}
			reports[i], twins[i] = mustRun(t, m, g, s), newTwin(f, g, m, s)
		}
		c, err := Compare(t.Context(), reports[0], reports[1], CompareSettings{Resamples: n, Seed: seed, Threads: 2})
		expect.NoError(t, err)
		less := map[string][]float64{}
		for b := range n {
			of := map[string][][3]string{}
			for _, side := range []string{"head", "tail"} {
				of[side] = twins[0].draw(side, seed, b)
			}
			var values [2]map[string]float64
			for i, w := range twins {
				head, tail := w.ranks("head", of["head"]), w.ranks("tail", of["tail"])
				heads, tails := float64(len(of["head"])), float64(len(of["tail"]))
				values[i] = map[string]float64{"head_mrr": head["mrr"], "tail_mrr": tail["mrr"]}
				for _, key := range []string{"mrr", "hits_1", "hits_3", "hits_10"} {
					values[i][key] = (heads*head[key] + tails*tail[key]) / (heads + tails)
				}
			}
			for key, v := range values[0] {
				less[key] = append(less[key], v-values[1][key])
			}
		}
		found := 0
		for _, d := range c.Differences {
			if less[d.Key] == nil {
				continue
			}
			found++
			lo, hi := bounds(less[d.Key])
			a, b := reports[0].Metrics()[d.Key], reports[1].Metrics()[d.Key]
			if d.A != a || d.B != b || d.Difference != a-b || !near(d.Interval.Low, lo) || !near(d.Interval.High, hi) {
				t.Errorf("seed %d: %+v, want %v, %v, [%v, %v]", seed, d, a, b, lo, hi)
			}
		}
		if found != 6 {
			t.Errorf("seed %d: %d ranking metrics in %+v", seed, found, c.Differences)
		}
	}
	g := randomFacts(newRand(401), 9, 3, 20).graph(t)
	m := &fake{g: g, levels: 5, gamma: 3}
	bare := mustRun(t, m, g, Settings{Cuts: defaultCut, KeepRecords: true, SkipRanking: true})
	ranked := mustRun(t, m, g, Settings{Cuts: defaultCut, KeepRecords: true})
	c, err := Compare(t.Context(), ranked, bare, CompareSettings{})
	if err != nil || c.Differences[len(c.Differences)-1].Key == "hits_10" {
		t.Errorf("without ranks: %v, %+v", err, c)
	}
}

// TestIntervalsCover: intervals lie around the value, and more resamples or another seed do not move them far.
func TestIntervalsCover(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(300), 60, 4, 0).graph(t)
	m := &fake{g: g, levels: 1 << 20, gamma: 3}
	a := mustRun(t, m, g, Settings{Resamples: 1000, Seed: 1})
	b := mustRun(t, m, g, Settings{Resamples: 1000, Seed: 2})
	for _, statistic := range statistics {
		key, value := statistic.key, statistic.of(&a.Cuts[0])
		x, y := a.Cuts[0].Intervals[key], b.Cuts[0].Intervals[key]
		if !(x.Low < value && value < x.High) {
			t.Errorf("%s = %v is not within %v", key, value, x)
		}
		width := x.High - x.Low
		if x == y || math.Abs(x.Low-y.Low) > width/4 || math.Abs(x.High-y.High) > width/4 {
			t.Errorf("%s: intervals %v and %v of two seeds", key, x, y)
		}
	}
}

// TestCompareRuns compares two models, also after their reports went through JSON.
func TestCompareRuns(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(301), 60, 4, 0).graph(t)
	s := Settings{Cuts: defaultCut, KeepRecords: true}
	a := mustRun(t, &fake{g: g, levels: 1 << 20, gamma: 6}, g, s)
	b := mustRun(t, &fake{g: g, levels: 1 << 20, gamma: 1}, g, s)
	ctx := t.Context()
	c, err := Compare(ctx, a, b, CompareSettings{})
	expect.NoError(t, err)
	if c.Resamples != 1000 {
		t.Errorf("%d resamples", c.Resamples)
	}
	for _, d := range c.Differences {
		if strings.HasSuffix(d.Key, "_rr") && !(d.Clear() && d.Interval.Low > 0) {
			t.Errorf("a far wider margin does not retrieve clearly more: %+v", d)
		}
	}
	var a2, b2 Report
	if json.Unmarshal(mustJSON(t, a), &a2) != nil || json.Unmarshal(mustJSON(t, b), &b2) != nil {
		t.Fatal("JSON")
	}
	c2, err := Compare(ctx, &a2, &b2, CompareSettings{Threads: 3})
	expect.NoError(t, err)
	if string(mustJSON(t, c)) != string(mustJSON(t, c2)) {
		t.Error("the comparison changed with JSON or threads")
	}

	valid := mustRun(t, &fake{g: g, levels: 9, gamma: 1}, g, Settings{KeepRecords: true, Split: kg.Valid})
	bare := mustRun(t, &fake{g: g, levels: 9, gamma: 1}, g, Settings{})
	for what, f := range map[string]func() error{
		"records":      func() error { _, err := Compare(ctx, a, bare, CompareSettings{}); return err },
		"same queries": func() error { _, err := Compare(ctx, a, valid, CompareSettings{}); return err },
		"no cut":       func() error { _, err := Compare(ctx, a, b, CompareSettings{CutB: "top-3"}); return err },
		"negative":     func() error { _, err := Compare(ctx, a, b, CompareSettings{Resamples: -1}); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("error %v, want one with %q", err, what)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Compare(ended, a, b, CompareSettings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
