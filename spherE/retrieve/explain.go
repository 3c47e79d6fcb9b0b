package retrieve

import (
	"context"
	"fmt"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Explanation is how a model sees one fact.
type Explanation struct {
	Triple   kg.Triple `json:"-"`
	Head     string    `json:"head"` // labels
	Relation string    `json:"relation"`
	Tail     string    `json:"tail"`

	Odds bool `json:"odds,omitempty"` // values are minus logarithms of odds: those of a stack or an inductive model
	// Counted is true if values are minus logarithms of the scores of a counted model.
	Counted    bool             `json:"counted,omitempty"`
	Distance   float32          `json:"distance"`  // between the rotated head and the tail
	HasRadii   bool             `json:"has_radii"` // false: the model's entities are points, the radii are 0
	HeadRadius float32          `json:"head_radius"`
	TailRadius float32          `json:"tail_radius"`
	Gamma      float64          `json:"gamma"`               // margin of the training loss
	Cut        string           `json:"cut_name"`            // Options.Cut
	CutSlack   float32          `json:"cut_slack,omitempty"` // Options.Slack, by which the threshold is moved
	Among      Among            `json:"among,omitempty"`     // Options.AmongName
	Criterion  sphere.Criterion `json:"criterion"`           // that computes the values

	// Probability of the fact and the range of its share, see Estimate; nil for known facts, and without Options.Facts.
	Probability *float64 `json:"probability,omitempty"`
	Low         *float64 `json:"probability_low,omitempty"`
	High        *float64 `json:"probability_high,omitempty"`
	Notes       []string `json:"notes,omitempty"` // that the fact may be the wrong way round, see Retriever.Note

	// Evidence has the facts that support the fact; nil without Options.Evidence.
	Evidence *evidence.Evidence `json:"evidence,omitempty"`

	Mark    Mark     `json:"mark"`             // as a member of the set of either query
	Known   bool     `json:"known"`            // Mark is Known
	Splits  []string `json:"splits,omitempty"` // that hold the fact
	Verdict string   `json:"verdict"`          // in words

	AsTail Position `json:"as_tail"` // the tail as an answer to the tail query (head, relation, ?)
	AsHead Position `json:"as_head"` // the head as an answer to the head query (?, relation, tail)
}

// Numbers are the names and texts of what the model knows of the fact: the distance of a geometric model with its radii
// and margin, the logarithms of odds of a stack, or of the scores of a
// counted model; then the cut.
func (x *Explanation) Numbers() (list [][2]string) {
	add := func(name string, number float32) {
		list = append(list, [2]string{name, fmt.Sprintf("%.3f", number)})
	}
	switch {
	case x.Odds:
		add("log odds as the tail", -x.AsTail.Value)
		add("log odds as the head", -x.AsHead.Value)
	case x.Counted:
		add("ln of the score as the tail", -x.AsTail.Value)
		add("ln of the score as the head", -x.AsHead.Value)
	default:
		if !isUnscored(x.Distance) {
			add("distance after rotation", x.Distance)
		}
		if x.HasRadii {
			add("radius of the head", x.HeadRadius)
			add("radius of the tail", x.TailRadius)
		}
		add("margin gamma", float32(x.Gamma))
	}
	return append(list, [2]string{"cut", cutText(x.Cut, x.CutSlack, x.Among)})
}

// Position is the place of an entity among the answers to one query.
type Position struct {
	Query      kg.Query `json:"-"`
	Distance   float32  `json:"distance"`
	Value      float32  `json:"value"`
	Threshold  float32  `json:"cut"`
	Slack      float32  `json:"slack"`        // threshold - value
	InSet      bool     `json:"in_set"`       // slack >= 0
	SetSize    int      `json:"set_size"`     // entities in the set of the cut
	Before     int      `json:"before"`       // entities with a smaller value, or the same and deeper inside
	AllKnown   int      `json:"all_known"`    // known answers of the query, this entity included if it is one
	AllHeldOut int      `json:"all_held_out"` // held-out answers of the query, this entity included if it is one

	// Facts of the graph that answer the query, without the entity itself: those of smallest value, and those whose
	// value is closest to the entity's, closest first; equal values by their depth.
	Nearest []Member `json:"nearest"`
	Similar []Member `json:"similar"`
}

// Explain explains the fact t, in the graph or not. The error is that of ctx or of Options.Evidence, or says that t has
// ids that the graph does not have.
func (r *Retriever) Explain(ctx context.Context, t kg.Triple) (*Explanation, error) {
	if err := r.check(t.Relation, t.Head, t.Tail); err != nil {
		return nil, err
	}
	x := &Explanation{
		Triple:   t,
		Head:     r.graph.Label(t.Head),
		Relation: r.graph.RelationLabel(t.Relation),
		Tail:     r.graph.Label(t.Tail),

		Odds:      r.odds(),
		Counted:   sphere.IsCounted(r.model.Settings().Model),
		HasRadii:  r.model.HasRadii(),
		Gamma:     r.model.Settings().Gamma,
		Cut:       r.CutName(),
		CutSlack:  r.options.Slack,
		Among:     r.options.AmongName,
		Criterion: r.options.Criterion,
		Splits:    r.splitsOf(t),
	}
	if x.HasRadii {
		x.HeadRadius, x.TailRadius = r.model.Radius(t.Head), r.model.Radius(t.Tail)
	}
	for _, side := range []kg.Side{kg.TailSide, kg.HeadSide} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := r.position(t.Query(side), t.Answer(side))
		if side == kg.TailSide {
			x.AsTail = p
		} else {
			x.AsHead = p
		}
		if note := r.Note(p.Query); note != "" {
			x.Notes = append(x.Notes, note)
		}
	}
	x.Distance = x.AsTail.Distance
	x.Mark = r.member(t, x.AsTail.InSet || x.AsHead.InSet)
	x.Known = x.Mark == Known
	var such string
	if !x.Known {
		estimates, err := r.Estimates(ctx, []kg.Triple{t})
		if err != nil {
			return nil, err
		}
		for _, e := range estimates {
			x.Probability, x.Low, x.High, such = &e.Probability, &e.Low, &e.High, e.Share()
		}
	}
	x.Verdict = x.verdict(such)
	if r.options.Evidence != nil {
		var err error
		if x.Evidence, err = r.options.Evidence(ctx, t); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// odds reports whether the model says that its values are minus logarithms of odds, as a stack does.
func (r *Retriever) odds() bool {
	m, ok := r.model.(interface{ LogOdds() bool })
	return ok && m.LogOdds()
}

func (r *Retriever) position(q kg.Query, entity int32) Position {
	w, border := r.measure(q)
	defer r.rows.Put(w)
	value := w.values[entity]
	p := Position{Query: q, Distance: w.dist[entity], Value: value, Threshold: border.threshold,
		Slack: border.slack(value, entity), InSet: border.holds(value, entity)}
	order := w.order()
	own := order[entity]
	for e, v := range w.values {
		if border.holds(v, int32(e)) {
			p.SetSize++
		}
		if d := order[e]; d < own || (own != own && d == d) {
			p.Before++
		}
	}
	facts := r.facts(q)
	p.AllKnown, p.AllHeldOut = r.countFacts(q, facts)
	others := slices.DeleteFunc(facts, func(e int32) bool { return e == entity })
	shown := min(listed, len(others))

	byValue(others, order)
	p.Nearest = r.members(q, w, border, others[:shown])

	gap := func(e int32) float32 { return max(order[e]-own, own-order[e]) }
	slices.SortFunc(others, func(a, b int32) int { return compareBy(gap(a), gap(b), a, b) })
	p.Similar = r.members(q, w, border, others[:shown])
	return p
}
