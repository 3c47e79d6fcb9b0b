package retrieve

import (
	"fmt"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Mark is what supports an answer. A larger mark means better support.
type Mark uint8

// The marks. Members of an answer set are Inferred, HeldOut or Known.
const (
	NotInGraph Mark = iota // outside the set, and no split holds the fact: the zero value
	Inferred               // in the set, and no split holds the fact
	HeldOut                // the test split alone holds the fact: it is true, and the model was trained without it
	Known                  // training or validation holds the fact
)

// String names the mark as text, JSON and CSV do.
func (m Mark) String() string {
	switch m {
	case NotInGraph:
		return "not in the graph"
	case Inferred:
		return "inferred"
	case HeldOut:
		return "held out"
	case Known:
		return "known"
	}
	return fmt.Sprintf("Mark(%d)", uint8(m))
}

// MarshalText returns String.
func (m Mark) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Counts counts the members of an answer set by their mark: Known + HeldOut + Inferred = Total.
type Counts struct {
	Total    int `json:"total"`
	Known    int `json:"known"`
	HeldOut  int `json:"held_out"`
	Inferred int `json:"inferred"`
}

// Add counts a member.
func (c *Counts) Add(m Mark) {
	c.Total++
	switch m {
	case Known:
		c.Known++
	case HeldOut:
		c.HeldOut++
	default:
		c.Inferred++
	}
}

// Mark returns which part of the graph holds a fact: Known, HeldOut or NotInGraph. It panics for ids that the graph
// does not have.
func (r *Retriever) Mark(t kg.Triple) Mark {
	switch {
	case r.splits[kg.Train].Has(t), r.splits[kg.Valid].Has(t):
		return Known
	case r.splits[kg.Test].Has(t):
		return HeldOut
	}
	return NotInGraph
}

// member returns the Mark of a fact, depending on whether its answer is in the set.
func (r *Retriever) member(t kg.Triple, inSet bool) Mark {
	m := r.Mark(t)
	if inSet {
		m = max(m, Inferred)
	}
	return m
}

// splitsOf names the splits that hold t, nil if none does.
func (r *Retriever) splitsOf(t kg.Triple) []string {
	var names []string
	for _, s := range kg.Splits() {
		if r.splits[s].Has(t) {
			names = append(names, s.String())
		}
	}
	return names
}

// Itself reports whether q's own entity is an unlikely answer to q: in no fact does the relation lead from it to
// itself, and in no training fact does it lead from any entity to itself.
func (r *Retriever) Itself(q kg.Query) bool {
	return !r.loops[q.Relation] && r.Mark(q.Triple(q.Known)) == NotInGraph
}
