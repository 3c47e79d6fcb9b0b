package retrieve

import (
	"cmp"
	"context"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Answer is one entity as an answer to a query.
type Answer struct {
	Entity   int32   `json:"entity"`
	Name     string  `json:"name"`
	Label    string  `json:"label"`    // readable; the name where the graph has no label
	Distance float32 `json:"distance"` // between the rotated head and the tail, or the inversely rotated tail and the head
	Value    float32 `json:"value"`    // what the criterion compares with the cut
	Slack    float32 `json:"slack"`    // cut - value: >= 0 inside the set
	Known    bool    `json:"known"`    // the fact is in the graph; otherwise the model infers it

	// Itself: the entity is the asked one, and no training fact of the relation leads from an entity to itself, so that
	// the answer is hardly meant. A mark only: the set is what the criterion says. Distance alone makes it likely where
	// a relation's rotation is small.
	Itself bool `json:"itself,omitempty"`

	Splits []string `json:"splits,omitempty"` // in which the fact is: "train", "valid", "test"
}

// Answers is the set that answers a query.
type Answers struct {
	Head      string           `json:"head"` // label, or "?"
	Relation  string           `json:"relation"`
	Tail      string           `json:"tail"` // label, or "?"
	Query     kg.Query         `json:"-"`
	Criterion sphere.Criterion `json:"criterion"`
	Cut       float32          `json:"cut"`

	Set    []Answer `json:"set"`    // by value, then id; at most Options.Limit
	Near   []Answer `json:"near"`   // the best entities outside the set, by value, then id
	Missed []Answer `json:"missed"` // known answers outside the set, by value, then id; at most Options.Limit

	Total    int `json:"total"`     // entities in the set, Known + Inferred
	Known    int `json:"known"`     // of them known facts
	Inferred int `json:"inferred"`  // of them not in the graph
	AllKnown int `json:"all_known"` // known answers in the graph, in the set or not
}

// Answer answers q. Entities whose value is NaN are neither in the set nor near it. The error is ctx's, or says
// that q has ids that the graph does not have.
func (r *Retriever) Answer(ctx context.Context, q kg.Query) (*Answers, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := r.check(q.Relation, q.Known); err != nil {
		return nil, err
	}
	w, cut := r.measure(q)
	defer r.rows.Put(w)

	a := &Answers{
		Head: Unknown, Relation: r.graph.Relations.Name(q.Relation), Tail: Unknown,
		Query: q, Criterion: r.options.Criterion, Cut: cut,
	}
	if q.Side == kg.HeadSide {
		a.Tail = r.graph.Label(q.Known)
	} else {
		a.Head = r.graph.Label(q.Known)
	}
	known := r.knownAnswers(q)
	a.AllKnown = len(known)

	inside := make([]int32, 0, 64)
	near := newNearest(r.options.NearMisses, w.values)
	for i, v := range w.values {
		switch {
		case v <= cut:
			inside = append(inside, int32(i))
		case v == v:
			near.offer(int32(i))
		}
	}
	byValue(inside, w.values)
	var missed []int32
	for _, e := range known {
		if w.values[e] <= cut {
			a.Known++
		} else {
			missed = append(missed, e)
		}
	}
	byValue(missed, w.values)
	a.Total = len(inside)
	a.Inferred = a.Total - a.Known
	a.Set = r.list(q, w, cut, r.limited(inside))
	a.Near = r.list(q, w, cut, near.ids)
	a.Missed = r.list(q, w, cut, r.limited(missed))
	return a, nil
}

// limited cuts a list at Options.Limit.
func (r *Retriever) limited(ids []int32) []int32 {
	if r.options.Limit > 0 && len(ids) > r.options.Limit {
		return ids[:r.options.Limit]
	}
	return ids
}

// knownAnswers are q's answers in all splits, ascending.
func (r *Retriever) knownAnswers(q kg.Query) []int32 {
	var all []int32
	for _, ix := range r.splits {
		all = append(all, ix.Answers(q)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (r *Retriever) list(q kg.Query, w *row, cut float32, ids []int32) []Answer {
	list := make([]Answer, len(ids))
	for i, e := range ids {
		splits := r.splitsOf(q.Triple(e))
		list[i] = Answer{
			Entity: e, Name: r.graph.Entities.Name(e), Label: r.graph.Label(e),
			Distance: w.dist[e], Value: w.values[e], Slack: cut - w.values[e],
			Known: len(splits) > 0, Splits: splits,
			Itself: e == q.Known && len(splits) == 0 && !r.loops[q.Relation],
		}
	}
	return list
}

// byValue orders entities by value, then id; NaN comes last.
func byValue(ids []int32, values []float32) {
	slices.SortFunc(ids, func(a, b int32) int { return compareBy(values[a], values[b], a, b) })
}

func compareBy(va, vb float32, a, b int32) int {
	if (va != va) != (vb != vb) {
		if va != va {
			return 1
		}
		return -1
	}
	switch {
	case va < vb:
		return -1
	case va > vb:
		return 1
	}
	return cmp.Compare(a, b)
}

// nearest keeps the n entities of smallest (value, id) among those offered.
type nearest struct {
	n      int
	ids    []int32 // in order
	values []float32
}

func newNearest(n int, values []float32) *nearest { return &nearest{n: n, values: values} }

// offer must be called with ascending ids.
func (s *nearest) offer(id int32) {
	v := s.values[id]
	if s.n == 0 || (len(s.ids) == s.n && !(v < s.values[s.ids[s.n-1]])) {
		return
	}
	at := len(s.ids)
	for at > 0 && v < s.values[s.ids[at-1]] {
		at--
	}
	if len(s.ids) == s.n {
		s.ids = s.ids[:s.n-1]
	}
	s.ids = slices.Insert(s.ids, at, id)
}
