package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

func mustRun(t testing.TB, m Model, g *kg.Graph, s Settings) *Report {
	t.Helper()
	r, err := Run(t.Context(), m, g, s)
	expect.NoError(t, err)
	return r
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	expect.NoError(t, err)
	return b
}

// TestMatchesTwin compares every metric key, every category and every relation with the brute-force twin.
func TestMatchesTwin(t *testing.T) {
	t.Parallel()
	categories := make(map[string]bool)
	for seed := range uint64(60) {
		r := newRand(seed)
		f := randomFacts(r, 6+r.IntN(14), 1+r.IntN(6), []int{0, 0, 15, 60}[seed%4])
		g := f.graph(t)
		m := &fake{g: g, levels: []uint64{3, 11, 1 << 20}[seed%3], gamma: []float32{0, 1.5, 3, 9}[seed/3%4], salt: seed}
		if seed%5 == 4 {
			m.nan, m.inf = 60, 40
		}
		s := Settings{
			Split:   []kg.Split{kg.Train, kg.Test, kg.Valid}[seed%3],
			Block:   1 + r.IntN(9),
			Threads: 1 + r.IntN(3),
		}
		cuts, top := strings.Fields("intersect margin sphere intersect"), []int{1, 3, 5, 10, 20, 100}
		switch seed % 7 {
		case 1:
			cuts = cuts[1:2]
		case 2: // margin only as the source of ranks
			cuts = cuts[:1]
		case 3:
			top = []int{4, 2, 4, 1000}
		}
		for _, name := range cuts {
			c, ok := ParseCut(name)
			if !ok {
				t.Fatalf("no cut %s", name)
			}
			s.Cuts = append(s.Cuts, c)
		}
		s.Cuts = append(s.Cuts, Tops(top...)...)
		cuts = cuts[:min(3, len(cuts))] // a cut that is listed twice is measured once
		slices.Sort(top)
		for _, l := range slices.Compact(top) {
			cuts = append(cuts, fmt.Sprintf("top-%d", l))
		}
		primary := sphere.Criterion(cuts[0])
		if s.Split == kg.Valid && seed%2 == 0 {
			s.Truth = []kg.Split{kg.Train, kg.Valid}
		}
		got := mustRun(t, m, g, s)
		w := newTwin(f, g, m, s)

		cuts = append(cuts, "lookup")
		if s.Split != kg.Valid {
			cuts = append(cuts, "lookup-train")
		}
		var names []string
		for _, c := range got.Cuts {
			names = append(names, c.Name)
		}
		if !slices.Equal(names, cuts) {
			t.Fatalf("seed %d: cuts %q, want %q", seed, names, cuts)
		}
		want := w.metrics(string(primary), cuts)
		if n := w.nanValues(primary); n > 0 {
			want["nan_values"] = n
		}
		compareMaps(t, fmt.Sprintf("seed %d", seed), got.Metrics(), want)
		if n := w.nanValues(sphere.CriterionMargin); float64(got.Ranking.NaN) != n {
			t.Errorf("seed %d: ranking saw %d NaN, want %v", seed, got.Ranking.NaN, n)
		}
		for _, c := range got.Cuts {
			for _, group := range append(slices.Clone(c.Categories), c.Relations...) {
				of := w.filter(func(x [3]string) bool { return x[1] == group.Name || w.category(x[1]) == group.Name })
				if group.Category != w.category(of[0][1]) {
					t.Errorf("seed %d: %s is in category %s, want %s", seed, group.Name, group.Category,
						w.category(of[0][1]))
				}
				for side, scores := range map[string]Scores{"head": group.Head, "tail": group.Tail} {
					what := fmt.Sprintf("seed %d, %s, %s, %s", seed, c.Name, group.Name, side)
					compareMaps(t, what, maps.Collect(scores.all()), w.scores(c.Name, side, of))
					if scores.Triples != len(of) {
						t.Errorf("seed %d: %s has %d triples, want %d", seed, group.Name, scores.Triples, len(of))
					}
				}
			}
			for _, group := range c.Categories {
				categories[group.Name] = true
			}
		}
		for _, group := range got.Ranking.Categories {
			of := w.filter(func(x [3]string) bool { return w.category(x[1]) == group.Name })
			for side, scores := range map[string]RankScores{"head": group.Head, "tail": group.Tail} {
				what := fmt.Sprintf("seed %d, ranks, %s, %s", seed, group.Name, side)
				compareMaps(t, what, maps.Collect(scores.all()), w.ranks(side, of))
			}
		}
		if t.Failed() {
			return
		}
	}
	if len(categories) != 4 {
		t.Errorf("the random graphs covered only the categories %v", categories)
	}
}

