package retrieve

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestCombinationsMatchTwin compares and, or and minus of expressions with the product and the greater of the
// probabilities of each entity, and their sets with every size tried: the answers that the combined probabilities
// choose, with HasNew by those that answers have where there is a new one.
func TestCombinationsMatchTwin(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := smallModel(t, g, sphere.Settings{Dimension: 2, Gamma: 2})
	known := g.Index(kg.Train, kg.Valid)
	probability := func(q kg.Query, v float32) float64 { // differs by side and relation
		shift := .4 + .3*float64(q.Relation)
		if q.Side == kg.HeadSide {
			shift *= 2
		}
		return .7 / (1 + shift*float64(v))
	}
	taken, left := 0, 0
	for _, hasNew := range []bool{false, true} {
		size := func(falling []float64, known int) int { // as many as are above a limit that known answers move
			k := 0
			for k < len(falling) && falling[k] >= .3+.01*float64(known) {
				k++
			}
			return k
		}
		steps := &Steps{Size: size, HasNew: hasNew, Probability: func(q kg.Query, _ []float32) func(float32) float64 {
			return func(v float32) float64 { return probability(q, v) }
		}}
		r := mustNew(t, m, g, Options{Criterion: sphere.CriterionMargin,
			Steps: func(context.Context) (*Steps, error) { return steps, nil }})
		single := func(q kg.Query) []float64 {
			n := m.Entities()
			list, dist, values := make([]float64, n), make([]float32, n), make([]float32, n)
			m.Distances([]kg.Query{q}, dist)
			m.Values(sphere.CriterionMargin, q, dist, values)
			for e := range list {
				switch fact := q.Triple(int32(e)); {
				case known.Has(fact):
					list[e] = 1
				case r.Itself(q) && int32(e) == q.Known:
					list[e] = math.Inf(-1)
				default:
					list[e] = probability(q, values[e])
				}
			}
			return list
		}
		for i, f := range g.Train[:30] {
			h := g.Train[(7*i+1)%len(g.Train)]
			q, p := f.Query(kg.TailSide), h.Query(kg.HeadSide)
			a, b := single(q), single(p)
			for _, word := range []string{"and", "or", "minus"} {
				text := fmt.Sprintf("%q > %q %s %q < %q", g.Entities.Name(q.Known), g.Relations.Name(q.Relation), word,
					g.Entities.Name(p.Known), g.Relations.Name(p.Relation))
				x, err := ParseExpression(text)
				expect.NoError(t, err)
				s, err := r.Evaluate(t.Context(), x)
				expect.NoError(t, err)
				score, in := twinCombination(word, a, b, hasNew, size)
				for e := range score {
					if s.Scores[e] != score[e] || s.In[e] != in[e] {
						t.Fatalf("%s: entity %d has %g, %v; want %g, %v", text, e, s.Scores[e], s.In[e], score[e], in[e])
					}
					if score[e] < 1 && in[e] {
						taken++
					} else if score[e] > 0 && !in[e] {
						left++
					}
				}
			}
		}
	}
	if taken < 50 || left < 50 {
		t.Errorf("%d uncertain answers are taken in and %d left out: the test shows little", taken, left)
	}
}

// twinCombination is a combination of two answers, whose certain entities have 1.
func twinCombination(
	word string, a, b []float64, hasNew bool, size func([]float64, int) int,
) (score []float64, in []bool) {
	score, in = make([]float64, len(a)), make([]bool, len(a))
	isNew := make([]bool, len(a)) // no fact says that it is an answer, or a part of one
	sure, none := 0, 1.0
	for e := range a {
		switch {
		case word == "and" && a[e] > 0 && b[e] > 0:
			score[e], isNew[e] = a[e]*b[e], a[e] < 1 || b[e] < 1
		case word == "and":
			score[e] = min(a[e], b[e])
		case word == "or":
			score[e] = max(a[e], b[e])
			isNew[e] = score[e] < 1
		case a[e] > 0 && b[e] > 0:
			score[e], isNew[e] = a[e]*(1-b[e]), a[e] < 1
		default:
			score[e], isNew[e] = a[e], a[e] < 1
		}
		if in[e] = score[e] == 1; in[e] {
			sure++
		} else if score[e] > 0 && isNew[e] {
			none *= 1 - score[e]
		}
	}
	chance := slices.Clone(score)
	for e := range chance {
		if hasNew && isNew[e] && chance[e] > 0 && none < 1 {
			chance[e] = min(1, chance[e]/(1-none))
		}
	}
	var falling []float64
	for e, x := range chance {
		if !in[e] && score[e] > 0 {
			falling = append(falling, x)
		}
	}
	slices.Sort(falling)
	slices.Reverse(falling)
	n := size(falling, sure)
	for e, x := range chance {
		in[e] = in[e] || score[e] > 0 && n > 0 && x >= falling[n-1]
	}
	return score, in
}

// TestRanksMatchTwin: filtered ranks by sorting, with equal scores.
func TestRanksMatchTwin(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	r := mustNew(t, &fake{entities: g.Entities.Len(), relations: g.Relations.Len(), points: true}, g, Options{})
	tied := false
	for _, f := range g.Test[:20] {
		q := f.Query(kg.HeadSide)
		s, err := r.ScoredSet(t.Context(), q)
		expect.NoError(t, err)
		right := make([]bool, g.Entities.Len())
		var asked []int32
		for _, a := range g.Index(kg.Train, kg.Valid, kg.Test).Answers(q) {
			right[a] = true
			asked = append(asked, a)
		}
		for i, rank := range s.Ranks(asked, right) {
			best, worst := 1, 1
			for e, x := range s.Scores {
				mine := s.Scores[asked[i]]
				if !right[e] && x > mine {
					best, worst = best+1, worst+1
				} else if !right[e] && x == mine {
					worst++
				}
			}
			tied = tied || best < worst
			if want := float64(best+worst) / 2; rank != want {
				t.Errorf("%v: rank %g, want %g", q, rank, want)
			}
		}
	}
	if !tied {
		t.Error("no scores are equal: the test shows little")
	}
}
