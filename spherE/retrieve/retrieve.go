// Package retrieve answers set queries from a trained model: which entities are in the answer set, which of them are
// known, held out or inferred, what lies just outside, and why.
package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/internal/order"
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
	// Values turns a row of distances into values; an entity is in the set if and only if its value <= threshold.
	Values(c sphere.Criterion, q kg.Query, dist, dst []float32) (threshold float32)
}

// binder is a Model that computes distances without allocating; *sphere.Model is one. Bind writes the points of
// queries. DistancesTo writes the distances of entities [from, to) to such points: dst[i*pitch+e-from].
type binder interface {
	Stride() int
	Bind(queries []kg.Query, points []float32)
	DistancesTo(points []float32, from, to int, dst []float32, pitch int)
}

// unclamped is a Model whose values have a lower bound, at which many answers are tied; *sphere.Model is one. Unclamped
// fills dst with the values without that bound and reports whether there is one.
type unclamped interface {
	Unclamped(c sphere.Criterion, q kg.Query, dist, dst []float32) bool
}

// Options are how queries are answered. The zero value uses the model's own criterion and lists the whole set and 5
// near misses.
type Options struct {
	Criterion  sphere.Criterion // "": the model's default
	Limit      int              // max members of Answer.Set, best first; counts stay complete; 0: all
	NearMisses int              // max members of Answer.Near; 0: 5, negative: none
	Threads    int              // that answer one call of Sets or Slacks; 0: all cores; never changes an answer

	// Cut names the cut that Criterion, Threshold, Size and Slack make; "": the criterion.
	Cut string
	// TailCut names the cut of tail queries where it is another than that of head queries, which Cut then names.
	TailCut string
	// Threshold replaces the criterion's own threshold, for example by fitted ones. It gets a query and the criterion's
	// threshold and returns what the values of answers must not exceed. nil: the criterion's own. It must be safe for
	// concurrent use.
	Threshold func(q kg.Query, own float32) float32
	// Size replaces every threshold by a number of answers, at least 1: the set has that many of the best entities,
	// equal values ordered by depth, then id. nil: the threshold decides. It must be safe for concurrent use.
	Size func(q kg.Query) int
	// Border replaces every threshold by one that depends on the values of all entities. It takes the query, its known
	// answers, ascending, and the values; the value of an entity that DropItself keeps out is NaN. nil: Threshold
	// decides. It must be safe for concurrent use.
	Border func(q kg.Query, known []int32, values []float32) float32
	// Facts returns what assigns facts their probabilities, or nil for none. It is called when they are needed. nil:
	// there are none. It must be safe for concurrent use.
	Facts func(ctx context.Context) (*Facts, error)
	// Evidence returns what supports a fact, for explanations. nil: they have none. It must be safe for concurrent use.
	Evidence func(ctx context.Context, of kg.Triple) (*evidence.Evidence, error)
	// Probabilities adds probabilities to the answers to one query. Lists across queries, and explanations, have
	// probabilities whenever Facts has.
	Probabilities bool
	// Steps make answers to several queries comparable, for combinations and paths. If it is nil or returns nil,
	// training scores are compared. It must be safe for concurrent use.
	Steps func(ctx context.Context) (*Steps, error)
	// DropItself keeps a query's own entity out of the set if no training fact of the relation leads from an entity to
	// itself.
	DropItself bool
	// Among returns by entity whether it may be a new answer to a query; nil: all may. Known answers are in every set.
	// It must be safe for concurrent use, and what it returns is not modified. AmongName says what it is.
	Among     func(q kg.Query) []bool
	AmongName Among
	// Slack moves the threshold. Above 0 the set keeps the answers that are at least this far inside. Below 0 it also
	// has entities that are up to this far outside. It must be finite, and 0 with Size.
	Slack float32
}

// listed is the default number of near misses of an Answer, and the max number of facts of each kind in a Position.
const listed = 5

