package retrieve

import (
	"cmp"
	"context"
	"slices"
	"sync"

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
	Mark     Mark      `json:"mark"`
	Known    bool      `json:"known"` // Mark is Known
	Splits   []string  `json:"splits,omitempty"`
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
	f.Relation = r.graph.Relations.Name(f.Triple.Relation)
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
		list[i] = r.fact(w, q, answer, dist, r.border(w, q, dist), r.scores(w, q, dist))
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

func (r *Retriever) fact(w *row, q kg.Query, answer int32, dist []float32, b border, gamma float32) Fact {
	slack := b.slack(w.values[answer], answer)
	return Fact{Triple: q.Triple(answer), Side: q.Side.String(), Slack: slack, InSet: slack >= 0,
		Score: gamma - w.scores[answer]}
}

// PredictOptions say which facts Predict looks for. The zero value is all new facts of the relation 0 by both queries.
type PredictOptions struct {
	Relation int32
	Sides    []kg.Side // whose queries are asked, of every entity; empty: both
	Top      int       // at most so many facts, best first; 0: all
	Seen     bool      // only heads that a training fact of the relation has as head, and tails that one has as tail

	Progress func(done, total int) // queries; called on the goroutine of Predict
}

// predictBlock is how many queries are answered between two calls of Progress.
const predictBlock = 1024

// Predict finds the best new facts of a relation: those in the set of a query about any entity that are held out or
// inferred. A fact that leads from an entity to itself is left out where no training fact of the relation does. Besides
// the facts it holds two numbers per entity and thread. The error is ctx's, or says that the graph does not have the
// relation.
func (r *Retriever) Predict(ctx context.Context, o PredictOptions) ([]Fact, error) {
	if err := r.check(o.Relation); err != nil {
		return nil, err
	}
	if len(o.Sides) == 0 {
		o.Sides = []kg.Side{kg.TailSide, kg.HeadSide}
	}
	n := int32(r.graph.Entities.Len())
	var queries []kg.Query
	for _, side := range o.Sides {
		for e := range n {
			queries = append(queries, kg.Query{Side: side, Known: e, Relation: o.Relation})
		}
	}
	seen := r.seen(o)
	best := &bestFacts{limit: o.Top, at: map[kg.Triple]Fact{}}
	for from := 0; from < len(queries); from += predictBlock {
		part := queries[from:min(from+predictBlock, len(queries))]
		err := r.inBlocks(ctx, part, func(w *row, i int, dist []float32) {
			q := part[i]
			b, gamma := r.border(w, q, dist), r.scores(w, q, dist)
			itself := r.Itself(q)
			var found []Fact
			for e, v := range w.values {
				if e := int32(e); b.holds(v, e) && seen(q.Triple(e)) && !(itself && e == q.Known) &&
					r.Mark(q.Triple(e)) != Known {
					found = append(found, r.fact(w, q, e, dist, b, gamma))
				}
			}
			best.add(found)
		})
		if err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(from+len(part), len(queries))
		}
	}
	list := best.sorted()
	for i := range list {
		r.name(&list[i])
	}
	return list, nil
}

// seen says which facts PredictOptions.Seen lets pass.
func (r *Retriever) seen(o PredictOptions) func(t kg.Triple) bool {
	if !o.Seen {
		return func(kg.Triple) bool { return true }
	}
	n := r.graph.Entities.Len()
	heads, tails := make([]bool, n), make([]bool, n)
	for _, t := range r.graph.Train {
		if t.Relation == o.Relation {
			heads[t.Head], tails[t.Tail] = true, true
		}
	}
	return func(t kg.Triple) bool { return heads[t.Head] && tails[t.Tail] }
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
