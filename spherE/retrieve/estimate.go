package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Estimate is the probability that a new fact is right, and the range in which the share of such facts lies that is
// right, 95 % of the time. Odds order facts of the same probability.
type Estimate struct {
	Probability, Low, High, Odds float64
}

// Facts gives a fact one probability from both of its queries, (head, relation, ?) and (?, relation, tail). It must be
// safe for concurrent use. Values are those of CriterionMargin.
type Facts struct {
	// Side gives the logarithm of the odds of an answer to a query by its value, from the values of all entities, NaN
	// for one that is no answer.
	Side func(q kg.Query, values []float32) func(value float32) float64
	// Seen is what Side has returned for a query before; nil if it was not asked. Side has to keep it.
	Seen func(q kg.Query) func(value float32) float64
	// Of puts the two logarithms together.
	Of func(relation int32, tail, head float64) Estimate
	// DropItself says that a query's own entity is no answer where no training fact of the relation is a loop.
	DropItself bool
}

// valuer is a Model that computes a value of CriterionMargin without the others; *sphere.Model is one.
type valuer interface {
	Value(q kg.Query, entity int32) float32
}

// estimator are Options.Facts, nil where there are none.
func (r *Retriever) estimator(ctx context.Context) (*Facts, error) {
	if r.options.Facts == nil {
		return nil, nil
	}
	return r.options.Facts(ctx)
}

// sideOdds is Facts.Side of a query from its distances.
func (r *Retriever) sideOdds(f *Facts, w *row, q kg.Query, dist []float32) func(value float32) float64 {
	r.scores(w, q, dist)
	if f.DropItself && !r.loops[q.Relation] {
		w.scores[q.Known] = float32(math.NaN())
	}
	return f.Side(q, w.scores)
}

// see asks Facts.Side for all queries that it has not seen.
func (r *Retriever) see(ctx context.Context, f *Facts, queries []kg.Query) error {
	unseen := slices.DeleteFunc(slices.Clone(queries), func(q kg.Query) bool { return f.Seen(q) != nil })
	return r.inBlocks(ctx, unseen, func(w *row, i int, dist []float32) { r.sideOdds(f, w, unseen[i], dist) })
}

// seenOdds is the logarithm of the odds of an answer to a query that was seen.
func (r *Retriever) seenOdds(f *Facts, v valuer, q kg.Query, entity int32) float64 {
	if f.DropItself && !r.loops[q.Relation] && entity == q.Known {
		return math.Inf(-1)
	}
	return f.Seen(q)(v.Value(q, entity))
}

// Estimates are those of facts, whatever splits hold them; nil without Options.Facts. The number of a fact is the same
// whichever query led to it. Errors are ctx's and those of Options.Facts, or say that the graph does not have the ids.
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
	slices.SortFunc(queries, func(a, b kg.Query) int { // neighbours share a relation, which helps a model
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

// estimateMembers gives the new ones of some answers to q their probabilities, if the cut has them.
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

// estimateFacts gives the new ones of some facts their probabilities.
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

// Share says how many of 100 such facts are right: "4 to 19".
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
