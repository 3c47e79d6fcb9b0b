package retrieve

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/spherelab/spherelab/spherE/kg"
)

// PredictOptions are which facts Predict looks for. The zero value asks both queries of relation 0 for all facts of
// which training has seen an end.
type PredictOptions struct {
	Relation int32
	Sides    []kg.Side // whose queries are asked, of every entity; empty: both
	Top      int       // at most this many facts, best first; 0: all
	Ends     Ends      // which pairs of entities are tried

	Progress func(done, total int) // queries; called on the goroutine of Predict
}

// Ends decides which pairs of entities Predict tries. A head is seen if a training fact of the relation has it as head,
// a tail if one has it as tail. Of a pair with neither seen, training says nothing about the relation: the model judges
// it by the entities' other relations, and such pairs fill the top of the list with nonsense.
type Ends int

// The ends. OneSeen is the default because it finds the most facts on the bundled graph; docs/task.md has the
// numbers.
const (
	OneSeen  Ends = iota // the head or the tail is seen
	BothSeen             // the head and the tail are seen
	AnyEnds              // every pair
)

// predictBlock is how many queries are answered between two calls of Progress.
const predictBlock = 1024

// Predict finds the best new facts of a relation: those in the set of a query about any entity that are held out or
// inferred, by probability, without Options.Facts by score. A fact that leads from an entity to itself is left out if
// no training fact of the relation does. Besides the facts, Predict holds a few numbers per entity and thread, and with
// Options.Facts up to keptFacts facts per entity. If the model cannot compute a single value, such as a stack, it holds
// all facts in sets. It returns the errors of ctx and Options.Facts, or an error if the graph does not have the
// relation.
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
	values, single := r.model.(valuer)
	best := &bestFacts{limit: o.Top, at: map[kg.Triple]Fact{}}
	if estimator != nil && !single {
		best.limit = 0 // until the facts have their probabilities
	}
	p := prediction{Retriever: r, PredictOptions: o, best: best, seen: r.seen(o.Relation, o.Ends)}
	if estimator != nil && single {
		err = p.bySides(ctx, estimator, values)
	} else {
		err = p.sweep(ctx, p.queries(o.Sides...), func(w *row, q kg.Query, dist []float32) {
			var list []Fact
			p.found(w, q, dist, func(e int32, score float32) { list = append(list, p.fact(q, e, score)) })
			best.add(list)
		})
	}
	if err != nil {
		return nil, err
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

// prediction is one call of Predict.
type prediction struct {
	*Retriever
	PredictOptions
	best        *bestFacts
	seen        func(t kg.Triple) bool
	done, total int // queries
}

// queries returns the queries of the relation about every entity. Each call adds to the total.
func (p *prediction) queries(sides ...kg.Side) (list []kg.Query) {
	for _, side := range bothSides {
		for e := range int32(p.graph.Entities.Len()) {
			if slices.Contains(sides, side) {
				list = append(list, kg.Query{Side: side, Known: e, Relation: p.Relation})
			}
		}
	}
	p.total += len(list)
	return list
}

// sweep calls each with the distances of every query, on several goroutines.
func (p *prediction) sweep(
	ctx context.Context, queries []kg.Query, each func(w *row, q kg.Query, dist []float32),
) error {
	for part := range slices.Chunk(queries, predictBlock) {
		if err := p.inBlocks(ctx, part, func(w *row, i int, dist []float32) { each(w, part[i], dist) }); err != nil {
			return err
		}
		if p.done += len(part); p.Progress != nil {
			p.Progress(p.done, p.total)
		}
	}
	return nil
}

// found calls each with the new facts of a query's set among the pairs that are tried, and fills the row's scores.
func (p *prediction) found(w *row, q kg.Query, dist []float32, each func(e int32, score float32)) {
	b, gamma, itself := p.border(w, q, dist), p.scores(w, q, dist), p.Itself(q)
	for e, v := range w.values {
		if e := int32(e); b.holds(v, e) && p.seen(q.Triple(e)) && !(itself && e == q.Known) &&
			p.Mark(q.Triple(e)) != Known {
			each(e, gamma-w.scores[e])
		}
	}
}

// own returns the logarithm of the odds of an answer to the row's query, from what sideOdds returned for it.
func (p *prediction) own(f *Facts, odds func(float32) float64, w *row, q kg.Query, e int32) float64 {
	if p.drops(f, q, e) {
		return math.Inf(-1)
	}
	return odds(w.scores[e])
}

func (p *prediction) fact(q kg.Query, e int32, score float32) Fact {
	return Fact{Triple: q.Triple(e), Side: q.Side.String(), InSet: true, Score: score}
}

// keptFacts is how many facts of a head query wait for the odds of their tail queries. A query that has more is
// answered again.
const keptFacts = 32

// kept is a fact of a head query without the odds of its tail query.
type kept struct {
	entity int32
	score  float32
	odds   float64
}

// bySides finds facts with the probabilities of both of their queries. The odds of a fact need the distances of all
// entities to both queries, and sweeps over all queries of a side take nearly all the time. So there are three sweeps:
// one over head queries, whose facts are kept, one over tail queries, and one over the head queries that had too many
// facts.
func (p *prediction) bySides(ctx context.Context, f *Facts, v valuer) error {
	heads, tails := p.queries(kg.HeadSide), p.queries(kg.TailSide)
	waiting, again := make([][]kept, len(heads)), make([]bool, len(heads))
	err := p.sweep(ctx, heads, func(w *row, q kg.Query, dist []float32) {
		odds := p.sideOdds(f, w, q, dist)
		if !slices.Contains(p.Sides, kg.HeadSide) {
			return
		}
		var list []kept
		p.found(w, q, dist, func(e int32, score float32) {
			if len(list) <= keptFacts {
				list = append(list, kept{e, score, p.own(f, odds, w, q, e)})
			}
		})
		if again[q.Known] = len(list) > keptFacts; !again[q.Known] {
			waiting[q.Known] = slices.Clip(list)
		}
	})
	if err != nil {
		return err
	}
	err = p.sweep(ctx, tails, func(w *row, q kg.Query, dist []float32) {
		odds := p.sideOdds(f, w, q, dist)
		if !slices.Contains(p.Sides, kg.TailSide) {
			return
		}
		var list []Fact
		p.found(w, q, dist, func(e int32, score float32) {
			x := p.fact(q, e, score)
			head := p.seenOdds(f, v, x.Triple.Query(kg.HeadSide), q.Known)
			x.estimated(f.Of(p.Relation, p.own(f, odds, w, q, e), head))
			list = append(list, x)
		})
		p.best.add(list)
	})
	if err != nil {
		return err
	}
	estimated := func(q kg.Query, k kept) Fact {
		x := p.fact(q, k.entity, k.score)
		x.estimated(f.Of(p.Relation, p.seenOdds(f, v, x.Triple.Query(kg.TailSide), q.Known), k.odds))
		return x
	}
	var crowded []kg.Query
	for i, q := range heads {
		if err := ctx.Err(); err != nil {
			return err
		}
		if again[i] {
			crowded = append(crowded, q)
		}
		for _, k := range waiting[i] {
			p.best.add([]Fact{estimated(q, k)})
		}
	}
	p.total += len(crowded)
	return p.sweep(ctx, crowded, func(w *row, q kg.Query, dist []float32) {
		odds := p.sideOdds(f, w, q, dist)
		var list []Fact
		p.found(w, q, dist, func(e int32, score float32) {
			list = append(list, estimated(q, kept{e, score, p.own(f, odds, w, q, e)}))
		})
		p.best.add(list)
	})
}

// seen has the entities that training has as heads and tails of the relation. It decides which facts Predict tries.
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

// Untried returns the number of test facts of a relation, and how many of them Predict does not try.
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

// bestFacts keeps the best limit facts that are added, each triple once. When it holds twice as many, it drops the
// worse half. A dropped fact is worse than limit others, which can only be replaced by better ones.
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
