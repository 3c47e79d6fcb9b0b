package inductive

import (
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestRememberedDistances: distances that were asked before are those of the model and its way to ask for heads, mixed
// with new ones; tail queries are shared by all ways; beyond the limit nothing is kept.
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
	m.answers.rows, m.answers.floats = map[question][]float32{}, rememberedFloats-n
	check(m, queries)
	if len(m.answers.rows) != 1 {
		t.Errorf("%d answers are kept where there is room for one", len(m.answers.rows))
	}
}
