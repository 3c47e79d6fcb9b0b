package retrieve

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// ScoredSet is a set of entities with scores and marks. Sets of one model can be combined: And, Or, Minus, Hop. These
// return new sets.
//
// The score of an answer to one query is its slack, which cannot be compared across queries. So a combination has
// scores of another Scale. And has the product of two probabilities, or the smaller of two training scores. Or has the
// greater. A path has the product, or the smallest score, along it, and an answer at the end of several paths the
// greatest of theirs. With a model that answers from fuzzy sets, a path asks about the set that it has led to, and Or
// has a + b - a b. In combinations known answers are always members, and certain: their probability is 1, their
// training score +Inf. A combination has the mark of the weakest part it rests on.
type ScoredSet struct {
	Query   string
	Members []int32   // best score first, then by depth, then by id
	In      []bool    // by entity
	Scores  []float64 // by entity, in the unit of Scale; -Inf where nothing leads to it
	Scale   Scale
	Marks   []Mark // by entity; of a member what is less than Inferred counts as Inferred
	Itself  int32  // the query's own entity if it is marked as itself; -1: none

	// Probabilities of the new ones among the members of the answer to one query, by entity, else NaN, see Facts; nil
	// where the cut has none, and for combinations of sets.
	Probabilities []float64

	Notes []string // of its first steps, see Retriever.Note

	retriever *Retriever
	of        kg.Query  // where Scale is OfSlack
	ties      []float64 // by entity: order equal scores, greatest first
	origin    *origin   // see Bindings
	isNarrow  bool      // its user has cut it: what is outside stays outside
}

// Scale is what the scores of a set measure.
type Scale int

const (
	OfSlack       Scale = iota // of one query: 0 on the border, more inside
	OfProbability              // that the answer is right, see Steps
	OfScore                    // gamma minus the value, as in training, if there are no probabilities
)

// ScoredSet is the answer to one query as a set. Errors are those of Answer.
func (r *Retriever) ScoredSet(ctx context.Context, q kg.Query) (*ScoredSet, error) {
	a, err := r.Answer(ctx, q)
	if err != nil {
		return nil, err
	}
	s := r.emptySet(a.QueryText())
	s.of, s.origin = q, &origin{kind: leaf, of: q}
	for e, slack := range a.Slacks {
		if slack == slack { // not NaN
			s.Scores[e], s.ties[e] = float64(slack), -float64(a.Depths[e])
			s.In[e] = slack >= 0
		}
	}
	for _, e := range r.facts(q) {
		s.Marks[e] = r.Mark(q.Triple(e))
		s.In[e] = s.In[e] || s.Marks[e] == Known
	}
	if r.options.Among != nil {
		for e, may := range r.options.Among(q) {
			if !may && s.Marks[e] != Known {
				s.drop(e) // At does not add it, and it is never listed as a near miss
			}
		}
	}
	if r.options.DropItself && !r.loops[q.Relation] && s.Marks[q.Known] != Known {
		s.drop(int(q.Known))
	}
	if a.Note != "" {
		s.Notes = []string{a.Note}
	}
	if r.Itself(q) {
		s.Itself = q.Known
	}
	return s.sorted(), s.Estimate(ctx)
}

// Ranks are the filtered ranks of some right answers: places by score, then depth, among the entities that are not
// right. Equal ones share the mean of their places. right is by entity.
func (s *ScoredSet) Ranks(asked []int32, right []bool) []float64 {
	ranks := make([]float64, len(asked))
	for i, e := range asked {
		better, equal := 0, 0
		for o, isRight := range right {
			if isRight {
				continue
			}
			switch order := cmp.Compare(s.Scores[e], s.Scores[o]); {
			case order < 0:
				better++
			case order > 0:
			case math.IsInf(s.Scores[e], -1) || s.ties[e] == s.ties[o]: // nothing leads to either, or as near
				equal++
			case s.ties[e] < s.ties[o]:
				better++
			}
		}
		ranks[i] = float64(2+2*better+equal) / 2
	}
	return ranks
}

