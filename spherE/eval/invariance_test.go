package eval

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestThreadsAndBlocks demands the same report to the last bit.
func TestThreadsAndBlocks(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(3), 30, 6, 5)
	g := f.graph(t)
	m := &fake{g: g, levels: 13, gamma: 2, nan: 5}
	var first []byte
	for _, threads := range []int{1, 2, 3, 7, 0} {
		for _, block := range []int{0, 1, 5, 1000} {
			r := mustRun(t, m, g, Settings{Threads: threads, Block: block, Resamples: 50, Seed: 9, KeepRecords: true,
				Cuts: with(defaultCuts(), Criterion(sphere.CriterionSphere))})
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
	t.Parallel()
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

func (m *renamed) DistancesAt(q kg.Query, entities []int32, dst []float32) {
	listed(m, q, entities, dst)
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

// TestRenaming: without ties, what entities are called changes only the order of additions.
func TestRenaming(t *testing.T) {
	t.Parallel()
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
	m2 := &renamed{fake: m, g: g2, entity: make([]int32, g2.Entities.Len()),
		relation: make([]int32, g2.Relations.Len())}
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

// table has one distance per entity in all queries; all criteria compare it with the cut.
type table struct {
	g        *kg.Graph
	distance map[string]float32
	cut      float32
}

func (m table) Entities() int { return m.g.Entities.Len() }

func (m table) Relations() int { return m.g.Relations.Len() }

func (m table) DefaultCriterion() sphere.Criterion { return sphere.CriterionMargin }

func (m table) Distances(queries []kg.Query, dst []float32) {
	for i := range dst {
		dst[i] = m.distance[m.g.Entities.Name(int32(i%m.Entities()))]
	}
}

func (m table) DistancesAt(q kg.Query, entities []int32, dst []float32) { listed(m, q, entities, dst) }

func (m table) Values(_ sphere.Criterion, _ kg.Query, dist, dst []float32) float32 {
	copy(dst, dist)
	return m.cut
}

// TestTies: a model that cannot distinguish entities ranks in the middle and fills top-l by id.
func TestTies(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(8), 15, 4, 0)
	g := f.graph(t)
	m := table{g, nil, 1}
	r := mustRun(t, m, g, Settings{Cuts: with(defaultCut, Top(4))})
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

// TestNaN: a model of NaN alone retrieves nothing and ranks like one that cannot distinguish entities.
func TestNaN(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	for seed := range uint64(20) {
		r := newRand(100 + seed)
		f := randomFacts(r, 5+r.IntN(30), 1+r.IntN(5), 0)
		g := f.graph(t)
		rep := mustRun(t, &fake{g: g, levels: 9, gamma: 3, salt: seed}, g, Settings{})
		var previous Result
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
					t.Errorf("seed %d, %s: %d and %d triples, want %d", seed, c.Name, s.Triples, s.NovelTriples,
						rep.Triples)
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
			if strings.HasPrefix(c.Name, "lookup") &&
				(c.Head.RR != 0 || c.Tail.RR != 0 || c.Head.NovelF1 != 0 || c.Tail.NovelF1 != 0) {
				t.Errorf("seed %d: %s found something new in a graph without leaks", seed, c.Name)
			}
		}
	}
}
