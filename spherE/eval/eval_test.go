package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

func mustRun(t testing.TB, m Model, g *kg.Graph, s Settings) *Report {
	t.Helper()
	r, err := Run(context.Background(), m, g, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestMatchesTwin compares every metric key, every category and every relation with the brute-force twin.
func TestMatchesTwin(t *testing.T) {
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
			Primary: sphere.CriterionIntersect,
			Further: []sphere.Criterion{sphere.CriterionMargin, sphere.CriterionSphere, sphere.CriterionIntersect},
			Block:   1 + r.IntN(9),
			Threads: 1 + r.IntN(3),
		}
		switch seed % 7 {
		case 1:
			s.Primary, s.Further = sphere.CriterionMargin, []sphere.Criterion{sphere.CriterionIntersect}
		case 2: // margin only as the source of ranks
			s.Further = nil
		case 3:
			s.TopL = []int{4, 2, 4, 1000}
		}
		if s.Split == kg.Valid && seed%2 == 0 {
			s.Truth = []kg.Split{kg.Train, kg.Valid}
		}
		got := mustRun(t, m, g, s)
		w := newTwin(f, g, m, s)

		cuts := []string{string(s.Primary)}
		for _, c := range s.Further {
			if !slices.Contains(cuts, string(c)) {
				cuts = append(cuts, string(c))
			}
		}
		top := []int{1, 3, 5, 10, 20, 100}
		if s.TopL != nil {
			top = []int{2, 4, 1000}
		}
		for _, l := range top {
			cuts = append(cuts, fmt.Sprintf("top-%d", l))
		}
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
		want := w.metrics(string(s.Primary), cuts)
		if n := w.nanValues(s.Primary); n > 0 {
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
					t.Errorf("seed %d: %s is in category %s, want %s", seed, group.Name, group.Category, w.category(of[0][1]))
				}
				for side, scores := range map[string]Scores{"head": group.Head, "tail": group.Tail} {
					m := make(map[string]float64)
					scores.metrics(m, "")
					compareMaps(t, fmt.Sprintf("seed %d, %s, %s, %s", seed, c.Name, group.Name, side), m, w.scores(c.Name, side, of))
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
				m := make(map[string]float64)
				scores.metrics(m, "")
				compareMaps(t, fmt.Sprintf("seed %d, ranks, %s, %s", seed, group.Name, side), m, w.ranks(side, of))
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

// TestThreadsAndBlocks demands the same report to the last bit.
func TestThreadsAndBlocks(t *testing.T) {
	f := randomFacts(newRand(3), 30, 6, 5)
	g := f.graph(t)
	m := &fake{g: g, levels: 13, gamma: 2, nan: 5}
	var first []byte
	for _, threads := range []int{1, 2, 3, 7, 0} {
		for _, block := range []int{0, 1, 5, 1000} {
			r := mustRun(t, m, g, Settings{Threads: threads, Block: block, Resamples: 50, Seed: 9, KeepRecords: true,
				Further: []sphere.Criterion{sphere.CriterionSphere}})
			b := mustJSON(t, r)
			if first == nil {
				first = b
			}
			if !bytes.Equal(b, first) {
				t.Fatalf("threads %d, block %d: another report", threads, block)
			}
		}
	}
}

// TestLineOrder: the order of the input lines changes nothing.
func TestLineOrder(t *testing.T) {
	f := randomFacts(newRand(4), 20, 5, 5)
	g := f.graph(t)
	s := Settings{Resamples: 20}
	want := mustJSON(t, mustRun(t, &fake{g: g, levels: 5, gamma: 2}, g, s))
	r := newRand(5)
	for _, list := range [][][3]string{f.train, f.valid, f.test} {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	g = f.graph(t)
	if got := mustJSON(t, mustRun(t, &fake{g: g, levels: 5, gamma: 2}, g, s)); !bytes.Equal(got, want) {
		t.Error("shuffled lines gave another report")
	}
}

// renamed sees a graph whose entities and relations were renamed through the eyes of the original's model.
type renamed struct {
	*fake
	g        *kg.Graph
	entity   []int32 // id in g to id in fake.g
	relation []int32
}

func (m *renamed) Distances(queries []kg.Query, dst []float32) {
	n := m.Entities()
	for i, q := range queries {
		row := make([]float32, n)
		m.fake.Distances([]kg.Query{m.query(q)}, row)
		for e := range n {
			dst[i*n+e] = row[m.entity[e]]
		}
	}
}

func (m *renamed) query(q kg.Query) kg.Query {
	return kg.Query{Side: q.Side, Known: m.entity[q.Known], Relation: m.relation[q.Relation]}
}

func (m *renamed) Values(c sphere.Criterion, q kg.Query, dist, dst []float32) float32 {
	n := m.Entities()
	in, out := make([]float32, n), make([]float32, n)
	for e := range n {
		in[m.entity[e]] = dist[e]
	}
	cut := m.fake.Values(c, m.query(q), in, out)
	for e := range n {
		dst[e] = out[m.entity[e]]
	}
	return cut
}

// TestRenaming: without ties, what entities are called changes nothing but the order of additions.
func TestRenaming(t *testing.T) {
	f := randomFacts(newRand(6), 20, 5, 10)
	g := f.graph(t)
	m := &fake{g: g, levels: 1 << 22, gamma: 3, open: true}
	want := mustRun(t, m, g, Settings{}).Metrics()

	other := func(name string) string { return fmt.Sprintf("x%d-%s", hash(1, name)%1000, name) }
	rename := func(list [][3]string) (out [][3]string) {
		for _, x := range list {
			out = append(out, [3]string{other(x[0]), other(x[1]), other(x[2])})
		}
		return out
	}
	g2 := facts{rename(f.train), rename(f.valid), rename(f.test)}.graph(t)
	m2 := &renamed{fake: m, g: g2, entity: make([]int32, g2.Entities.Len()), relation: make([]int32, g2.Relations.Len())}
	for e := range int32(g.Entities.Len()) {
		id, _ := g2.Entities.ID(other(g.Entities.Name(e)))
		m2.entity[id] = e
	}
	for r := range int32(g.Relations.Len()) {
		id, _ := g2.Relations.ID(other(g.Relations.Name(r)))
		m2.relation[id] = r
	}
	compareMaps(t, "renamed", mustRun(t, m2, g2, Settings{}).Metrics(), want)
}

// TestByHand is small enough to work out on paper.
//
// Tail queries of the test triples (a r c) and (a r d): G = {b, c, d, e}, K = {b (train), e (valid)}. The
// table below gives every entity the same distance in every query, so (a, r, ?) ranks b c x d e a.
func TestByHand(t *testing.T) {
	g, err := kg.New("hand",
		[][3]string{{"a", "r", "b"}, {"x", "s", "a"}},
		[][3]string{{"a", "r", "e"}},
		[][3]string{{"a", "r", "c"}, {"a", "r", "d"}})
	if err != nil {
		t.Fatal(err)
	}
	m := table{g, map[string]float32{"b": 1, "c": 2, "x": 2.5, "d": 4, "e": 5, "a": 6}, 3}
	r := mustRun(t, m, g, Settings{TopL: []int{2}})
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

// table gives every entity one distance in all queries; all criteria compare it with the cut.
type table struct {
	g        *kg.Graph
	distance map[string]float32
	cut      float32
}

func (m table) Entities() int { return m.g.Entities.Len() }

func (m table) Relations() int { return m.g.Relations.Len() }

func (m table) Distances(queries []kg.Query, dst []float32) {
	for i := range dst {
		dst[i] = m.distance[m.g.Entities.Name(int32(i%m.Entities()))]
	}
}

func (m table) Values(_ sphere.Criterion, _ kg.Query, dist, dst []float32) float32 {
	copy(dst, dist)
	return m.cut
}

// TestTies: a model that cannot tell entities apart ranks in the middle and fills top-l by id.
func TestTies(t *testing.T) {
	f := randomFacts(newRand(8), 15, 4, 0)
	g := f.graph(t)
	m := table{g, nil, 1}
	r := mustRun(t, m, g, Settings{TopL: []int{4}})
	w := newTwin(f, g, m, Settings{})
	var want float64
	for _, x := range f.test {
		others := g.Entities.Len() - len(w.answers(w.truth, x, "tail"))
		want += float64(2+others) / 2 / float64(len(f.test))
	}
	compareSome(t, r.Metrics(), map[string]float64{
		"tail_mr": want, "tail_size": float64(g.Entities.Len()), "tail_rr": 1, "tail_recall": 1, "top-4/head_size": 4,
	})
}

// TestNaN: a model of nothing but NaN retrieves nothing and ranks like one that cannot tell entities apart.
func TestNaN(t *testing.T) {
	f := randomFacts(newRand(8), 15, 4, 0)
	g := f.graph(t)
	nan := make(map[string]float32)
	for i := range int32(g.Entities.Len()) {
		nan[g.Entities.Name(i)] = float32(math.NaN())
	}
	tied := mustRun(t, table{g, nil, 1}, g, Settings{})
	r := mustRun(t, table{g, nan, 1}, g, Settings{})
	all := int64((r.HeadQueries + r.TailQueries) * g.Entities.Len())
	if r.Cuts[0].NaN != all || r.Ranking.NaN != all || r.Metrics()["nan_values"] != float64(all) {
		t.Errorf("counted %d and %d NaN, want %d", r.Cuts[0].NaN, r.Ranking.NaN, all)
	}
	for _, c := range r.Cuts {
		if strings.HasPrefix(c.Name, "lookup") {
			continue
		}
		if c.Head.Size != 0 || c.Tail.Size != 0 || c.Head.RR != 0 || c.Tail.F1 != 0 || c.NaN != all {
			t.Errorf("%s retrieved something: %+v", c.Name, c)
		}
	}
	if r.Ranking.Both != tied.Ranking.Both {
		t.Errorf("ranks %+v, want %+v", r.Ranking.Both, tied.Ranking.Both)
	}
	mustJSON(t, r)

	// A NaN cut retrieves nothing, too.
	r = mustRun(t, table{g, nil, float32(math.NaN())}, g, Settings{})
	if r.Cuts[0].Head.Size != 0 || r.Cuts[0].Tail.RR != 0 {
		t.Errorf("a NaN cut retrieved something: %+v", r.Cuts[0])
	}
}

// TestProperties holds what must be true of any model.
func TestProperties(t *testing.T) {
	for seed := range uint64(20) {
		r := newRand(100 + seed)
		f := randomFacts(r, 5+r.IntN(30), 1+r.IntN(5), 0)
		g := f.graph(t)
		rep := mustRun(t, &fake{g: g, levels: 9, gamma: 3, salt: seed}, g, Settings{})
		var previous Cut
		for _, c := range rep.Cuts {
			for _, s := range []Scores{c.Head, c.Tail} {
				for _, v := range []float64{s.F1, s.Precision, s.Recall, s.RR, s.QueryF1, s.NovelF1, s.UnionF1} {
					if !(v >= 0 && v <= 1) {
						t.Errorf("seed %d, %s: %v is not in [0, 1]", seed, c.Name, v)
					}
				}
				if s.F1 > max(s.Precision, s.Recall)+1e-12 && s.Queries == 1 {
					t.Errorf("seed %d, %s: F1 %v above precision and recall", seed, c.Name, s.F1)
				}
				if s.Triples != rep.Triples || s.NovelTriples != rep.Triples {
					t.Errorf("seed %d, %s: %d and %d triples, want %d", seed, c.Name, s.Triples, s.NovelTriples, rep.Triples)
				}
			}
			var l int
			if n, _ := fmt.Sscanf(c.Name, "top-%d", &l); n == 1 {
				if want := float64(min(l, g.Entities.Len())); !near(c.Head.Size, want) || !near(c.Tail.Size, want) {
					t.Errorf("seed %d, %s: sizes %v and %v", seed, c.Name, c.Head.Size, c.Tail.Size)
				}
				if c.Head.RR < previous.Head.RR || c.Tail.Recall < previous.Tail.Recall-1e-12 {
					t.Errorf("seed %d, %s finds less than %s", seed, c.Name, previous.Name)
				}
				if l >= g.Entities.Len() && (c.Head.RR != 1 || c.Tail.RR != 1) {
					t.Errorf("seed %d, %s keeps everything and misses something", seed, c.Name)
				}
				previous = c
			}
			if strings.HasPrefix(c.Name, "lookup") && (c.Head.RR != 0 || c.Tail.RR != 0 || c.Head.NovelF1 != 0 || c.Tail.NovelF1 != 0) {
				t.Errorf("seed %d: %s found something new in a graph without leaks", seed, c.Name)
			}
		}
	}
}

// TestSkips: what is skipped is absent and the rest the same.
func TestSkips(t *testing.T) {
	f := randomFacts(newRand(9), 20, 4, 0)
	g := f.graph(t)
	m := &fake{g: g, levels: 9, gamma: 3}
	full := mustRun(t, m, g, Settings{}).Metrics()
	r := mustRun(t, m, g, Settings{SkipTopL: true, SkipRanking: true})
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
	look, err := Lookup(context.Background(), g, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if len(look.Cuts) != 2 || look.Primary != "" {
		t.Fatalf("lookup has the cuts %v", look.Cuts)
	}
	for key, v := range look.Metrics() {
		if want, ok := full[key]; !ok || want != v {
			t.Errorf("%s = %v, was %v", key, v, want)
		}
	}
}

// TestMetricKeys holds the keys that scripts rely on.
func TestMetricKeys(t *testing.T) {
	g := randomFacts(newRand(10), 20, 4, 0).graph(t)
	r := mustRun(t, &fake{g: g, levels: 9, gamma: 3}, g, Settings{Resamples: 20, Further: []sphere.Criterion{sphere.CriterionIntersect}})
	m := r.Metrics()
	for _, key := range strings.Fields(`head_f1 tail_f1 head_rr tail_rr nn_f1 head_precision tail_precision head_recall tail_recall
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
	g := randomFacts(newRand(11), 20, 4, 0).graph(t)
	r := mustRun(t, &fake{g: g, levels: 9, gamma: 3}, g, Settings{Resamples: 20, KeepRecords: true})
	var back Report
	if err := json.Unmarshal(mustJSON(t, r), &back); err != nil {
		t.Fatal(err)
	}

	if !reflect.DeepEqual(&back, r) {
		t.Error("the report changed on its way through JSON")
	}
}

// defaulted has a criterion of its own.
type defaulted struct{ *fake }

func (defaulted) DefaultCriterion() sphere.Criterion { return sphere.CriterionSphere }

func TestDefaultCriterion(t *testing.T) {
	g := randomFacts(newRand(11), 20, 4, 0).graph(t)
	m := &fake{g: g, levels: 9, gamma: 3}
	if r := mustRun(t, m, g, Settings{}); r.Primary != "margin" {
		t.Errorf("primary %q", r.Primary)
	}
	if r := mustRun(t, defaulted{m}, g, Settings{}); r.Primary != "sphere" {
		t.Errorf("primary %q", r.Primary)
	}
	if r := mustRun(t, defaulted{m}, g, Settings{Primary: sphere.CriterionIntersect}); r.Primary != "intersect" {
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
	if _, err := Lookup(ctx, g, Settings{Resamples: 10}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestBadSettings(t *testing.T) {
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
		{"top-l", g, Settings{TopL: []int{5, 0}}, "top-l"},
		{"block", g, Settings{Block: -1}, "block"},
		{"threads", g, Settings{Threads: -1}, "threads"},
		{"resamples", g, Settings{Resamples: -1}, "resamples"},
		{"split", g, Settings{Split: 9}, "neither"},
		{"truth without split", g, Settings{Truth: []kg.Split{kg.Train, kg.Valid}}, "test"},
		{"truth without known", g, Settings{Split: kg.Valid, Truth: []kg.Split{kg.Valid}}, "train"},
		{"criterion", g, Settings{Primary: "margins"}, `"margins"`},
		{"further criterion", g, Settings{Further: []sphere.Criterion{"cut"}}, `"cut"`},
		{"other graph", other, Settings{}, "another graph"},
	} {
		if _, err := Run(context.Background(), m, c.g, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	if g, err := kg.New("no test", noTest.train, noTest.valid, noTest.test); err == nil {
		if _, err := New(g, Settings{}); err == nil || !strings.Contains(err.Error(), "no test triples") {
			t.Errorf("empty split: error %v", err)
		}
	}
}
