// Package retrieve answers set queries from a trained model: which entities are in the answer set, which of
// them are known facts and which are inferred, what lies just outside, and why.
package retrieve

import (
	"fmt"
	"slices"
	"sync"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Model is what retrieval needs of a model; *sphere.Model is one.
type Model interface {
	Settings() sphere.Settings
	Entities() int
	Relations() int
	HasRadii() bool
	Radius(entity int32) float32
	DefaultCriterion() sphere.Criterion
	// Distances fills dst, row-major len(queries) x Entities(); safe for concurrent use.
	Distances(queries []kg.Query, dst []float32)
	// Values turns a row of distances into values; an entity is in the set if and only if its value <= cut.
	Values(c sphere.Criterion, q kg.Query, dist, dst []float32) (cut float32)
}

// binder is a Model that gives distances without allocating; *sphere.Model is one. Bind writes the bound points of
// queries, DistancesTo those of entities [from, to) to bound points: dst[i*pitch+e-from].
type binder interface {
	Stride() int
	Bind(queries []kg.Query, points []float32)
	DistancesTo(points []float32, from, to int, dst []float32, pitch int)
}

// Options say how queries are answered. The zero value uses the model's own criterion and lists all answers
// and 5 near misses.
type Options struct {
	Criterion  sphere.Criterion // "": the model's default
	Limit      int              // answers listed at most, best first; counts stay complete; 0: all
	NearMisses int              // entities listed outside the set; 0: 5, negative: none
	Neighbours int              // facts listed by Explain on each side and of each kind; 0: 5, negative: none
	Threads    int              // that answer one call of Sets or Scores; 0: all cores; never changes an answer

	// Cut replaces the criterion's own cut, fitted thresholds for example: it gets a query and that cut and returns
	// what the values of answers must not exceed. nil: the criterion's own. It must be safe for concurrent use.
	Cut func(q kg.Query, own float32) float32
}

const defaultListed = 5

// Retriever answers queries with one model on one graph. It is safe for concurrent use.
type Retriever struct {
	model   Model
	graph   *kg.Graph
	options Options
	splits  [3]*kg.Index // by kg.Split
	loops   []bool       // by relation: a training fact has the same head and tail
	rows    sync.Pool    // of *row for one query
	blocks  sync.Pool    // of *row for queryBlock queries
	binder  binder       // the model, if it is one
}

// row holds the buffers that answer some queries.
type row struct {
	queries []kg.Query
	points  []float32 // of the queries, if the model is a binder
	dist    []float32 // queries x entities
	values  []float32 // entities, of one query
	keys    []uint64  // see collect
}

// queryBlock is how many queries of a batch are compared with an entity's row at once.
const queryBlock = 32

// New prepares retrieval. The graph must be the one that the model was trained on.
func New(m Model, g *kg.Graph, o Options) (*Retriever, error) {
	if m.Entities() != g.Entities.Len() {
		return nil, fmt.Errorf("retrieve: the model has %d entities and graph %q has %d; it was trained on another graph",
			m.Entities(), g.Name, g.Entities.Len())
	}
	if m.Relations() != g.Relations.Len() {
		return nil, fmt.Errorf("retrieve: the model has %d relations and graph %q has %d; it was trained on another graph",
			m.Relations(), g.Name, g.Relations.Len())
	}
	if o.Limit < 0 {
		return nil, fmt.Errorf("retrieve: the limit must not be negative, got %d", o.Limit)
	}
	if o.Threads < 0 {
		return nil, fmt.Errorf("retrieve: the number of threads must not be negative, got %d", o.Threads)
	}
	if o.Criterion == "" {
		o.Criterion = m.DefaultCriterion()
	}
	if !slices.Contains(sphere.Criteria(), o.Criterion) {
		return nil, fmt.Errorf("retrieve: there is no criterion %q; there are %q", o.Criterion, sphere.Criteria())
	}
	for _, n := range []*int{&o.NearMisses, &o.Neighbours} {
		if *n == 0 {
			*n = defaultListed
		}
		*n = max(*n, 0)
	}
	r := &Retriever{model: m, graph: g, options: o}
	for _, s := range kg.Splits() {
		r.splits[s] = g.Index(s)
	}
	r.loops = make([]bool, g.Relations.Len())
	for _, t := range g.Train {
		if t.Head == t.Tail {
			r.loops[t.Relation] = true
		}
	}
	r.binder, _ = m.(binder)
	r.rows.New = func() any { return r.newRow(1) }
	r.blocks.New = func() any { return r.newRow(queryBlock) }
	return r, nil
}

func (r *Retriever) newRow(queries int) *row {
	n := r.model.Entities()
	w := &row{queries: make([]kg.Query, 0, queries), dist: make([]float32, queries*n), values: make([]float32, n)}
	if r.binder != nil {
		w.points = make([]float32, queries*r.binder.Stride())
	}
	return w
}

// distances fills the first rows of w.dist for the queries, at most as many as w was made for.
func (r *Retriever) distances(w *row, queries ...kg.Query) {
	n := r.model.Entities()
	w.queries = append(w.queries[:0], queries...)
	dist := w.dist[:len(queries)*n]
	if r.binder == nil {
		r.model.Distances(w.queries, dist)
		return
	}
	points := w.points[:len(queries)*r.binder.Stride()]
	r.binder.Bind(w.queries, points)
	r.binder.DistancesTo(points, 0, n, dist, n)
}

// cut fills values for q from its distances and returns what an answer's value must not exceed.
func (r *Retriever) cut(q kg.Query, dist, values []float32) float32 {
	cut := r.model.Values(r.options.Criterion, q, dist, values)
	if r.options.Cut != nil {
		cut = r.options.Cut(q, cut)
	}
	return cut
}

// measure fills a row for q; the caller gives it back to r.rows.
func (r *Retriever) measure(q kg.Query) (w *row, cut float32) {
	w = r.rows.Get().(*row)
	r.distances(w, q)
	return w, r.cut(q, w.dist, w.values)
}

// check refuses ids that the graph does not have.
func (r *Retriever) check(relation int32, entities ...int32) error {
	if relation < 0 || int(relation) >= r.graph.Relations.Len() {
		return fmt.Errorf("retrieve: relation id %d is not in graph %q, which has %d relations", relation, r.graph.Name, r.graph.Relations.Len())
	}
	for _, e := range entities {
		if e < 0 || int(e) >= r.graph.Entities.Len() {
			return fmt.Errorf("retrieve: entity id %d is not in graph %q, which has %d entities", e, r.graph.Name, r.graph.Entities.Len())
		}
	}
	return nil
}

// splitsOf names the splits that contain t, nil if none does.
func (r *Retriever) splitsOf(t kg.Triple) []string {
	var names []string
	for _, s := range kg.Splits() {
		if r.splits[s].Has(t) {
			names = append(names, s.String())
		}
	}
	return names
}
