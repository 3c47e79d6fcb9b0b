package retrieve

import (
	"cmp"
	"context"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Fact is a triple as the model sees it. Its numbers can be compared across queries, so slack is not one of them.
type Fact struct {
	Triple   kg.Triple `json:"-"`
	Head     string    `json:"head"` // labels
	Relation string    `json:"relation"`
	Tail     string    `json:"tail"`
	Side     string    `json:"side"`   // side of the query that Score belongs to, "tail" or "head": one that has the fact in its set
	Score    float32   `json:"score"`  // gamma - distance less radii, as in training
	InSet    bool      `json:"in_set"` // of either query

	Probability *float64 `json:"probability,omitempty"` // see Facts; nil for known facts, and without Options.Facts
	odds        float64  // orders facts of the same probability

	Mark   Mark     `json:"mark"`
	Known  bool     `json:"known"` // Mark is Known
	Splits []string `json:"splits,omitempty"`
}

// compareFacts orders facts: known ones, then by probability, then by score, then by ids, tail query before head query.
func compareFacts(a, b *Fact) int {
	certainty := func(f *Fact) float64 {
		switch {
		case f.Known:
			return 2
		case f.Probability != nil:
			return *f.Probability
		}
		return 0
	}
	return cmp.Or(cmp.Compare(certainty(b), certainty(a)), cmp.Compare(b.odds, a.odds), cmp.Compare(b.Score, a.Score),
		cmp.Compare(a.Triple.Relation, b.Triple.Relation), cmp.Compare(a.Triple.Head, b.Triple.Head),
		cmp.Compare(a.Triple.Tail, b.Triple.Tail), cmp.Compare(b.Side, a.Side))
}

// name fills in the labels and marks of a fact.
func (r *Retriever) name(f *Fact) {
	f.Head, f.Tail = r.graph.Label(f.Triple.Head), r.graph.Label(f.Triple.Tail)
	f.Relation = r.graph.RelationLabel(f.Triple.Relation)
	f.Mark, f.Splits = r.member(f.Triple, f.InSet), r.splitsOf(f.Triple)
	f.Known = f.Mark == Known
}

// scores fills w.scores with the values of CriterionMargin and returns gamma. The score of an entity is gamma minus its
// value.
func (r *Retriever) scores(w *row, q kg.Query, dist []float32) float32 {
	if w.scores == nil {
		w.scores = make([]float32, len(w.values))
	}
	return r.model.Values(sphere.CriterionMargin, q, dist, w.scores)
}

// Between ranks the relations from one entity to another: a fact for each relation, best first. It returns ctx's error,
// or an error if the graph does not have the ids.
func (r *Retriever) Between(ctx context.Context, head, tail int32) ([]Fact, error) {
	if err := r.check(0, head, tail); err != nil {
		return nil, err
	}
	n := r.graph.Relations.Len()
	queries := make([]kg.Query, 0, 2*n)
	for relation := range int32(n) {
		t := kg.Triple{Head: head, Relation: relation, Tail: tail}
		queries = append(queries, t.Query(kg.TailSide), t.Query(kg.HeadSide))
	}
	list := make([]Fact, len(queries))
	err := r.inBlocks(ctx, queries, func(w *row, i int, dist []float32) {
		q, answer := queries[i], tail
		if q.Side == kg.HeadSide {
			answer = head
		}
		b, gamma := r.border(w, q, dist), r.scores(w, q, dist)
		list[i] = r.fact(w, q, answer, b, gamma)
	})
	if err != nil {
		return nil, err
	}
	best := list[:0]
	for i := 0; i < len(list); i += 2 {
		f := bySide(list[i], list[i+1])
		r.name(&f)
		best = append(best, f)
	}
	if err := r.estimateFacts(ctx, best); err != nil {
		return nil, err
	}
	slices.SortFunc(best, func(a, b Fact) int { return compareFacts(&a, &b) })
	return best, nil
}

// bySide returns a fact with the score of one of its two queries: the one that has it in its set, otherwise the one
// with the greater score.
func bySide(a, b Fact) Fact {
	switch {
	case a.InSet != b.InSet:
		if b.InSet {
			return b
		}
	case compareFacts(&b, &a) < 0:
		return b
	}
	return a
}

func (r *Retriever) fact(w *row, q kg.Query, answer int32, b border, gamma float32) Fact {
	return Fact{Triple: q.Triple(answer), Side: q.Side.String(), InSet: b.holds(w.values[answer], answer),
		Score: gamma - w.scores[answer]}
}
