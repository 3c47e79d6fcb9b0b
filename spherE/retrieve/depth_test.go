package retrieve

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestTiesByDepth: inside a sphere all values are 0, and answers, top-l sets, batches, the sets of expressions and
// the ranks of explanations are in the order of distance less radii. It is computed here from distances and radii,
// whose factors differ by side.
func TestTiesByDepth(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	for _, variant := range []string{sphere.Clean, sphere.Paper, sphere.Released} {
		m, err := sphere.New(sphere.Settings{Model: sphere.SpherE2D, Variant: variant, Dimension: 2, Gamma: 4,
			Epsilon: 2, Alpha: .3, Beta: .1, Tau: .2}, g, 4)
		expect.NoError(t, err)
		n := g.Entities.Len()
		by := mustNew(t, m, g, Options{Criterion: sphere.CriterionMargin, NearMisses: -1})
		top := mustNew(t, m, g, Options{Cut: "top-4", Criterion: sphere.CriterionMargin,
			Size: func(kg.Query) int { return 4 }})
		tied, sorted := 0, 0
		for _, f := range g.Train[:40] {
			for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
				q := f.Query(side)
				dist, values, depths := make([]float32, n), make([]float32, n), make([]float64, n)
				m.Distances([]kg.Query{q}, dist)
				m.Values(sphere.CriterionMargin, q, dist, values)
				known, candidate, _ := m.Reach(sphere.CriterionMargin, q)
				for e := range depths {
					a, b := float64(m.Radius(q.Known)), float64(m.Radius(int32(e)))
					depths[e] = float64(dist[e]) - float64(known)*a - float64(candidate)*b
				}
				ids := make([]int32, n)
				for e := range ids {
					ids[e] = int32(e)
				}
				byName := slices.Clone(ids)
				slices.SortFunc(ids, func(a, b int32) int { return cmp.Compare(depths[a], depths[b]) })
				slices.SortStableFunc(byName, func(a, b int32) int { return cmp.Compare(values[a], values[b]) })
				for _, e := range ids {
					if values[e] == 0 {
						tied++
					}
				}
				near := func(what string, got []int32, want []int32) {
					t.Helper()
					if len(got) != len(want) {
						t.Fatalf("%s, %v: %s has %d members, want %d", variant, q, what, len(got), len(want))
					}
					for i := range got { // equal except for the rounding of the sum
						if math.Abs(depths[got[i]]-depths[want[i]]) > 1e-5 {
							t.Fatalf("%s, %v: %s is %v, want %v", variant, q, what, got, want)
						}
					}
				}
				a, err := by.Answer(t.Context(), q)
				expect.NoError(t, err)
				near("the answer", entities(inCut(a)), ids[:len(inCut(a))])
				few, err := top.Answer(t.Context(), q)
				expect.NoError(t, err)
				near("top-4", entities(inCut(few)), ids[:4])
				if !slices.Equal(entities(inCut(few)), byName[:4]) {
					sorted++
				}
				sets := make([]Set, 1)
				expect.NoError(t, top.Sets(t.Context(), []kg.Query{q}, sets))
				near("a batch of top-4", sets[0].Entities, ids[:4])
				scored, err := by.ScoredSet(t.Context(), q)
				expect.NoError(t, err)
				near("the scored set", scored.Members[:len(inCut(a))], ids[:len(inCut(a))])
				for e, slack := range few.Slacks {
					if in := slices.Contains(entities(inCut(few)), int32(e)); in != (slack >= 0) {
						t.Fatalf("%v: entity %d of top-4 has slack %g", q, e, slack)
					}
				}
			}
			x, err := by.Explain(t.Context(), f)
			expect.NoError(t, err)
			a, err := by.Answer(t.Context(), f.Query(kg.TailSide))
			expect.NoError(t, err)
			if at := slices.Index(entities(inCut(a)), f.Tail); at >= 0 && at != x.AsTail.Before {
				t.Fatalf("%v is answer %d and has rank %d", f, at+1, x.AsTail.Before+1)
			}
		}
		if tied < 100 || sorted < 20 {
			t.Errorf("%s: %d values are tied and %d top-l sets differ from those by id: the test shows little", variant,
				tied, sorted)
		}
	}
}

func entities(list []Member) (ids []int32) {
	for _, m := range list {
		ids = append(ids, m.Entity)
	}
	return ids
}

// inCut are the members of an answer that its cut has; known answers are members without it.
func inCut(a *Answer) []Member {
	return slices.DeleteFunc(slices.Clone(a.Set), func(m Member) bool { return !(m.Slack >= 0) })
}
