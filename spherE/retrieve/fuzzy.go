package retrieve

import (
	"context"

	"github.com/spherelab/spherelab/spherE/kg"
)

// projector is a Model that may answer from fuzzy sets; *inductive.Model is one. OnSets reports whether it does.
// Project sets dst, by entity, to the scores of what a set leads to, as minus distances: degrees are those of
// ascending entities, above 0.
type projector interface {
	OnSets() bool
	Project(ctx context.Context, entities []int32, degrees []float32, side kg.Side, relation int32, dst []float32) error
}

// project fills d, which is empty, with what s leads to as a fuzzy set, whose degrees are probabilities: one question
// about the whole set instead of one about each of its entities. The answers of known facts are as likely as where they
// start, at least.
func (s *ScoredSet) project(ctx context.Context, steps *Steps, d *ScoredSet, side kg.Side, relation int32) error {
	r := s.retriever
	var entities []int32
	var degrees []float32
	for e, x := range s.Scores {
		if x := float32(x); x > 0 && (!s.isNarrow || s.In[e]) {
			entities, degrees = append(entities, int32(e)), append(degrees, x)
		}
	}
	if len(entities) == 0 {
		return ctx.Err()
	}
	values := make([]float32, r.graph.Entities.Len())
	if err := r.sets.Project(ctx, entities, degrees, side, relation, values); err != nil {
		return err
	}
	for e, x := range values {
		values[e] = -x
	}
	followed := make([]float64, len(values)) // by known facts, from members that may not be certain
	var known []int32
	for _, x := range entities {
		q := kg.Query{Side: side, Known: x, Relation: relation}
		for _, y := range r.facts(q) {
			m := r.Mark(q.Triple(y))
			d.Marks[y] = max(d.Marks[y], min(s.Marks[x], m))
			if m == Known && s.Scores[x] > followed[y] {
				followed[y] = s.Scores[x]
				d.origin.step(y, x, s.Scores[x])
			}
		}
	}
	for y, x := range followed {
		if x == 1 {
			known = append(known, int32(y))
		}
	}
	probability := steps.OfSet(kg.Query{Side: side, Known: -1, Relation: relation}, known, values)
	var may []bool // by entity, nil: all
	if r.options.Among != nil {
		may = r.options.Among(kg.Query{Side: side, Relation: relation})
	}
	for y, v := range values {
		if v != v || may != nil && !may[y] && d.Marks[y] != Known { // v is NaN
			continue
		}
		x := probability(v)
		if d.Scores[y], d.ties[y] = max(x, followed[y]), -float64(v); x > followed[y] {
			d.origin.step(int32(y), -1, 0) // by all of s together
		}
	}
	return nil
}
