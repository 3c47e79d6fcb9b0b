package inductive

import (
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestRememberedDistances: distances that were asked before are those of the model and its way to ask for heads, mixed
// with new ones; tail queries are shared by all ways.
func TestRememberedDistances(t *testing.T) {
	t.Parallel()
	g := graphOf(t, 79, 17, 4, 50, 0)
	m, err := networkOf(t, randomTensors(73, 16, 2, 2)).On("random", g)
	expect.NoError(t, err)
	queries := queriesOf(g, 12)
	n := g.Entities.Len()
	check := func(m *Model, queries []kg.Query) {
		t.Helper()
		dst := make([]float32, len(queries)*n)
		m.Distances(queries, dst)
		for i, scores := range scoresOf(t, m, queries, 1) {
			for e := range scores {
				scores[e] = -scores[e]
			}
			if !slices.Equal(dst[i*n:][:n], scores) {
				t.Errorf("heads %s: distances of %v differ from its scores", m.Heads(), queries[i])
			}
		}
	}
	check(m, queries[:5])
	check(m, queries[2:9])
	kept := len(m.answers.rows)
	for _, h := range []Heads{Direct, Both, Inverse} {
		check(m.WithHeads(h), queries)
	}
	distinct := map[question]bool{}
	for _, q := range queries {
		for _, h := range AllHeads() {
			distinct[h.of(q)] = true
		}
	}
	if kept != 9 || len(m.answers.rows) != len(distinct) || len(distinct) < 20 || len(distinct) > 30 {
		t.Errorf("%d answers are kept of 9, then %d of %d", kept, len(m.answers.rows), len(distinct))
	}
}

// TestSharedMemory: models that share a memory remember no more than it has room for. One that comes later takes from
// the one that has most, down to an equal share, and what a model forgets is free for others.
func TestSharedMemory(t *testing.T) {
	t.Parallel()
	m := newMemory(11 * 3)
	row := []float32{1, 2, 3}
	ask := func(r *remembered, questions int) {
		for k := range questions {
			r.remember(question{query: kg.Query{Known: int32(k)}}, row)
			r.remember(question{query: kg.Query{Known: int32(k)}}, row)
		}
	}
	first, second, third := m.newRemembered(), m.newRemembered(), m.newRemembered()
	has := func(when string, counts ...int) {
		t.Helper()
		sum := 0
		for i, r := range []*remembered{first, second, third} {
			if len(r.rows) != counts[i] || len(r.questions) != counts[i] || r.floats != 3*counts[i] {
				t.Errorf("%s: model %d has %d answers, %d floats, want %d", when, i, len(r.rows), r.floats, counts[i])
			}
			sum += r.floats
		}
		if m.floats != sum || sum > m.limit {
			t.Errorf("%s: the memory counts %d floats of %d, its limit is %d", when, m.floats, sum, m.limit)
		}
	}
	ask(first, 12)
	has("one model", 11, 0, 0)
	ask(second, 2)
	has("another one", 9, 2, 0)
	ask(second, 9)
	has("both", 6, 5, 0)
	ask(first, 12)
	has("the first again", 6, 5, 0)
	ask(third, 9)
	has("a third", 4, 4, 3)
	if dst := make([]float32, 3); !first.recall(question{}, dst) || !slices.Equal(dst, row) ||
		first.recall(question{query: kg.Query{Known: 9}}, dst) {
		t.Error("the first answer is gone, or a dropped one is there")
	}
	first.forget()
	has("without the first", 0, 4, 3)
	if len(m.of) != 2 {
		t.Errorf("%d models have answers, want 2", len(m.of))
	}
	third.remember(question{}, make([]float32, 34))
	has("a row without room", 0, 4, 3)
}
