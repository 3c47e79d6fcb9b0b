package retrieve

import (
	"cmp"
	"context"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Fact is a triple as the model sees it, by that of its two queries in whose set it lies further inside.
type Fact struct {
	Triple   kg.Triple `json:"-"`
	Head     string    `json:"head"` // labels
	Relation string    `json:"relation"`
	Tail     string    `json:"tail"`
	Side     string    `json:"side"`   // of the query that slack and score are of: "tail" or "head"
	Score    float32   `json:"score"`  // gamma - distance less radii, as in training
	Slack    float32   `json:"slack"`  // >= 0 if and only if the fact is in the set
	InSet    bool      `json:"in_set"` // of either query

	Probability *float64 `json:"probability,omitempty"` // by the same query, as in Member

	Mark   Mark     `json:"mark"`
	Known  bool     `json:"known"` // Mark is Known
	Splits []string `json:"splits,omitempty"`
}

// compareFacts orders facts: more slack, then a better score, then by ids, tail query before head query.
func compareFacts(a, b *Fact) int {
	return cmp.Or(cmp.Compare(b.Slack, a.Slack), cmp.Compare(b.Score, a.Score),
		cmp.Compare(a.Triple.Relation, b.Triple.Relation), cmp.Compare(a.Triple.Head, b.Triple.Head),
		cmp.Compare(a.Triple.Tail, b.Triple.Tail), cmp.Compare(b.Side, a.Side))
}

// name fills in what the numbers of a fact do not say.
func (r *Retriever) name(f *Fact) {
	f.Head, f.Tail = r.graph.Label(f.Triple.Head), r.graph.Label(f.Triple.Tail)
	f.Relation = r.graph.RelationLabel(f.Triple.Relation)
	f.Mark, f.Splits = r.member(f.Triple, f.InSet), r.splitsOf(f.Triple)
	f.Known = f.Mark == Known
}

// scores fills w.scores with the values of CriterionMargin and returns gamma: the score of an entity is gamma less its
// value.
func (r *Retriever) scores(w *row, q kg.Query, dist []float32) float32 {
	if w.scores == nil {
		w.scores = make([]float32, len(w.values))
	}
	return r.model.Values(sphere.CriterionMargin, q, dist, w.scores)
}

// Between ranks the relations from one entity to another: a fact for each relation, best first. The error is ctx's, or
// says that the graph does not have the ids.
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
		list[i] = r.fact(w, q, answer, b, gamma, r.probability(q, w))
	})
	if err != nil {
		return nil, err
	}
	best := list[:0]
	for i := 0; i < len(list); i += 2 {
		f := list[i]
		if better := &list[i+1]; compareFacts(better, &f) < 0 {
			f = *better
		}
		r.name(&f)
		best = append(best, f)
	}
	slices.SortFunc(best, func(a, b Fact) int { return compareFacts(&a, &b) })
	return best, nil
}

func (r *Retriever) fact(
	w *row, q kg.Query, answer int32, b border, gamma float32, probability func(float32, Mark) *float64,
) Fact {
	slack := b.slack(w.values[answer], answer)
	t := q.Triple(answer)
	return Fact{Triple: t, Side: q.Side.String(), Slack: slack, InSet: slack >= 0, Score: gamma - w.scores[answer],
		Probability: probability(w.values[answer], r.Mark(t))}
}
