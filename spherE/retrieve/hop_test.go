package retrieve

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// step is what the twin knows of an answer to one query.
type step struct {
	score float64
	known bool
	in    bool // of the query's own set
}

// TestHopMatchesTwin compares paths of two hops, forth and back, with every pair of steps tried one by one. Known facts
// are followed although the model's sets lack most of them, with probabilities and without.
func TestHopMatchesTwin(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	n := int32(g.Entities.Len())
	m := smallModel(t, g, sphere.Settings{Dimension: 2, Gamma: 2})
	probability := func(q kg.Query, values []float32) func(float32) float64 { // differs by side and relation
		shift := .4 + .3*float64(q.Relation)
		if q.Side == kg.HeadSide {
			shift *= 2
		}
		return func(v float32) float64 {
			if v-v != 0 {
				return 0
			}
			return .9 / (1 + shift*float64(v))
		}
	}
	size := func(falling []float64, known int) int {
		k := 0
		for k < len(falling) && falling[k] >= .3+.01*float64(known) {
			k++
		}
		return k
	}
	rescued := 0
	for _, with := range []bool{true, false} {
		o := Options{Criterion: sphere.CriterionMargin, Threshold: func(kg.Query, float32) float32 { return .3 }}
		if with {
			o.Steps = func(context.Context) (*Steps, error) { return &Steps{Probability: probability, Size: size}, nil }
		}
		r := mustNew(t, m, g, o)
		ask := func(q kg.Query) []step {
			list, dist, values := make([]step, n), make([]float32, n), make([]float32, n)
			m.Distances([]kg.Query{q}, dist)
			gamma := m.Values(sphere.CriterionMargin, q, dist, values)
			for e := range n {
				fact := q.Triple(e)
				known := slices.Contains(g.Train, fact) || slices.Contains(g.Valid, fact)
				s := step{score: float64(gamma - values[e]), known: known, in: known || values[e] <= .3}
				if with {
					s.score = probability(q, values)(values[e])
				}
				switch loop := r.Itself(q) && e == q.Known; {
				case known && with:
					s.score = 1
				case known:
					s.score = math.Inf(1)
				case loop:
					s.score = math.Inf(-1)
				}
				list[e] = s
				if known && values[e] > .3 {
					rescued++
				}
			}
			return list
		}
		for i, f := range g.Train[:30] {
			sides := [2]kg.Side{kg.Side(i % 2), kg.Side(i / 2 % 2)}
			q := f.Query(sides[0])
			second := int32(i % g.Relations.Len())
			best, known, in := twinHop(t, n, ask, q, sides[1], second, with, size)
			s, err := r.ScoredSet(t.Context(), q)
			expect.NoError(t, err)
			s, err = s.Hop(t.Context(), sides[1], second)
			expect.NoError(t, err)
			for y := range best {
				if s.In[y] != in[y] || s.Scores[y] != best[y] || (s.Marks[y] == Known) != known[y] {
					t.Fatalf("with probabilities %v, %v then %d: entity %d is %v, %g, %v; want %v, %g, known %v", with, q, second, y,
						s.In[y], s.Scores[y], s.Marks[y], in[y], best[y], known[y])
				}
				checkPath(t, s, int32(y), q, sides[1], second, best[y], known[y])
			}
			if !slices.IsSortedFunc(s.Members, func(a, b int32) int { return cmp.Compare(best[b], best[a]) }) {
				t.Errorf("%v: members are not in the order of their scores", q)
			}
		}
	}
	if rescued < 100 {
		t.Errorf("the model's sets lack %d known facts: the test shows little", rescued)
	}
}