// withoutIntervals returns a report's metrics without the ends of intervals.
func withoutIntervals(r *Report) map[string]float64 {
	metrics := r.Metrics()
	maps.DeleteFunc(metrics, func(key string, _ float64) bool {
		return strings.HasSuffix(key, "_lo") || strings.HasSuffix(key, "_hi")
	})
	return metrics
}

func compareMaps(t *testing.T, what string, got, want map[string]float64) {
	t.Helper()
	for key, v := range want {
		if g, ok := got[key]; !ok || !near(g, v) {
			t.Errorf("%s: %s = %v (present: %v), want %v", what, key, g, ok, v)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s: unexpected key %s = %v", what, key, got[key])
		}
	}
}

// TestByHand is small enough to work out on paper.
//
// Tail queries of the test triples (a r c) and (a r d): G = {b, c, d, e}, K = {b (train), e (valid)}. The
// table below assigns every entity the same distance in every query, so (a, r, ?) ranks b c x d e a.
func TestByHand(t *testing.T) {
	t.Parallel()
	g, err := kg.New("hand",
		[][3]string{{"a", "r", "b"}, {"x", "s", "a"}},
		[][3]string{{"a", "r", "e"}},
		[][3]string{{"a", "r", "c"}, {"a", "r", "d"}})
	expect.NoError(t, err)
	m := table{g, map[string]float32{"b": 1, "c": 2, "x": 2.5, "d": 4, "e": 5, "a": 6}, 3}
	r := mustRun(t, m, g, Settings{Cuts: with(defaultCut, Top(2))})
	if r.Triples != 2 || r.HeadQueries != 2 || r.TailQueries != 1 {
		t.Fatalf("%d triples, %d head and %d tail queries", r.Triples, r.HeadQueries, r.TailQueries)
	}
	compareSome(t, r.Metrics(), map[string]float64{
		// R = {b, c, x}: 2 of 3 right, 2 of 4 found.
		"tail_size": 3, "tail_precision": 2. / 3, "tail_recall": .5, "tail_f1": 4. / 7, "tail_query_f1": 4. / 7,
		"tail_rr":        .5,      // c, not d
		"tail_novel_f1":  .5,      // {c, x} against {c, d}
		"tail_union_f1":  6. / 8., // {b, c, x, e} against G
		"top-2/tail_f1":  4. / 6,  // {b, c}
		"lookup/tail_f1": 4. / 6,  // {b, e}
		"lookup/tail_rr": 0, "lookup/tail_novel_f1": 0, "lookup/tail_union_f1": 4. / 6,
		"lookup-train/tail_f1": 2. / 5, "lookup-train/tail_union_f1": 4. / 6,
		// Filtered ranks: c 1; d behind x only: 2.
		"tail_mrr": .75, "tail_mr": 1.5, "tail_hits_1": .5, "tail_hits_3": 1,
		// Head queries (?, r, c) and (?, r, d): G = {a}, R = {b, c, x}, a ranks 6th of 6.
		"head_f1": 0, "head_rr": 0, "head_size": 3, "head_mr": 6, "mr": 3.75, "mrr": (.75 + 1./6) / 2,
		"hits_1": .25, "hits_10": 1, "lookup/head_f1": 0,
		// (a, r) has 4 tails, each tail 1 head.
		"category/1-n/tail_f1": 4. / 7, "category/1-n/tail_rr": .5,
	})
	if _, ok := r.Metrics()["nn_f1"]; ok {
		t.Error("nn_f1 is there without n-to-n triples")
	}
}

func compareSome(t *testing.T, got, want map[string]float64) {
	t.Helper()
	for key, v := range want {
		if g, ok := got[key]; !ok || !near(g, v) {
			t.Errorf("%s = %v (present: %v), want %v", key, g, ok, v)
		}
	}
}

// TestSkips: what is skipped is absent and the rest the same.
func TestSkips(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(9), 20, 4, 0)
	g := f.graph(t)
	m := &fake{g: g, levels: 9, gamma: 3}
	full := mustRun(t, m, g, Settings{}).Metrics()
	r := mustRun(t, m, g, Settings{Cuts: defaultCut, SkipRanking: true})
	if r.Ranking != nil || r.Records != nil || r.Cuts[0].Intervals != nil {
		t.Error("skipped parts are there")
	}
	for key, v := range r.Metrics() {
		if full[key] != v {
			t.Errorf("%s = %v, was %v", key, v, full[key])
		}
		if strings.HasPrefix(key, "top-") || strings.Contains(key, "hits") {
			t.Errorf("%s was skipped", key)
		}
	}
}

