package retrieve

import (
	"cmp"
	"context"
	"math"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Member is one entity as an answer to a query, in the set or outside.
type Member struct {
	Entity   int32   `json:"entity"`
	Name     string  `json:"name"`
	Label    string  `json:"label"`    // readable; the name where the graph has no label
	Distance float32 `json:"distance"` // between the rotated head and the tail, or the inversely rotated tail and the head
	Value    float32 `json:"value"`    // what the criterion compares with the threshold
	Slack    float32 `json:"slack"`    // threshold - value: >= 0 if and only if it is in the set

	// Probability that the entity is a right answer, if it is not known; nil for known ones, and without
	// Options.Probability.
	Probability *float64 `json:"probability,omitempty"`

	Mark   Mark     `json:"mark"`
	Known  bool     `json:"known"`            // Mark is Known; false for new answers, held out or inferred
	Splits []string `json:"splits,omitempty"` // that hold the fact: "train", "valid", "test"

	// Itself marks the query's own entity where Retriever.Itself says that it is an unlikely answer. It stays in the
	// set if the criterion says so: where a relation's rotation is small, distance alone makes it likely.
	Itself bool `json:"itself,omitempty"`
}

// Answer is the answer to a query: its set, what lies just outside, and which facts of the graph are missed.
type Answer struct {
	Head      string           `json:"head"` // label, or Unknown
	Relation  string           `json:"relation"`
	Tail      string           `json:"tail"` // label, or Unknown
	Query     kg.Query         `json:"-"`
	Cut       string           `json:"cut_name"`            // Options.Cut
	CutSlack  float32          `json:"cut_slack,omitempty"` // Options.Slack, by which the threshold is moved
	Criterion sphere.Criterion `json:"criterion"`           // that computes the values
	Threshold float32          `json:"cut"`                 // no value in the set exceeds it; every smaller one is in the set

	Set    []Member `json:"set"`    // by value, then depth, then id; at most Options.Limit
	Near   []Member `json:"near"`   // the best entities outside the set, in the same order
	Missed []Member `json:"missed"` // facts of the graph outside the set, in the same order

	Counts         // of the set, whatever the limit
	AllKnown   int `json:"all_known"`    // known answers, in the set or not
	AllHeldOut int `json:"all_held_out"` // held-out answers, in the set or not

	// Depths are values without a lower bound, by entity id: inside a sphere, where all values are 0, they still say
	// which entity is deeper.
	Depths []float32 `json:"-"`
	Slacks []float32 `json:"-"` // of every entity by id; NaN where the value is NaN
	// Probabilities are those of Member by entity id, NaN for known answers; nil without Options.Probability.
	Probabilities []float64 `json:"-"`
}

// Answer answers q. Entities whose value is NaN are neither in the set nor near it. The error is ctx's, or says
// that q has ids that the graph does not have.
func (r *Retriever) Answer(ctx context.Context, q kg.Query) (*Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := r.checkQuery(q); err != nil {
		return nil, err
	}
	w, border := r.measure(q)
	defer r.rows.Put(w)

	a := &Answer{
		Head: Unknown, Relation: r.graph.RelationLabel(q.Relation), Tail: Unknown,
		Query: q, Cut: r.options.Cut, CutSlack: r.options.Slack, Criterion: r.options.Criterion,
		Threshold: border.threshold,
		Slacks:    slacks(border, w.values, nil),
		Depths:    slices.Clone(w.order()),
	}
	if q.Side == kg.HeadSide {
		a.Tail = r.graph.Label(q.Known)
	} else {
		a.Head = r.graph.Label(q.Known)
	}
	a.Set = r.members(q, w, border, entitiesOf(w.sort(border)))
	a.Near = r.members(q, w, border, entitiesOf(w.smallest(r.options.NearMisses, func(value float32, e int32) bool {
		return !border.holds(value, e) && e != border.without
	})))
	for _, m := range a.Set {
		a.Add(m.Mark)
	}
	if limit := r.options.Limit; limit > 0 && len(a.Set) > limit {
		a.Set = a.Set[:limit]
	}

	facts := r.facts(q)
	a.AllKnown, a.AllHeldOut = r.countFacts(q, facts)
	missed := slices.DeleteFunc(facts, func(e int32) bool { return border.holds(w.values[e], e) })
	byValue(missed, w.order())
	a.Missed = r.members(q, w, border, missed)
	a.Probabilities = r.probabilities(q, w)
	return a, nil
}

// facts are q's answers in all splits, ascending.
func (r *Retriever) facts(q kg.Query) []int32 {
	var all []int32
	for _, ix := range r.splits {
		all = append(all, ix.Answers(q)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (r *Retriever) countFacts(q kg.Query, facts []int32) (known, heldOut int) {
	for _, e := range facts {
		if r.Mark(q.Triple(e)) == Known {
			known++
		}
	}
	return known, len(facts) - known
}

// members describes entities as answers to q.
func (r *Retriever) members(q kg.Query, w *row, b border, ids []int32) []Member {
	list := make([]Member, len(ids))
	probability := r.probability(q, w)
	for i, e := range ids {
		t := q.Triple(e)
		mark := r.member(t, b.holds(w.values[e], e))
		list[i] = Member{
			Entity: e, Name: r.graph.Entities.Name(e), Label: r.graph.Label(e),
			Distance: w.dist[e], Value: w.values[e], Slack: b.slack(w.values[e], e),
			Probability: probability(w.values[e], mark),
			Mark:        mark, Known: mark == Known, Splits: r.splitsOf(t),
			Itself: e == q.Known && r.Itself(q),
		}
	}
	return list
}

// probabilities are those of all entities, see Answer.
func (r *Retriever) probabilities(q kg.Query, w *row) []float64 {
	if r.options.Probability == nil {
		return nil
	}
	list := make([]float64, len(w.values))
	of := r.probabilityOf(q, w)
	for e, v := range w.values {
		list[e] = of(v)
	}
	for _, e := range r.facts(q) {
		if r.Mark(q.Triple(e)) == Known {
			list[e] = math.NaN()
		}
	}
	return list
}

// byValue orders entities by value, then id; NaN comes last.
func byValue(ids []int32, values []float32) {
	slices.SortFunc(ids, func(a, b int32) int { return compareBy(values[a], values[b], a, b) })
}

// compareBy compares values, then ids. Negated, because cmp.Compare has NaN first.
func compareBy(va, vb float32, a, b int32) int {
	return cmp.Or(cmp.Compare(-vb, -va), cmp.Compare(a, b))
}