// checkPath: the bindings of an answer are a fact of q and one of the second relation, with the answer's probability as
// their product, or its score as the smaller one.
func checkPath(t *testing.T, s *ScoredSet, y int32, q kg.Query, side kg.Side, second int32, best float64, known bool) {
	t.Helper()
	path := s.Bindings(y)
	if math.IsInf(best, -1) != (path == nil) {
		t.Fatalf("%v: entity %d with the score %g has the path %v", q, y, best, path)
	}
	if path == nil {
		return
	}
	first, last := path[0], path[len(path)-1] // one fact may be both
	middle := first.Triple.Answer(q.Side)
	then := kg.Query{Side: side, Known: middle, Relation: second}
	score, all := math.Inf(1), true
	if s.Scale == OfProbability {
		score = 1
	}
	for _, b := range path {
		switch all = all && b.Known; {
		case b.Probability != nil:
			score *= *b.Probability
		case b.Score != nil:
			score = min(score, *b.Score)
		}
	}
	if first.Triple != q.Triple(middle) || last.Triple != then.Triple(y) || all != known ||
		first.Triple != last.Triple && score != best {
		t.Fatalf("%v then %v: the path to %d is %s, with %g; want %g, known %v", q, then, y, bindingWords(path), score, best, known)
	}
}

// twinHop follows a query and then a relation, step by step: with probabilities, whose product is that of a path, and a
// size, or with scores and sets.
func twinHop(t *testing.T, n int32, ask func(kg.Query) []step, q kg.Query, side kg.Side, second int32, with bool,
	size func([]float64, int) int) (best []float64, known, in []bool) {
	t.Helper()
	best, known, in = make([]float64, n), make([]bool, n), make([]bool, n)
	for y := range best {
		best[y] = math.Inf(-1)
	}
	for x, first := range ask(q) {
		if with && first.score < leastFollowed && !first.known ||
			!with && (!first.in || math.IsInf(first.score, -1)) {
			continue
		}
		for y, last := range ask(kg.Query{Side: side, Known: int32(x), Relation: second}) {
			path := min(first.score, last.score)
			if with && first.score > 0 && last.score > 0 {
				path = first.score * last.score
			}
			best[y] = max(best[y], path)
			known[y] = known[y] || first.known && last.known
			in[y] = in[y] || last.in
		}
	}
	if with {
		in = slices.Clone(known)
		var rest []int
		sure := 0
		for y := range best {
			if known[y] {
				sure++
			} else if best[y] > 0 {
				rest = append(rest, y)
			}
		}
		slices.SortFunc(rest, func(a, b int) int { return cmp.Compare(best[b], best[a]) })
		falling := make([]float64, len(rest))
		for i, y := range rest {
			falling[i] = best[y]
		}
		for _, y := range rest[:size(falling, sure)] {
			in[y] = true
		}
	}
	return best, known, in
}

// TestKnownFactsInCombinations: and, or and minus know what the graph knows, whatever the model's sets hold, and what a
// reader cut stays cut.
func TestKnownFactsInCombinations(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := smallModel(t, g, sphere.Settings{Dimension: 2, Gamma: 2})
	r := mustNew(t, m, g, Options{Threshold: func(kg.Query, float32) float32 { return -100 }}) // sets are empty
	known := g.Index(kg.Train, kg.Valid)
	both := 0
	for _, f := range g.Train {
		for _, h := range g.Train[:20] {
			q, p := f.Query(kg.TailSide), h.Query(kg.HeadSide)
			a, err := r.ScoredSet(t.Context(), q)
			expect.NoError(t, err)
			b, err := r.ScoredSet(t.Context(), p)
			expect.NoError(t, err)
			want := map[string][]int32{}
			for e := range int32(g.Entities.Len()) {
				in, out := slices.Contains(known.Answers(q), e), slices.Contains(known.Answers(p), e)
				for word, ok := range map[string]bool{"and": in && out, "or": in || out, "minus": in && !out} {
					if ok {
						want[word] = append(want[word], e)
					}
				}
			}
			both += len(want["and"])
			for word, of := range map[string]func(context.Context, *ScoredSet) (*ScoredSet, error){"and": a.And, "or": a.Or,
				"minus": a.Minus} {
				s, err := of(t.Context(), b)
				expect.NoError(t, err)
				if got := slices.Sorted(slices.Values(s.Members)); !slices.Equal(got, want[word]) {
					t.Fatalf("%v %s %v is %v, want %v", q, word, p, got, want[word])
				}
			}
			cut := a.At("cut", 1e6)
			if s, err := cut.Or(t.Context(), cut); err != nil || len(s.Members) > 0 {
				t.Fatalf("what the reader cut comes back: %v %v", s.Members, err)
			}
		}
	}
	if both == 0 {
		t.Error("no two queries share an answer: the test shows little")
	}
}