// TestMetricKeys holds the keys that scripts rely on.
func TestMetricKeys(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(10), 20, 4, 0).graph(t)
	s := Settings{Resamples: 20, Cuts: with(defaultCuts(), Criterion(sphere.CriterionIntersect))}
	r := mustRun(t, &fake{g: g, levels: 9, gamma: 3}, g, s)
	m := r.Metrics()
	for _, key := range strings.Fields(`head_f1 tail_f1 head_rr tail_rr nn_f1
		head_precision tail_precision head_recall tail_recall
		head_size tail_size head_query_f1 tail_query_f1 head_novel_f1 tail_novel_f1 head_union_f1 tail_union_f1
		mrr mr hits_1 hits_3 hits_10 head_mrr tail_mrr head_mr tail_mr head_hits_1 tail_hits_10
		top-10/head_f1 intersect/head_f1 lookup/head_f1 lookup-train/nn_f1 category/n-n/head_f1
		head_f1_lo head_f1_hi tail_rr_lo nn_f1_hi top-10/tail_f1_lo lookup/nn_f1_lo`) {
		if _, ok := m[key]; !ok {
			t.Errorf("no metric %s", key)
		}
	}
	if _, ok := m["margin/head_f1"]; ok {
		t.Error("the primary cut is there twice")
	}
	for key, v := range m {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s = %v", key, v)
		}
	}
}

func TestReportJSON(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(11), 20, 4, 0).graph(t)
	r := mustRun(t, &fake{g: g, levels: 9, gamma: 3}, g, Settings{Resamples: 20, KeepRecords: true})
	var back Report
	expect.NoError(t, json.Unmarshal(mustJSON(t, r), &back))

	if !reflect.DeepEqual(&back, r) {
		t.Error("the report changed on its way through JSON")
	}
}

// defaulted has a criterion of its own.
type defaulted struct{ *fake }

func (defaulted) DefaultCriterion() sphere.Criterion { return sphere.CriterionSphere }

func TestDefaultCriterion(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(11), 20, 4, 0).graph(t)
	m := &fake{g: g, levels: 9, gamma: 3}
	if r := mustRun(t, m, g, Settings{}); r.Primary != "margin" {
		t.Errorf("primary %q", r.Primary)
	}
	if r := mustRun(t, defaulted{m}, g, Settings{}); r.Primary != "sphere" {
		t.Errorf("primary %q", r.Primary)
	}
	intersect := []Cut{Criterion(sphere.CriterionIntersect)}
	if r := mustRun(t, defaulted{m}, g, Settings{Cuts: intersect}); r.Primary != "intersect" {
		t.Errorf("primary %q", r.Primary)
	}
}

// cancelling ends the context while it computes its first distances.
type cancelling struct {
	*fake
	cancel func()
}

func (m cancelling) Distances(queries []kg.Query, dst []float32) {
	m.cancel()
	m.fake.Distances(queries, dst)
}

func TestProgressAndCancel(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(12), 40, 4, 0).graph(t)
	m := &fake{g: g, levels: 9, gamma: 3}
	last, total := 0, 0
	unsynchronised := 0 // the race detector sees a callback on another goroutine
	r := mustRun(t, m, g, Settings{Block: 2, Progress: func(done, all int) {
		unsynchronised++
		if done <= last || done > all {
			t.Errorf("progress %d after %d of %d", done, last, all)
		}
		last, total = done, all
	}})
	if unsynchronised == 0 || last != total || total != r.HeadQueries+r.TailQueries {
		t.Errorf("progress ended at %d of %d", last, total)
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if _, err := Run(ctx, cancelling{m, cancel}, g, Settings{Block: 1, Threads: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if _, err := Run(ctx, m, g, Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestBadSettings(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(13), 20, 4, 0)
	g := f.graph(t)
	m := &fake{g: g, levels: 9, gamma: 3}
	other := randomFacts(newRand(13), 9, 4, 0).graph(t)
	noTest := facts{f.train, f.valid, nil}
	for _, c := range []struct {
		name string
		g    *kg.Graph
		s    Settings
		want string
	}{
		{"top-l", g, Settings{Cuts: Tops(5, 0)}, "top-l"},
		{"block", g, Settings{Block: -1}, "block"},
		{"threads", g, Settings{Threads: -1}, "threads"},
		{"resamples", g, Settings{Resamples: -1}, "resamples"},
		{"split", g, Settings{Split: 9}, "neither"},
		{"truth without split", g, Settings{Truth: []kg.Split{kg.Train, kg.Valid}}, "test"},
		{"truth without known", g, Settings{Split: kg.Valid, Truth: []kg.Split{kg.Valid}}, "train"},
		{"criterion", g, Settings{Cuts: []Cut{Criterion("margins")}}, `"margins"`},
		{"further criterion", g, Settings{Cuts: with(defaultCut, Criterion("cut"))}, `"cut"`},
		{"other graph", other, Settings{}, "another graph"},
	} {
		if _, err := Run(t.Context(), m, c.g, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	if g, err := kg.New("no test", noTest.train, noTest.valid, noTest.test); err == nil {
		if _, err := New(g, Settings{}); err == nil || !strings.Contains(err.Error(), "no test triples") {
			t.Errorf("empty split: error %v", err)
		}
	}
}