// Estimate computes the probabilities of the members of the answer to one query, as ScoredSet does. Call it after At,
// which may add members. It returns the errors of Retriever.Estimates.
func (s *ScoredSet) Estimate(ctx context.Context) error {
	if !s.retriever.options.Probabilities || s.Scale != OfSlack {
		return nil
	}
	_, err := s.estimate(ctx)
	return err
}

// byFacts returns the answer to one query in the order of the probabilities of its facts, known ones first. It returns
// s itself if there are none, and for combinations of sets.
func (s *ScoredSet) byFacts(ctx context.Context) (*ScoredSet, error) {
	if s.Scale != OfSlack {
		return s, nil
	}
	d := *s
	estimates, err := d.estimate(ctx)
	if err != nil || estimates == nil {
		return s, err
	}
	d.Members = slices.Clone(s.Members)
	number := func(e int32) (known int, probability, odds float64) {
		if x, ok := estimates[e]; ok {
			return 0, x.Probability, x.Odds
		}
		return 1, 0, 0
	}
	slices.SortStableFunc(d.Members, func(a, b int32) int {
		ka, pa, oa := number(a)
		kb, pb, ob := number(b)
		return cmp.Or(cmp.Compare(kb, ka), cmp.Compare(pb, pa), cmp.Compare(ob, oa))
	})
	return &d, nil
}

// estimate fills Probabilities and returns the estimates of the new ones; without Options.Facts both stay empty.
func (s *ScoredSet) estimate(ctx context.Context) (map[int32]Estimate, error) {
	if s.retriever.options.Facts == nil {
		return nil, nil
	}
	var facts []kg.Triple
	var novel []int32
	for _, e := range s.Members {
		if s.Marks[e] != Known {
			facts, novel = append(facts, s.of.Triple(e)), append(novel, e)
		}
	}
	list, err := s.retriever.Estimates(ctx, facts)
	if err != nil || list == nil {
		return nil, err
	}
	s.Probabilities = slices.Repeat([]float64{math.NaN()}, len(s.In))
	estimates := make(map[int32]Estimate, len(list))
	for i, e := range list {
		s.Probabilities[novel[i]], estimates[novel[i]] = e.Probability, e
	}
	return estimates, nil
}

func (r *Retriever) emptySet(query string) *ScoredSet {
	n := r.graph.Entities.Len()
	s := &ScoredSet{Query: query, Itself: -1, retriever: r,
		In: make([]bool, n), Scores: make([]float64, n), Marks: make([]Mark, n), ties: make([]float64, n)}
	for e := range s.Scores {
		s.Scores[e], s.ties[e] = math.Inf(-1), math.Inf(-1)
	}
	return s
}

// sorted lists the members.
func (s *ScoredSet) sorted() *ScoredSet {
	s.Members = nil
	for e, in := range s.In {
		if in {
			s.Members = append(s.Members, int32(e))
		}
	}
	slices.SortFunc(s.Members, s.compare)
	return s
}

// compare orders entities: greater score first, then deeper inside, then by id.
func (s *ScoredSet) compare(a, b int32) int {
	return cmp.Or(cmp.Compare(s.Scores[b], s.Scores[a]), cmp.Compare(s.ties[b], s.ties[a]), cmp.Compare(a, b))
}

// derived returns a copy of s with another query, to be changed.
func (s *ScoredSet) derived(query string) *ScoredSet {
	d := *s
	d.Query, d.Members = query, nil
	d.In, d.Scores, d.Marks = slices.Clone(s.In), slices.Clone(s.Scores), slices.Clone(s.Marks)
	d.ties = slices.Clone(s.ties)
	return &d
}

// drop removes an entity permanently.
func (s *ScoredSet) drop(e int) { s.In[e], s.Scores[e] = false, math.Inf(-1) }

