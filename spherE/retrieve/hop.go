package retrieve

import (
	"cmp"
	"context"
	"math"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Steps make answers to several queries comparable.
type Steps struct {
	// Probability returns the probabilities of new answers to a query. Values are those of CriterionMargin.
	Probability func(q kg.Query, values []float32) func(value float32) float64
	// OfSet is Probability for what a fuzzy set leads to by the relation and side of q, whose entity does not count.
	// known are the known answers, ascending. Only a model that answers from fuzzy sets needs it.
	OfSet func(q kg.Query, known []int32, values []float32) func(value float32) float64
	// Size returns how many new answers belong to the set at the end of a path. It takes their probabilities in
	// descending order, and the number of known answers.
	Size func(falling []float64, known int) int
	// HasNew says that Size gets the probabilities that answers have where the question has a new one, as the answers
	// to one query have. Without it a question may have none.
	HasNew bool
}

// steps is Options.Steps, nil if there are none.
func (r *Retriever) steps(ctx context.Context) (*Steps, error) {
	if r.options.Steps == nil || r.options.Slack != 0 {
		return nil, nil
	}
	return r.options.Steps(ctx)
}

// Comparable returns s with scores that can be compared with those of other queries, and with all known answers unless
// its user has cut it. It returns the errors of Steps and ctx.
func (s *ScoredSet) Comparable(ctx context.Context) (*ScoredSet, error) {
	if s.Scale != OfSlack {
		return s, nil
	}
	steps, err := s.retriever.steps(ctx)
	if err != nil {
		return nil, err
	}
	d := s.derived(s.Query)
	d.Probabilities, d.Scale = nil, scaleOf(steps)
	row := newComparables(1, len(s.In))
	if err := s.retriever.comparables(ctx, steps, []kg.Query{s.of}, row); err != nil {
		return nil, err
	}
	for e := range d.Scores {
		if s.isNarrow && !s.In[e] {
			d.drop(e)
			continue
		}
		d.Scores[e], d.ties[e] = row.scores[e], row.ties[e]
		d.In[e] = d.In[e] || d.Marks[e] == Known
	}
	d.origin = &origin{kind: leaf, of: s.of, scores: row.scores}
	return d.sorted(), nil
}

func scaleOf(steps *Steps) Scale {
	if steps == nil {
		return OfScore
	}
	return OfProbability
}

// comparables are scores that can be compared across queries, row-major queries x entities, and what orders equal
// scores.
type comparables struct{ scores, ties []float64 }

func newComparables(queries, entities int) comparables {
	return comparables{make([]float64, queries*entities), make([]float64, queries*entities)}
}

// comparables fills rows of into: with steps the probability that an answer is right, otherwise its score as in
// training. Known answers are certain. NaN becomes -Inf, and so does a query's own entity if Itself reports that it is
// an unlikely answer.
func (r *Retriever) comparables(ctx context.Context, steps *Steps, queries []kg.Query, into comparables) error {
	certain := math.Inf(1)
	if steps != nil {
		certain = 1
	}
	n := r.model.Entities()
	return r.inBlocks(ctx, queries, func(w *row, i int, dist []float32) {
		q, scores, ties := queries[i], into.scores[i*n:][:n], into.ties[i*n:][:n]
		gamma := r.scores(w, q, dist)
		if r.Itself(q) {
			w.scores[q.Known] = float32(math.NaN())
		}
		if r.options.Among != nil {
			for e, may := range r.options.Among(q) {
				if !may {
					w.scores[e] = float32(math.NaN())
				}
			}
		}
		score := func(v float32) float64 { return float64(gamma - v) }
		if steps != nil {
			score = steps.Probability(q, w.scores)
		}
		for e, v := range w.scores {
			scores[e] = math.Inf(-1)
			if v == v { // not NaN
				scores[e] = score(v)
			}
		}
		if r.bound != nil {
			r.bound.Unclamped(sphere.CriterionMargin, q, dist, w.scores)
		}
		for e, v := range w.scores {
			if ties[e] = float64(gamma - v); v != v {
				ties[e] = math.Inf(-1)
			}
		}
		for _, e := range r.facts(q) {
			if r.Mark(q.Triple(e)) == Known {
				scores[e] = certain
			}
		}
	})
}

// both returns the score of two facts that both have to be right.
func both(scale Scale, a, b float64) float64 {
	if scale == OfProbability && a > 0 && b > 0 {
		return a * b
	}
	return min(a, b)
}

// hopBlock is how many members' queries are answered at once.
const hopBlock = 32

// leastFollowed is the least probability of an entity outside a set from which a path still leads on.
const leastFollowed = .01

// followed returns the entities that a hop starts from: the certain ones and those of at least leastFollowed, members
// or not. Without probabilities, or if the user has cut the set, they are its members.
func (s *ScoredSet) followed() (list []int32) {
	for e, x := range s.Scores {
		ok := s.In[e] && !math.IsInf(x, -1)
		if s.Scale == OfProbability && !s.isNarrow {
			ok = s.In[e] && s.Marks[e] == Known || x >= leastFollowed
		}
		if ok {
			list = append(list, int32(e))
		}
	}
	return list
}

// Hop returns what a member has the relation to (TailSide), or what has the relation to a member (HeadSide). Known
// facts are always followed. With probabilities, entities outside s are followed too, and Steps.Size decides how many
// new answers are in the result. Without them the result is what lies in the set of a member. Hop returns the errors of
// Slacks and Steps.
func (s *ScoredSet) Hop(ctx context.Context, side kg.Side, relation int32) (*ScoredSet, error) {
	r := s.retriever
	if err := r.check(relation); err != nil {
		return nil, err
	}
	name := r.graph.RelationLabel(relation)
	query := s.Bracketed() + ", then " + name + " ?"
	if side == kg.HeadSide {
		query = "? " + name + " " + s.Bracketed()
	}
	from, err := s.Comparable(ctx)
	if err != nil {
		return nil, err
	}
	steps, err := r.steps(ctx)
	if err != nil {
		return nil, err
	}
	d := r.emptySet(query)
	d.Scale, d.Notes = scaleOf(steps), from.Notes
	d.origin = newOrigin(kg.Query{Side: side, Relation: relation}, from, r.graph.Entities.Len())
	if steps != nil && r.sets != nil {
		err = from.project(ctx, steps, d, side, relation)
	} else {
		err = from.walk(ctx, steps, d, side, relation)
	}
	if err != nil {
		return nil, err
	}
	for y, m := range d.Marks {
		d.In[y] = d.In[y] || m == Known
	}
	if steps != nil {
		d.takeIn(steps)
	}
	return d.sorted(), nil
}

// walk fills d, which is empty, with what the entities lead to that a hop from s starts from.
func (s *ScoredSet) walk(ctx context.Context, steps *Steps, d *ScoredSet, side kg.Side, relation int32) error {
	r := s.retriever
	n, starts := r.graph.Entities.Len(), s.followed()
	rows, slacks := newComparables(min(hopBlock, len(starts)), n), []float32(nil)
	if steps == nil {
		slacks = make([]float32, len(rows.scores))
	}
	for block := range slices.Chunk(starts, hopBlock) {
		queries := make([]kg.Query, len(block))
		for i, x := range block {
			queries[i] = kg.Query{Side: side, Known: x, Relation: relation}
		}
		if err := r.comparables(ctx, steps, queries, rows); err != nil {
			return err
		}
		if steps == nil {
			if err := r.Slacks(ctx, queries, slacks[:len(block)*n]); err != nil {
				return err
			}
		}
		for i, x := range block {
			for y, score := range rows.scores[i*n:][:n] {
				if path := both(d.Scale, s.Scores[x], score); path > d.Scores[y] {
					d.Scores[y] = path
					d.origin.step(int32(y), x, score)
				}
				d.ties[y] = max(d.ties[y], min(s.ties[x], rows.ties[i*n+y]))
				if steps == nil && slacks[i*n+y] >= 0 {
					d.In[y] = true
				}
			}
			for _, y := range r.facts(queries[i]) {
				m := r.Mark(queries[i].Triple(y))
				if path := min(s.Marks[x], m); path == Known && d.Marks[y] < Known {
					d.origin.step(y, x, rows.scores[i*n+int(y)]) // no path is better than one of known facts
				}
				d.Marks[y] = max(d.Marks[y], min(s.Marks[x], m))
				d.In[y] = d.In[y] || steps == nil && m == Known
			}
		}
	}
	return nil
}

// takeIn adds so many of the answers that are not certain as Steps.Size says, best first.
func (s *ScoredSet) takeIn(steps *Steps) {
	var likely []int32
	known, none := 0, 1.0 // none: the probability that there is no new answer
	for e, x := range s.Scores {
		switch {
		case s.In[e]:
			known++
		case x > 0:
			likely = append(likely, int32(e))
			if s.Marks[e] != Known {
				none *= 1 - x
			}
		}
	}
	probability := func(e int32) float64 {
		if steps.HasNew && s.Marks[e] != Known && none < 1 {
			return min(1, s.Scores[e]/(1-none))
		}
		return s.Scores[e]
	}
	slices.SortFunc(likely, func(a, b int32) int {
		return cmp.Or(cmp.Compare(probability(b), probability(a)), s.compare(a, b))
	})
	falling := make([]float64, len(likely))
	for i, e := range likely {
		falling[i] = probability(e)
	}
	for _, e := range likely[:steps.Size(falling, known)] {
		s.In[e] = true
	}
}
