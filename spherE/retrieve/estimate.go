package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Estimate is the probability that a new fact is right, with a 95 % interval of the share of such facts that is right.
// Odds order facts of the same probability.
type Estimate struct {
	Probability, Low, High, Odds float64
}

// Facts assigns a fact one probability from both of its queries, (head, relation, ?) and (?, relation, tail). It must
// be safe for concurrent use. Values are those of CriterionMargin.
type Facts struct {
	// Side returns the logarithm of the odds of an answer to a query by its value, from the values of all entities, NaN
	// for one that is not an answer.
	Side func(q kg.Query, values []float32) func(value float32) float64
	// Seen returns what Side has returned for a query before, nil if Side was not called for it. Side has to keep it.
	Seen func(q kg.Query) func(value float32) float64
	// Of combines the two logarithms.
	Of func(relation int32, tail, head float64) Estimate
	// DropItself reports whether a query's own entity is left out of relations without a training fact from an entity
	// to itself.
	DropItself bool
}

// valuer is a Model that computes a value of CriterionMargin without the others; *sphere.Model is one.
type valuer interface {
	Value(q kg.Query, entity int32) float32
}

// estimator is Options.Facts, nil if there are none.
func (r *Retriever) estimator(ctx context.Context) (*Facts, error) {
	if r.options.Facts == nil {
		return nil, nil
	}
	return r.options.Facts(ctx)
}

// sideOdds returns Facts.Side of a query, given its distances.
func (r *Retriever) sideOdds(f *Facts, w *row, q kg.Query, dist []float32) func(value float32) float64 {
	r.scores(w, q, dist)
	if f.DropItself && !r.loops[q.Relation] {
		w.scores[q.Known] = float32(math.NaN())
	}
	return f.Side(q, w.scores)
}

// see calls Facts.Side for all queries that it has not seen.
func (r *Retriever) see(ctx context.Context, f *Facts, queries []kg.Query) error {
	unseen := slices.DeleteFunc(slices.Clone(queries), func(q kg.Query) bool { return f.Seen(q) != nil })
	return r.inBlocks(ctx, unseen, func(w *row, i int, dist []float32) { r.sideOdds(f, w, unseen[i], dist) })
}

// drops reports whether an entity is q's own and f does not count it as an answer.
func (r *Retriever) drops(f *Facts, q kg.Query, entity int32) bool {
	return f.DropItself && !r.loops[q.Relation] && entity == q.Known
}

// seenOdds returns the logarithm of the odds of an answer to a query that was seen.
func (r *Retriever) seenOdds(f *Facts, v valuer, q kg.Query, entity int32) float64 {
	if r.drops(f, q, entity) {
		return math.Inf(-1)
	}
	return f.Seen(q)(v.Value(q, entity))
}

// Estimates returns the estimates of facts, known or not; nil without Options.Facts. A fact has the same estimate
// whichever query led to it. It returns ctx's errors, those of Options.Facts, or an error if the graph does not have
// the ids.
func (r *Retriever) Estimates(ctx context.Context, facts []kg.Triple) ([]Estimate, error) {
	f, err := r.estimator(ctx)
	if f == nil || err != nil {
		return nil, err
	}
	at := map[kg.Query][]int{}
	var queries []kg.Query
	for i, t := range facts {
		if err := r.check(t.Relation, t.Head, t.Tail); err != nil {
			return nil, err
		}
		for _, side := range bothSides {
			q := t.Query(side)
			if len(at[q]) == 0 {
				queries = append(queries, q)
			}
			at[q] = append(at[q], i)
		}
	}
	slices.SortFunc(queries, func(a, b kg.Query) int { // neighbours share a relation, which makes a model faster
		return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Known, b.Known))
	})
	odds := map[kg.Side][]float64{kg.TailSide: make([]float64, len(facts)), kg.HeadSide: make([]float64, len(facts))}
	if v, ok := r.model.(valuer); ok {
		if err := r.see(ctx, f, queries); err != nil {
			return nil, err
		}
		for i, t := range facts {
			for _, side := range bothSides {
				odds[side][i] = r.seenOdds(f, v, t.Query(side), t.Answer(side))
			}
		}
	} else if err := r.inBlocks(ctx, queries, func(w *row, i int, dist []float32) {
		q := queries[i]
		of := r.sideOdds(f, w, q, dist)
		for _, j := range at[q] {
			odds[q.Side][j] = of(w.scores[facts[j].Answer(q.Side)])
		}
	}); err != nil {
		return nil, err
	}
	list := make([]Estimate, len(facts))
	for i, t := range facts {
		list[i] = f.Of(t.Relation, odds[kg.TailSide][i], odds[kg.HeadSide][i])
	}
	return list, nil
}

var bothSides = [...]kg.Side{kg.TailSide, kg.HeadSide}

// estimateMembers sets the probabilities of the new answers among members, if the cut has probabilities.
func (r *Retriever) estimateMembers(ctx context.Context, q kg.Query, lists ...[]Member) error {
	if !r.options.Probabilities {
		return nil
	}
	var facts []kg.Triple
	var of []*Member
	for _, list := range lists {
		for i := range list {
			if m := &list[i]; !m.Known {
				facts, of = append(facts, q.Triple(m.Entity)), append(of, m)
			}
		}
	}
	estimates, err := r.Estimates(ctx, facts)
	for i := range estimates {
		of[i].Probability = &estimates[i].Probability
	}
	return err
}

// estimateFacts sets the probabilities of the new facts among facts.
func (r *Retriever) estimateFacts(ctx context.Context, list []Fact) error {
	var facts []kg.Triple
	for _, f := range list {
		facts = append(facts, f.Triple)
	}
	estimates, err := r.Estimates(ctx, facts)
	for i, e := range estimates {
		if r.Mark(list[i].Triple) != Known {
			list[i].estimated(e)
		}
	}
	return err
}

func (f *Fact) estimated(e Estimate) {
	f.Probability, f.odds = &e.Probability, e.Odds
}

// Share returns how many of 100 such facts are right, as text: "4 to 19".
func (e Estimate) Share() string {
	low, high := fmt.Sprintf("%.0f", 100*e.Low), fmt.Sprintf("%.0f", 100*e.High)
	switch {
	case high == "0":
		return "fewer than 1"
	case low == high:
		return high
	}
	return low + " to " + high
}