// Bracketed returns the query as a part of another one.
func (s *ScoredSet) Bracketed() string { return "(" + s.Query + ")" }

// Mark returns the mark of a member.
func (s *ScoredSet) Mark(e int32) Mark { return max(s.Marks[e], Inferred) }

// Counts returns the number of members by mark.
func (s *ScoredSet) Counts() Counts {
	var c Counts
	for _, e := range s.Members {
		c.Add(s.Mark(e))
	}
	return c
}

// Keep returns the members for which ok returns true. Entities outside stay outside.
func (s *ScoredSet) Keep(query string, ok func(e int32) bool) *ScoredSet {
	d := s.derived(query)
	d.isNarrow = true
	for e, in := range s.In {
		if !in || !ok(int32(e)) {
			d.drop(e)
		}
	}
	return d.sorted()
}

// At returns the set cut at another score.
func (s *ScoredSet) At(query string, score float64) *ScoredSet {
	d := s.derived(query)
	d.isNarrow = true
	for e, x := range d.Scores {
		d.In[e] = x >= score && !math.IsInf(x, -1)
	}
	return d.sorted()
}

// And returns what is in both sets, with the weaker mark of the two. It returns the errors of Steps and ctx.
func (s *ScoredSet) And(ctx context.Context, o *ScoredSet) (*ScoredSet, error) {
	return s.combined(ctx, o, and, "and", func(d, a, b *ScoredSet, e int) {
		d.In[e] = a.In[e] && b.In[e]
		d.Scores[e] = both(d.Scale, a.Scores[e], b.Scores[e])
		d.ties[e] = min(a.ties[e], b.ties[e])
		d.Marks[e] = min(a.Marks[e], b.Marks[e])
	})
}

// Or returns what is in either set, with the greater score, or a + b - a b, and the stronger mark of the two. It
// returns the errors of And.
func (s *ScoredSet) Or(ctx context.Context, o *ScoredSet) (*ScoredSet, error) {
	return s.combined(ctx, o, or, "or", func(d, a, b *ScoredSet, e int) {
		d.In[e] = a.In[e] || b.In[e]
		d.Scores[e] = max(a.Scores[e], b.Scores[e])
		if x, y := a.Scores[e], b.Scores[e]; s.retriever.sets != nil && d.Scale == OfProbability && min(x, y) > 0 {
			d.Scores[e] = x + float64(y*(1-x))
		}
		d.ties[e] = max(a.ties[e], b.ties[e])
		d.Marks[e] = max(a.Marks[e], b.Marks[e])
	})
}

func (s *ScoredSet) combined(
	ctx context.Context, o *ScoredSet, kind kind, word string, fill func(d, a, b *ScoredSet, e int),
) (*ScoredSet, error) {
	a, err := s.Comparable(ctx)
	if err != nil {
		return nil, err
	}
	b, err := o.Comparable(ctx)
	if err != nil {
		return nil, err
	}
	d := a.derived(s.Bracketed() + " " + word + " " + o.Bracketed())
	d.isNarrow = s.isNarrow || o.isNarrow
	d.origin = &origin{kind: kind, left: a, right: b}
	for _, note := range b.Notes {
		if !slices.Contains(d.Notes, note) {
			d.Notes = append(slices.Clone(d.Notes), note)
		}
	}
	if kind != minus {
		d.Itself = -1
	}
	for e := range d.In {
		fill(d, a, b, e)
	}
	return d.sorted(), nil
}

// Minus returns what is in s and not in o, with its score and mark in s. That something is not in o rests on the model
// alone. Minus returns the errors of And.
func (s *ScoredSet) Minus(ctx context.Context, o *ScoredSet) (*ScoredSet, error) {
	return s.combined(ctx, o, minus, "but not", func(d, _, b *ScoredSet, e int) {
		if b.In[e] {
			d.drop(e)
		}
	})
}
