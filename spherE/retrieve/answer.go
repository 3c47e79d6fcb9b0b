package retrieve

import (
	"cmp"
	"context"
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
	Score    float32 `json:"score"`    // gamma - distance less radii, as in training: comparable with other queries
	Slack    float32 `json:"slack"`    // threshold - value: >= 0 if and only if it is in the set of the cut

	// LeftOut marks an entity that may not be a new answer, see Options.Among. Its slack is below 0 whatever its value.
	LeftOut bool `json:"left_out,omitempty"`

	// Probability of the fact, see Facts, if it is not known; nil for known ones, and without Options.Probabilities.
	Probability *float64 `json:"probability,omitempty"`

	Mark   Mark     `json:"mark"`
	Known  bool     `json:"known"`            // Mark is Known; false for new answers, held out or inferred
	Splits []string `json:"splits,omitempty"` // that hold the fact: "train", "valid", "test"

	// Itself marks the query's own entity if Retriever.Itself reports that it is an unlikely answer. It stays in the
	// set if the criterion accepts it: if a relation's rotation is small, distance alone makes it likely.
	Itself bool `json:"itself,omitempty"`
}

// Answer is the answer to a query: its set, what lies just outside, and which facts of the graph are missed. A cut
// decides which new answers are in the set. Known answers are always members.
type Answer struct {
	Head      string           `json:"head"` // label, or Unknown
	Relation  string           `json:"relation"`
	Tail      string           `json:"tail"` // label, or Unknown
	Query     kg.Query         `json:"-"`
	Cut       string           `json:"cut_name"`            // Options.Cut, or TailCut
	CutSlack  float32          `json:"cut_slack,omitempty"` // Options.Slack, by which the threshold is moved
	Among     Among            `json:"among,omitempty"`     // Options.AmongName
	Criterion sphere.Criterion `json:"criterion"`           // that computes the values
	Threshold float32          `json:"cut"`                 // no value of a new answer exceeds it; every smaller one is in the set
	Note      string           `json:"note,omitempty"`      // a note that the query may be the wrong way round, see Retriever.Note

	Set    []Member `json:"set"`    // by value, then depth, then id; of new and of known ones at most Options.Limit each
	Near   []Member `json:"near"`   // the best entities outside the set, in the same order
	Missed []Member `json:"missed"` // held-out facts outside the set, in the same order

	Counts         // of the set, whatever the limit
	KnownInSet int `json:"known_in_set"` // known answers that the cut has too
	AllKnown   int `json:"all_known"`    // known answers: Known
	AllHeldOut int `json:"all_held_out"` // held-out answers, in the set or not

	// Depths are values without a lower bound, by entity id. Inside a sphere all values are 0; depths still distinguish
	// which entity is deeper.
	Depths []float32 `json:"-"`
	Slacks []float32 `json:"-"` // of every entity by id; NaN where the value is NaN
}

// Answer answers q. Entities whose value is NaN are neither in the set nor near it. It returns ctx's error, or an error
// if q has ids that the graph does not have.
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
		Query: q, Cut: r.cutOf(q), CutSlack: r.options.Slack, Among: r.options.AmongName,
		Criterion: r.options.Criterion, Threshold: border.threshold,
		Slacks: slacks(border, w.values, nil),
		Depths: slices.Clone(w.order()),
		Note:   r.Note(q),
	}
	if q.Side == kg.HeadSide {
		a.Tail = r.graph.Label(q.Known)
	} else {
		a.Head = r.graph.Label(q.Known)
	}
	facts := r.facts(q)
	a.AllKnown, a.AllHeldOut = r.countFacts(q, facts)
	missed := slices.DeleteFunc(facts, func(e int32) bool { return border.holds(w.values[e], e) })
	byValue(missed, w.order())
	known := func(e int32) bool { return r.Mark(q.Triple(e)) == Known }
	set := slices.Clone(entitiesOf(w.sort(border)))
	for _, e := range missed {
		if known(e) {
			set = append(set, e)
		}
	}
	missed = slices.DeleteFunc(missed, known)
	a.Set = r.members(q, w, border, set)
	a.Near = r.members(q, w, border, entitiesOf(w.smallest(r.options.NearMisses, func(value float32, e int32) bool {
		return !border.holds(value, e) && !border.bars(e) && !known(e)
	})))
	for _, m := range a.Set {
		if a.Add(m.Mark); m.Known && m.Slack >= 0 {
			a.KnownInSet++
		}
	}
	if limit := r.options.Limit; limit > 0 {
		listed := map[bool]int{} // by known
		a.Set = slices.DeleteFunc(a.Set, func(m Member) bool {
			listed[m.Known]++
			return listed[m.Known] > limit
		})
	}
	a.Missed = r.members(q, w, border, missed)
	return a, r.estimateMembers(ctx, q, a.Set, a.Near, a.Missed)
}

// Members are entities as answers to a query.
type Members []Member

// Names returns the names of the entities, in their order.
func (m Members) Names() []string {
	names := make([]string, len(m))
	for i := range m {
		names[i] = m[i].Name
	}
	return names
}

// Names returns the names of the set, in its order: known and new answers.
func (a *Answer) Names() []string { return Members(a.Set).Names() }

// Above returns the new answers, held out and inferred, whose probability is p or more, the most probable ones first:
// those of Set and of Near. Without Options.Probabilities, no answer has a probability and none is returned.
func (a *Answer) Above(p float64) Members {
	var above Members
	for _, m := range slices.Concat(a.Set, a.Near) {
		if m.Probability != nil && *m.Probability >= p {
			above = append(above, m)
		}
	}
	slices.SortStableFunc(above, func(a, b Member) int { return cmp.Compare(*b.Probability, *a.Probability) })
	return above
}

// facts returns q's answers in all splits, ascending.
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
	gamma := r.scores(w, q, w.dist)
	for i, e := range ids {
		t := q.Triple(e)
		mark := r.member(t, b.holds(w.values[e], e))
		list[i] = Member{
			Entity: e, Name: r.graph.Entities.Name(e), Label: r.graph.Label(e),
			Distance: w.dist[e], Value: w.values[e], Score: gamma - w.scores[e], Slack: b.slack(w.values[e], e),
			Mark: mark, Known: mark == Known, Splits: r.splitsOf(t),
			Itself: e == q.Known && r.Itself(q), LeftOut: mark != Known && b.among != nil && !b.among[e],
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
