package retrieve

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// ScoredSet is a set of entities with scores and marks. Sets of one model combine: And, Or, Minus, Hop. Operations
// leave their sets as they are.
//
// The score of an answer to one query is its slack, 0 on the border and more inside. And keeps the smaller of two
// scores, Or the greater; a path has the smallest score along it, and an answer at its end the greatest of its paths.
// So a score never promises more than the weakest step that led to it. A combination has the mark of the weakest part
// it rests on.
type ScoredSet struct {
	Query   string
	Members []int32   // best score first, then by id
	In      []bool    // by entity
	Scores  []float64 // by entity; -Inf where nothing leads to it
	Marks   []Mark    // by entity; of a member what is less than Inferred counts as Inferred
	Itself  int32     // the query's own entity where it is marked as itself; -1: none

	// Probabilities are Answer.Probabilities of the query; nil where the cut has none, and for combinations of sets.
	Probabilities []float64

	retriever *Retriever
}

// ScoredSet is the answer to one query as a set. Errors are those of Answer.
func (r *Retriever) ScoredSet(ctx context.Context, q kg.Query) (*ScoredSet, error) {
	a, err := r.Answer(ctx, q)
	if err != nil {
		return nil, err
	}
	s := r.emptySet(a.QueryText())
	for e, slack := range a.Slacks {
		if slack == slack { // not NaN
			s.Scores[e] = float64(slack)
			s.In[e] = slack >= 0
		}
	}
	for _, e := range r.facts(q) {
		s.Marks[e] = r.Mark(q.Triple(e))
	}
	if r.Itself(q) {
		s.Itself = q.Known
	}
	s.Probabilities = a.Probabilities
	return s.sorted(), nil
}

func (r *Retriever) emptySet(query string) *ScoredSet {
	n := r.graph.Entities.Len()
	s := &ScoredSet{Query: query, Itself: -1, retriever: r,
		In: make([]bool, n), Scores: make([]float64, n), Marks: make([]Mark, n)}
	for e := range s.Scores {
		s.Scores[e] = math.Inf(-1)
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
	slices.SortFunc(s.Members, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Scores[b], s.Scores[a]), cmp.Compare(a, b))
	})
	return s
}

// derived is a copy of s with another query, to be changed.
func (s *ScoredSet) derived(query string) *ScoredSet {
	d := *s
	d.Query, d.Members = query, nil
	d.In, d.Scores, d.Marks = slices.Clone(s.In), slices.Clone(s.Scores), slices.Clone(s.Marks)
	return &d
}

// drop takes an entity out for good.
func (s *ScoredSet) drop(e int) { s.In[e], s.Scores[e] = false, math.Inf(-1) }

// Bracketed is the query as a part of another one.
func (s *ScoredSet) Bracketed() string { return "(" + s.Query + ")" }

// Mark is the mark of a member.
func (s *ScoredSet) Mark(e int32) Mark { return max(s.Marks[e], Inferred) }

// Counts says how many members have which mark.
func (s *ScoredSet) Counts() Counts {
	var c Counts
	for _, e := range s.Members {
		c.Add(s.Mark(e))
	}
	return c
}

// Keep drops all members that ok refuses; what was outside stays there.
func (s *ScoredSet) Keep(query string, ok func(e int32) bool) *ScoredSet {
	d := s.derived(query)
	for e, in := range s.In {
		if !in || !ok(int32(e)) {
			d.drop(e)
		}
	}
	return d.sorted()
}

// At cuts the set at another score.
func (s *ScoredSet) At(query string, score float64) *ScoredSet {
	d := s.derived(query)
	for e, x := range d.Scores {
		d.In[e] = x >= score && !math.IsInf(x, -1)
	}
	return d.sorted()
}

// And is what is in both sets, with the smaller score and the weaker mark of the two.
func (s *ScoredSet) And(o *ScoredSet) *ScoredSet {
	d := s.derived(s.Bracketed() + " and " + o.Bracketed())
	d.Itself, d.Probabilities = -1, nil
	for e := range d.In {
		d.In[e] = s.In[e] && o.In[e]
		d.Scores[e] = min(s.Scores[e], o.Scores[e])
		d.Marks[e] = min(s.Marks[e], o.Marks[e])
	}
	return d.sorted()
}

// Or is what is in either set, with the greater score and the stronger mark of the two.
func (s *ScoredSet) Or(o *ScoredSet) *ScoredSet {
	d := s.derived(s.Bracketed() + " or " + o.Bracketed())
	d.Itself, d.Probabilities = -1, nil
	for e := range d.In {
		d.In[e] = s.In[e] || o.In[e]
		d.Scores[e] = max(s.Scores[e], o.Scores[e])
		d.Marks[e] = max(s.Marks[e], o.Marks[e])
	}
	return d.sorted()
}

// Minus is what is in s and not in o, with its score and mark in s. The model alone says that something is not in o.
func (s *ScoredSet) Minus(o *ScoredSet) *ScoredSet {
	d := s.derived(s.Bracketed() + " but not " + o.Bracketed())
	for e := range d.In {
		if o.In[e] {
			d.drop(e)
		}
	}
	return d.sorted()
}

// hopBlock is how many members' queries are answered at once.
const hopBlock = 32

// Hop is what a member has the relation to (TailSide), or what has the relation to a member (HeadSide). Errors are
// those of Slacks.
func (s *ScoredSet) Hop(ctx context.Context, side kg.Side, relation int32) (*ScoredSet, error) {
	if err := s.retriever.check(relation); err != nil {
		return nil, err
	}
	g := s.retriever.graph
	name := g.RelationLabel(relation)
	query := s.Bracketed() + ", then " + name + " ?"
	if side == kg.HeadSide {
		query = "? " + name + " " + s.Bracketed()
	}
	d, n := s.retriever.emptySet(query), g.Entities.Len()
	rows := make([]float32, min(hopBlock, len(s.Members))*n)
	for block := range slices.Chunk(s.Members, hopBlock) {
		queries := make([]kg.Query, len(block))
		for i, x := range block {
			queries[i] = kg.Query{Side: side, Known: x, Relation: relation}
		}
		if err := s.retriever.Slacks(ctx, queries, rows[:len(block)*n]); err != nil {
			return nil, err
		}
		for i, x := range block {
			for y, slack := range rows[i*n:][:n] {
				if slack != slack { // NaN
					continue
				}
				d.Scores[y] = max(d.Scores[y], min(s.Scores[x], float64(slack)))
				if slack >= 0 {
					d.In[y] = true
					if d.Marks[y] < s.Marks[x] { // looking a fact up takes longer than most of this loop
						d.Marks[y] = max(d.Marks[y], min(s.Marks[x], s.retriever.Mark(queries[i].Triple(int32(y)))))
					}
				}
			}
		}
	}
	return d.sorted(), nil
}