// Retriever answers queries with one model on one graph. It is safe for concurrent use.
type Retriever struct {
	model   Model
	graph   *kg.Graph
	options Options
	splits  [3]*kg.Index // by kg.Split
	known   *kg.Index    // of training and validation; nil if no option needs it
	loops   []bool       // by relation: a training fact leads from an entity to itself
	sizes   []int        // by relation: training facts
	rows    sync.Pool    // of *row for one query
	blocks  sync.Pool    // of *row for queryBlock queries
	binder  binder       // the model, if it is one
	bound   unclamped    // the model, if it is one
	sets    projector    // the model, if it answers from fuzzy sets
}

// row holds the buffers for answering some queries.
type row struct {
	queries []kg.Query
	points  []float32 // of the queries, if the model is a binder
	dist    []float32 // queries x entities
	values  []float32 // by entity, of one query
	saved   []float32 // values while some of them are NaN
	depths  []float32 // values without a lower bound, which order equal ones; nil: values
	room    []float32 // for depths
	scores  []float32 // values of CriterionMargin for one query; nil until they are needed
	keys    []uint64  // see sort

	selection order.Selection
}

// queryBlock is how many queries of a batch are compared with an entity at once.
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
	if o.Criterion == "" {
		if o.Size == nil && o.Threshold == nil && o.Border == nil {
			return nil, errors.New("retrieve: the model has no criterion, so its sets need a size or thresholds")
		}
		o.Criterion = sphere.CriterionMargin // its values order the entities
	}
	if !slices.Contains(sphere.Criteria(), o.Criterion) {
		return nil, fmt.Errorf("retrieve: criterion %q is unknown; use one of %q", o.Criterion, sphere.Criteria())
	}
	if s := float64(o.Slack); s-s != 0 || s != 0 && o.Size != nil {
		return nil, fmt.Errorf("retrieve: slack %g cannot move the border of cut %q", s, o.Cut)
	}
	o.Cut = cmp.Or(o.Cut, string(o.Criterion))
	o.NearMisses = max(cmp.Or(o.NearMisses, listed), 0)
	r := &Retriever{model: m, graph: g, options: o}
	for _, s := range kg.Splits() {
		r.splits[s] = g.Index(s)
	}
	if o.Border != nil {
		r.known = g.Index(kg.Train, kg.Valid)
	}
	r.loops, r.sizes = g.Loops(), make([]int, g.Relations.Len())
	for _, t := range g.Train {
		r.sizes[t.Relation]++
	}
	r.binder, _ = m.(binder)
	r.bound, _ = m.(unclamped)
	if p, ok := m.(projector); ok && p.OnSets() {
		r.sets = p
	}
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

// border is where the set of a query ends. Entities of value less than threshold are in the set. Of the entities with
// exactly this value, those up to last in the order of keyOf are in it.
type border struct {
	threshold float32
	last      uint64
	depths    []float32 // by entity; nil: all up to threshold
	without   int32     // an entity that is outside whatever its value; -1: none
	among     []bool    // by entity: it may be inside; nil: all may
}

// within is the border of all values up to threshold.
func within(threshold float32) border { return border{threshold: threshold, without: -1} }

// holds reports whether an entity is in the set. NaN never is.
func (b border) holds(value float32, entity int32) bool {
	return (value < b.threshold || value == b.threshold && !b.beyond(entity)) && !b.bars(entity)
}

// beyond reports whether an entity on the threshold is after the last one of the set.
func (b border) beyond(entity int32) bool {
	return b.depths != nil && order.Key(b.depths[entity], entity) > b.last
}

// slack returns threshold - value. It is >= 0 if and only if the entity is in the set: for an entity that is left out
// because of its depth or id, or whatever its value, it is at most the greatest number below 0.
func (b border) slack(value float32, entity int32) float32 {
	if value == b.threshold && b.beyond(entity) || value <= b.threshold && b.bars(entity) {
		return -math.SmallestNonzeroFloat32
	}
	return b.threshold - value
}

