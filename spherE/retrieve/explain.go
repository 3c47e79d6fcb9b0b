package retrieve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Explanation says how a model sees one fact.
type Explanation struct {
	Triple   kg.Triple `json:"-"`
	Head     string    `json:"head"` // labels
	Relation string    `json:"relation"`
	Tail     string    `json:"tail"`

	Distance   float32          `json:"distance"`  // between the rotated head and the tail
	HasRadii   bool             `json:"has_radii"` // false: the model's entities are points, the radii are 0
	HeadRadius float32          `json:"head_radius"`
	TailRadius float32          `json:"tail_radius"`
	Gamma      float64          `json:"gamma"` // margin of the training loss
	Criterion  sphere.Criterion `json:"criterion"`

	Known   bool     `json:"known"`            // the fact is in the graph
	Splits  []string `json:"splits,omitempty"` // in which
	Verdict string   `json:"verdict"`          // in words

	AsTail Position `json:"as_tail"` // the tail as an answer to (head, relation, ?)
	AsHead Position `json:"as_head"` // the head as an answer to (?, relation, tail)
}

// Position is where an entity stands among the answers to one query.
type Position struct {
	Query    kg.Query `json:"-"`
	Distance float32  `json:"distance"`
	Value    float32  `json:"value"`
	Cut      float32  `json:"cut"`
	Slack    float32  `json:"slack"`     // cut - value
	InSet    bool     `json:"in_set"`    // value <= cut
	SetSize  int      `json:"set_size"`  // entities in the query's answer set
	Before   int      `json:"before"`    // entities with a smaller value
	AllKnown int      `json:"all_known"` // known answers of the query, this entity included if it is one

	// Known answers of the query, without the entity itself: the ones of smallest value, and the ones whose
	// value is closest to the entity's, closest first.
	Nearest []Answer `json:"nearest"`
	Similar []Answer `json:"similar"`
}

// Explain explains the fact t, known or not. The error is ctx's, or says that t has ids that the graph does
// not have.
func (r *Retriever) Explain(ctx context.Context, t kg.Triple) (*Explanation, error) {
	if err := r.check(t.Relation, t.Head, t.Tail); err != nil {
		return nil, err
	}
	x := &Explanation{
		Triple:   t,
		Head:     r.graph.Label(t.Head),
		Relation: r.graph.Relations.Name(t.Relation),
		Tail:     r.graph.Label(t.Tail),

		HasRadii:  r.model.HasRadii(),
		Gamma:     r.model.Settings().Gamma,
		Criterion: r.options.Criterion,
		Splits:    r.splitsOf(t),
	}
	if x.HasRadii {
		x.HeadRadius, x.TailRadius = r.model.Radius(t.Head), r.model.Radius(t.Tail)
	}
	x.Known = len(x.Splits) > 0
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
	}
	x.Distance = x.AsTail.Distance
	x.Verdict = x.verdict()
	return x, nil
}

func (r *Retriever) position(q kg.Query, entity int32) Position {
	w, cut := r.measure(q)
	defer r.rows.Put(w)
	value := w.values[entity]
	p := Position{Query: q, Distance: w.dist[entity], Value: value, Cut: cut, Slack: cut - value, InSet: value <= cut}
	for _, v := range w.values {
		if v <= cut {
			p.SetSize++
		}
		if v < value || (value != value && v == v) {
			p.Before++
		}
	}
	known := r.knownAnswers(q)
	p.AllKnown = len(known)
	others := slices.DeleteFunc(known, func(e int32) bool { return e == entity })
	shown := min(r.options.Neighbours, len(others))

	byValue(others, w.values)
	p.Nearest = r.list(q, w, cut, others[:shown])

	gap := func(e int32) float32 {
		if d := w.values[e] - value; d < 0 {
			return -d
		} else {
			return d
		}
	}
	slices.SortFunc(others, func(a, b int32) int { return compareBy(gap(a), gap(b), a, b) })
	p.Similar = r.list(q, w, cut, others[:shown])
	return p
}

// verdict says in a sentence or two what the numbers mean.
func (x *Explanation) verdict() string {
	var b strings.Builder
	fact := fmt.Sprintf("%s %s %s", x.Head, x.Relation, x.Tail)
	switch tail, head := x.AsTail.InSet, x.AsHead.InSet; {
	case tail && head:
		fmt.Fprintf(&b, "The model holds %q true, asked from either side", fact)
	case tail:
		fmt.Fprintf(&b, "The model holds %q true when the tail is asked for, but not when the head is", fact)
	case head:
		fmt.Fprintf(&b, "The model holds %q true when the head is asked for, but not when the tail is", fact)
	default:
		fmt.Fprintf(&b, "The model does not hold %q true, asked from either side", fact)
	}
	fmt.Fprintf(&b, " (slack %.3f as tail, %.3f as head). ", x.AsTail.Slack, x.AsHead.Slack)
	either := x.AsTail.InSet || x.AsHead.InSet
	switch {
	case x.Known && either:
		fmt.Fprintf(&b, "It is %s fact (%s).", x.kind(), strings.Join(x.Splits, ", "))
	case x.Known:
		fmt.Fprintf(&b, "Yet it is %s fact (%s): the model misses it.", x.kind(), strings.Join(x.Splits, ", "))
	case either:
		b.WriteString("It is not in the graph: the model infers it.")
	default:
		b.WriteString("It is not in the graph either.")
	}
	return b.String()
}

// kind tells facts that a model may be told of from those that only the test split holds.
func (x *Explanation) kind() string {
	if slices.Equal(x.Splits, []string{kg.Test.String()}) {
		return "a true"
	}
	return "a known"
}
