package retrieve

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// fuzzyModel answers from sets: a score is the sum over its entities of degree times minus their distances.
type fuzzyModel struct {
	*sphere.Model
	asked int
}

func (m *fuzzyModel) OnSets() bool { return true }

func (m *fuzzyModel) Project(
	_ context.Context, entities []int32, degrees []float32, side kg.Side, relation int32, dst []float32,
) error {
	m.asked++
	clear(dst)
	dist := make([]float32, len(dst))
	for i, x := range entities {
		m.Distances([]kg.Query{{Side: side, Known: x, Relation: relation}}, dist)
		for y, d := range dist {
			dst[y] -= degrees[i] * d
		}
	}
	return nil
}

// TestHopFromFuzzySet compares a second step, and the union of two sets, with sums over all entities. The model is
// asked once about the whole set.
func TestHopFromFuzzySet(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	n := g.Entities.Len()
	m := &fuzzyModel{Model: smallModel(t, g, sphere.Settings{Dimension: 2, Gamma: 2})}
	known := g.Index(kg.Train, kg.Valid)
	one := func(_ kg.Query, _ []float32) func(float32) float64 {
		return func(v float32) float64 { return .8 / (1 + float64(max(v, 0))) }
	}
	ofSet := func(q kg.Query, known []int32, values []float32) func(float32) float64 {
		scale := .6 / float64(1+len(known)+int(q.Relation))
		return func(v float32) float64 { return scale / (1 + float64(v)/float64(len(values))) }
	}
	steps := &Steps{Probability: one, OfSet: ofSet,
		Size: func(falling []float64, _ int) int { return len(falling) / 5 }}
	r := mustNew(t, m, g, Options{Criterion: sphere.CriterionMargin,
		Steps: func(context.Context) (*Steps, error) { return steps, nil }})
	ask := func(q kg.Query) *ScoredSet {
		s, err := r.ScoredSet(t.Context(), q)
		expect.NoError(t, err)
		s, err = s.Comparable(t.Context())
		expect.NoError(t, err)
		return s
	}
	raised := 0
	for i, f := range g.Train[:20] {
		first, second := ask(f.Query(kg.Side(i%2))), kg.Query{Side: kg.Side(i / 2 % 2), Relation: int32(i % 3)}
		want, certain := make([]float64, n), []int32(nil)
		sums, degrees := make([]float32, n), make([]float32, n)
		for x, p := range first.Scores {
			degrees[x] = float32(max(p, 0))
			second.Known = int32(x)
			for _, y := range known.Answers(second) {
				want[y] = max(want[y], p)
			}
		}
		for x := range int32(n) {
			dist := make([]float32, n)
			second.Known = x
			m.Distances([]kg.Query{second}, dist)
			for y := range dist {
				sums[y] -= degrees[x] * dist[y]
			}
			if want[x] == 1 {
				certain = append(certain, x)
			}
		}
		probability := ofSet(second, certain, sums)
		for y, s := range sums {
			p := probability(-s)
			if want[y] > p && want[y] < 1 {
				raised++
			}
			want[y] = max(want[y], p)
		}
		before := m.asked
		got, err := first.Hop(t.Context(), second.Side, second.Relation)
		expect.NoError(t, err)
		if m.asked != before+1 {
			t.Errorf("the model was asked %d times", m.asked-before)
		}
		for y, p := range want {
			if math.Abs(got.Scores[y]-p) > 1e-6 || (got.Marks[y] == Known) != slices.Contains(certain, int32(y)) {
				t.Fatalf("%v: entity %d is %g, %v, want %g", second, y, got.Scores[y], got.Marks[y], p)
			}
		}
		if members := len(certain) + (n-len(certain))/5; len(got.Members) != members {
			t.Errorf("%d members, want %d", len(got.Members), members)
		}
		c, err := r.Combination(t.Context(), got)
		expect.NoError(t, err)
		if words := c.meaning(); !strings.HasPrefix(words, "probability of the last step") {
			t.Errorf("the answer says: %s", words)
		}
		either, err := first.Or(t.Context(), got)
		expect.NoError(t, err)
		for e, x := range first.Scores {
			if want := 1 - (1-x)*(1-got.Scores[e]); x > 0 && math.Abs(either.Scores[e]-want) > 1e-12 {
				t.Fatalf("or: entity %d is %g, want %g", e, either.Scores[e], want)
			}
		}
	}
	if raised == 0 {
		t.Error("no known fact raises an answer: the test shows little")
	}
}