// border fills w.values for q from its distances and returns where q's set ends. Every answer set of the package is
// decided here.
func (r *Retriever) border(w *row, q kg.Query, dist []float32) border {
	threshold := r.model.Values(r.options.Criterion, q, dist, w.values)
	r.depths(w, q, dist)
	hidden := r.hide(w, q)
	defer hidden.restore(w)
	var b border
	switch {
	case r.options.Size != nil:
		b = w.best(r.options.Size(q))
	case r.options.Border != nil:
		threshold = r.options.Border(q, r.known.Answers(q), w.values)
		if threshold <= -math.MaxFloat32 {
			threshold = w.below()
		}
		b = within(threshold - r.options.Slack)
	case r.options.Threshold != nil:
		b = within(r.options.Threshold(q, threshold) - r.options.Slack)
	default:
		b = within(threshold - r.options.Slack)
	}
	b.without, b.among = hidden.itself, hidden.among
	return b
}

// depths fills w.depths for q: what orders entities, finer than their values where these have a lower bound.
func (r *Retriever) depths(w *row, q kg.Query, dist []float32) {
	room := w.room
	if w.depths = nil; r.bound == nil {
		return
	}
	if room == nil {
		room = make([]float32, len(w.values))
		w.room = room
	}
	if r.bound.Unclamped(r.options.Criterion, q, dist, room) {
		w.depths = room
	}
}

// order returns what orders the entities of a row: depths if there are any, otherwise values.
func (w *row) order() []float32 {
	if w.depths != nil {
		return w.depths
	}
	return w.values
}

// below returns the greatest threshold that is less than the smallest value. So an empty set has a finite threshold,
// and slack shows how far entities are from the best one.
func (w *row) below() float32 {
	least := float32(math.MaxFloat32)
	for _, v := range w.values {
		if v >= -math.MaxFloat32 && v < least {
			least = v
		}
	}
	switch bits := math.Float32bits(least); {
	case least == 0:
		return -math.SmallestNonzeroFloat32
	case least < 0:
		return math.Float32frombits(bits + 1)
	default:
		return math.Float32frombits(bits - 1)
	}
}

// best is the border of the n entities of smallest value.
func (w *row) best(n int) border {
	keys := w.smallest(n, func(float32, int32) bool { return true })
	if len(keys) == 0 {
		return within(float32(math.Inf(-1)))
	}
	last := keys[len(keys)-1]
	return border{w.values[order.Entity(last)], last, w.order(), -1, nil}
}

// measure fills a row for q. The caller puts it back into r.rows.
func (r *Retriever) measure(q kg.Query) (*row, border) {
	w := r.rows.Get().(*row)
	r.distances(w, q)
	return w, r.border(w, q, w.dist)
}

// Options returns how the retriever answers, with names and numbers in place of defaults.
func (r *Retriever) Options() Options { return r.options }

// CutText returns the name of the cut, with the slack that moves its threshold and the entities that may be new
// answers: "fitted-novel with slack 0.5".
func (r *Retriever) CutText() string {
	return cutText(r.CutName(), r.options.Slack, r.options.AmongName)
}

// CutName names the cut, or those of head and tail queries.
func (r *Retriever) CutName() string {
	if o := r.options; o.TailCut != "" && o.TailCut != o.Cut {
		return fmt.Sprintf("%s for heads, %s for tails", o.Cut, o.TailCut)
	}
	return r.options.Cut
}

// cutOf names the cut of q.
func (r *Retriever) cutOf(q kg.Query) string {
	if q.Side == kg.TailSide && r.options.TailCut != "" {
		return r.options.TailCut
	}
	return r.options.Cut
}

// check refuses ids that the graph does not have.
func (r *Retriever) check(relation int32, entities ...int32) error {
	if relation < 0 || int(relation) >= r.graph.Relations.Len() {
		return fmt.Errorf("retrieve: relation id %d is not in graph %q, which has %d relations",
			relation, r.graph.Name, r.graph.Relations.Len())
	}
	for _, e := range entities {
		if e < 0 || int(e) >= r.graph.Entities.Len() {
			return fmt.Errorf("retrieve: entity id %d is not in graph %q, which has %d entities",
				e, r.graph.Name, r.graph.Entities.Len())
		}
	}
	return nil
}
