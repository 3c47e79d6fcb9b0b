package retrieve

import (
	"context"
	"slices"
	"sync"

	"github.com/spherelab/spherelab/spherE/kg"
)

// PredictOptions say which facts Predict looks for. The zero value is all facts of the
// relation 0 of which training has seen an end, by both queries.
type PredictOptions struct {
	Relation int32
	Sides    []kg.Side // whose queries are asked, of every entity; empty: both
	Top      int       // at most so many facts, best first; 0: all
	Ends     Ends      // which pairs of entities are tried

	Progress func(done, total int) // queries; called on the goroutine of Predict
}

// Ends says which pairs of entities Predict tries. A head is seen where a training fact of the relation has it as head,
// a tail where one has it as tail. Of a pair that has neither, training says nothing: the model places it by what the
// entities do in other relations, and such pairs lead the list with nonsense.
type Ends int

// The ends. OneSeen is the default because it finds most on the bundled graph; README has the numbers.
const (
	OneSeen  Ends = iota // the head or the tail is seen
	BothSeen             // the head and the tail are seen
	AnyEnds              // every pair
)

// predictBlock is how many queries are answered between two calls of Progress.
const predictBlock = 1024

// Predict finds the best new facts of a relation: those in the set of a query about any entity that are held out or
// inferred, by probability, without Options.Facts by score. A fact that leads from an entity to itself is left out
// where no training fact of the relation does. Besides the facts it holds a few numbers per entity and thread; of a
// model that computes no single value, as a stack, it holds all facts in sets. Errors are ctx's and those of
// Options.Facts, or say that the graph does not have the relation.
func (r *Retriever) Predict(ctx context.Context, o PredictOptions) ([]Fact, error) {
	if err := r.check(o.Relation); err != nil {
		return nil, err
	}
	if len(o.Sides) == 0 {
		o.Sides = []kg.Side{kg.TailSide, kg.HeadSide}
	}
	estimator, err := r.estimator(ctx)
	if err != nil {
		return nil, err
	}
	n := int32(r.graph.Entities.Len())
	var queries, others []kg.Query
	for _, side := range bothSides {
		for e := range n {
			q := kg.Query{Side: side, Known: e, Relation: o.Relation}
			if slices.Contains(o.Sides, side) {
				queries = append(queries, q)
			}
			// the others are seen before they are needed
			if side == kg.HeadSide || !slices.Contains(o.Sides, side) {
				others = append(others, q)
			}
		}
	}
	values, single := r.model.(valuer)
	if estimator != nil && single {
		if err := r.see(ctx, estimator, others); err != nil {
			return nil, err
		}
	}
	seen := r.seen(o.Relation, o.Ends)
	best := &bestFacts{limit: o.Top, at: map[kg.Triple]Fact{}}
	if estimator != nil && !single {
		best.limit = 0 // until the facts have their probabilities
	}
	for from, to := 0, 0; from < len(queries); from = to {
		// a part has queries of one side: head queries need the odds of all tail queries
		to = min(from+predictBlock, (from/int(n)+1)*int(n))
		part := queries[from:to]
		err := r.inBlocks(ctx, part, func(w *row, i int, dist []float32) {
			q := part[i]
			var odds func(float32) float64
			if estimator != nil && single {
				odds = r.sideOdds(estimator, w, q, dist)
			}
			b, gamma, itself := r.border(w, q, dist), r.scores(w, q, dist), r.Itself(q)
			var found []Fact
			for e, v := range w.values {
				if e := int32(e); b.holds(v, e) && seen(q.Triple(e)) && !(itself && e == q.Known) &&
					r.Mark(q.Triple(e)) != Known {
					f := r.fact(w, q, e, b, gamma)
					if odds != nil {
						own := odds(w.scores[e])
						if q.Side == kg.TailSide {
							head := r.seenOdds(estimator, values, f.Triple.Query(kg.HeadSide), q.Known)
							f.estimated(estimator.Of(o.Relation, own, head))
						} else {
							tail := r.seenOdds(estimator, values, f.Triple.Query(kg.TailSide), q.Known)
							f.estimated(estimator.Of(o.Relation, tail, own))
						}
					}
					found = append(found, f)
				}
			}
			best.add(found)
		})
		if err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(to, len(queries))
		}
	}
	list := best.sorted()
	if estimator != nil && !single {
		if err := r.estimateFacts(ctx, list); err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b Fact) int { return compareFacts(&a, &b) })
		if o.Top > 0 {
			list = list[:min(len(list), o.Top)]
		}
	}
	for i := range list {
		r.name(&list[i])
	}
	return list, nil
}

// seen says which facts Predict tries.
func (r *Retriever) seen(relation int32, ends Ends) func(t kg.Triple) bool {
	n := r.graph.Entities.Len()
	heads, tails := make([]bool, n), make([]bool, n)
	for _, t := range r.graph.Train {
		if t.Relation == relation {
			heads[t.Head], tails[t.Tail] = true, true
		}
	}
	switch ends {
	case OneSeen:
		return func(t kg.Triple) bool { return heads[t.Head] || tails[t.Tail] }
	case BothSeen:
		return func(t kg.Triple) bool { return heads[t.Head] && tails[t.Tail] }
	}
	return func(kg.Triple) bool { return true }
}

// Untried counts the test facts of a relation, and those of them that Predict does not try.
func (r *Retriever) Untried(relation int32, ends Ends) (untried, test int) {
	seen := r.seen(relation, ends)
	for _, t := range r.graph.Test {
		if t.Relation == relation {
			if test++; !seen(t) {
				untried++
			}
		}
	}
	return untried, test
}

// bestFacts keeps the best facts that it is given, each triple once. When it holds twice as many as it should, it drops
// the worse half: what it drops is worse than limit others, which can only be replaced by better ones.
type bestFacts struct {
	mu    sync.Mutex
	limit int
	at    map[kg.Triple]Fact
}

func (b *bestFacts) add(facts []Fact) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range facts {
		f := &facts[i]
		if old, ok := b.at[f.Triple]; !ok || compareFacts(f, &old) < 0 {
			b.at[f.Triple] = *f
		}
		if b.limit > 0 && len(b.at) >= 2*b.limit+leastDropped {
			for _, f := range b.all()[b.limit:] {
				delete(b.at, f.Triple)
			}
		}
	}
}

// leastDropped keeps a small limit from sorting after every few facts.
const leastDropped = 1024

func (b *bestFacts) all() []Fact {
	list := make([]Fact, 0, len(b.at))
	for _, f := range b.at {
		list = append(list, f)
	}
	slices.SortFunc(list, func(x, y Fact) int { return compareFacts(&x, &y) })
	return list
}

func (b *bestFacts) sorted() []Fact {
	list := b.all()
	if b.limit > 0 && len(list) > b.limit {
		list = list[:b.limit]
	}
	return list
}
