package kg

import (
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestQuerySampler checks that every pass takes each distinct query once, with its answers, in an order of its own,
// and that batches change only where a step begins.
func TestQuerySampler(t *testing.T) {
	t.Parallel()
	g, err := Bundled()
	expect.NoError(t, err)
	want := map[Query][]int32{}
	for _, x := range g.Train {
		for _, side := range []Side{HeadSide, TailSide} {
			want[x.Query(side)] = append(want[x.Query(side)], x.Answer(side))
		}
	}
	const passes = 3
	take := func(seed uint64, batch int) (queries []Query) {
		s, err := NewQuerySampler(g, seed, batch)
		expect.NoError(t, err)
		if s.Len() != len(want) || s.Answers() != 2*len(g.Train) {
			t.Fatalf("%d queries with %d answers, want %d with %d", s.Len(), s.Answers(), len(want), 2*len(g.Train))
		}
		for step := uint64(0); len(queries) < passes*len(want); step++ {
			q, answers := make([]Query, batch), make([][]int32, batch)
			s.Draw(step, q, answers)
			for i := range q {
				expected := slices.Sorted(slices.Values(want[q[i]]))
				if !slices.Equal(answers[i], expected) {
					t.Fatalf("%v: answers %v, want %v", q[i], answers[i], expected)
				}
			}
			queries = append(queries, q...)
		}
		return queries[:passes*len(want)]
	}
	all := take(7, 10)
	for pass := range slices.Chunk(all, len(want)) {
		seen := map[Query]bool{}
		for _, q := range pass {
			seen[q] = true
		}
		if len(seen) != len(want) {
			t.Errorf("a pass takes %d of %d queries", len(seen), len(want))
		}
	}
	if slices.Equal(all[:len(want)], all[len(want):2*len(want)]) {
		t.Error("two passes have the same order")
	}
	if !slices.Equal(all, take(7, 33)) {
		t.Error("another batch gives another order")
	}
	if slices.Equal(all, take(8, 10)) {
		t.Error("another seed gives the same order")
	}
	if _, err := NewQuerySampler(&Graph{Name: "none"}, 1, 1); err == nil {
		t.Error("a graph without training triples was accepted")
	}
}
