// Package evidence says what supports a fact, as facts of the graph by name: rules that lead to it, similar entities of
// which the same is known, and paths that carried a score. Packages that count or pass messages find the reasons; this
// one words them.
package evidence

import (
	"cmp"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Evidence is what supports one fact.
type Evidence struct {
	Source Source `json:"source"`
	// Probability of the fact by its model where the training split does not hold the fact itself. It is nil where the
	// run has no probabilities, and where its model does not read the graph when it answers.
	Probability *float64 `json:"probability,omitempty"`
	WithoutAll  *float64 `json:"without_all,omitempty"` // the same where no fact of Reasons is known either
	Reasons     []Reason `json:"reasons"`
	Notes       []string `json:"notes,omitempty"` // what the numbers leave out
}

// Source is what reads the facts.
type Source string

// The sources.
const (
	FromModel Source = "model" // the model, or one of those that a stack combines, answers by these facts
	// A network passes messages along the facts. Paths are its own; the other reasons are counted apart from it.
	FromNetwork Source = "network"
	FromGraph   Source = "graph" // the model reads no facts; these are counted in the graph, apart from it
)

// Kind is how a reason supports a fact.
type Kind string

// The kinds of reasons, in the order in which they are shown.
const (
	Path      Kind = "path"      // the facts along which a network's messages carried the score
	Rule      Kind = "rule"      // where facts like these hold, the fact often holds
	Neighbour Kind = "neighbour" // the same is known of a similar entity
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Path, Rule, Neighbour} }

// Reason is one thing that supports a fact.
type Reason struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // in words, see Name
	// Confidence of a rule, smoothed; similarity of a neighbour, the cosine of what the two have in common; share of a
	// path in the weight of all that were found.
	Confidence float64 `json:"confidence"`
	Support    int     `json:"support,omitempty"` // of a rule: the cases in which it is right
	Cases      int     `json:"cases,omitempty"`   // of a rule: the cases in which it says something

	// Facts of the training split. Those up to Premise are what is known of the fact's own entities. What follows are
	// further paths of the same form or through the same entities, or the cases in which a rule without a path is
	// right.
	Facts     []Fact   `json:"facts"`
	Premise   int      `json:"premise"`
	More      int      `json:"more,omitempty"` // further paths or cases, which Facts leaves out
	Neighbour *Similar `json:"neighbour,omitempty"`

	Without *float64 `json:"without,omitempty"` // Evidence.Probability if none of Facts is known
}

// Fact is a fact by the labels of the graph.
type Fact struct {
	kg.Triple `json:"-"`
	Head      string `json:"head"`
	Relation  string `json:"relation"`
	Tail      string `json:"tail"`
}

// Similar is an entity that is similar to one of the fact's.
type Similar struct {
	Entity int32    `json:"-"`
	Like   int32    `json:"-"` // the entity of the fact
	Name   string   `json:"entity"`
	To     string   `json:"similar_to"`
	Shared []Shared `json:"shared"` // the greatest share of the similarity first
}

// Shared is what two entities have in common in one relation.
type Shared struct {
	RelationID int32    `json:"-"`
	Relation   string   `json:"relation"`
	AsTail     bool     `json:"as_tail"` // the two are tails of the relation
	Count      int      `json:"count"`
	Of         int      `json:"of"`     // that the neighbour has
	Rarest     []int32  `json:"-"`      // of what they share, at most 3
	Names      []string `json:"rarest"` // the same by label
	Weight     float64  `json:"-"`
}

// Removed returns the facts of some reasons, each once, sorted.
func Removed(reasons ...Reason) []kg.Triple {
	var all []kg.Triple
	for _, r := range reasons {
		for _, f := range r.Facts {
			all = append(all, f.Triple)
		}
	}
	slices.SortFunc(all, compare)
	return slices.Compact(all)
}

func compare(a, b kg.Triple) int {
	return cmp.Or(cmp.Compare(a.Head, b.Head), cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Tail, b.Tail))
}

// Of returns the reasons of a kind.
func (e *Evidence) Of(k Kind) (list []Reason) {
	for _, r := range e.Reasons {
		if r.Kind == k {
			list = append(list, r)
		}
	}
	return list
}
