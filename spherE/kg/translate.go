package kg

import (
	"fmt"
	"slices"
)

// Translated are the triples of one graph with the ids of another one.
type Translated struct {
	Facts []Triple // in no split of the other graph, each once
	From  []int    // parallel to Facts: the place among the training, validation and test triples of the first graph
	Left  []LeftFact
}

// LeftFact is a fact that cannot be asked about, or that a graph has already.
type LeftFact struct {
	Head     string     `json:"head"`
	Relation string     `json:"relation"`
	Tail     string     `json:"tail"`
	Reason   LeftReason `json:"reason"`
}

// String returns the names of the fact.
func (f LeftFact) String() string { return fmt.Sprintf("%s %s %s", f.Head, f.Relation, f.Tail) }

// LeftReason is why a fact is left out.
type LeftReason string

// The reasons, in the order in which they are looked for.
const (
	LeftUnknownEntity   LeftReason = "unknown entity"
	LeftUnknownRelation LeftReason = "unknown relation"
	LeftTrain           LeftReason = "in training"
	LeftValid           LeftReason = "in validation"
	LeftTest            LeftReason = "in test"
	LeftRepeated        LeftReason = "repeated" // the same fact by a label instead of its name
)

// LeftReasons lists the reasons in their order.
func LeftReasons() []LeftReason {
	return []LeftReason{LeftUnknownEntity, LeftUnknownRelation, LeftTrain, LeftValid, LeftTest, LeftRepeated}
}

// Translate finds the triples of another graph in g, by names, then by labels. A name that g does not have as a name
// and that several of its labels are is an *AmbiguousError.
func (g *Graph) Translate(other *Graph) (*Translated, error) {
	entities, err := g.entities().ids(other.Entities)
	if err != nil {
		return nil, err
	}
	relations, err := g.relations().ids(other.Relations)
	if err != nil {
		return nil, err
	}
	t := &Translated{}
	seen := map[Triple]bool{}
	for place, x := range slices.Concat(other.Train, other.Valid, other.Test) {
		fact := Triple{entities[x.Head], relations[x.Relation], entities[x.Tail]}
		reason := g.leftReason(fact)
		if reason == "" && seen[fact] {
			reason = LeftRepeated
		}
		if reason != "" {
			t.Left = append(t.Left, LeftFact{other.Entities.Name(x.Head), other.Relations.Name(x.Relation),
				other.Entities.Name(x.Tail), reason})
			continue
		}
		seen[fact] = true
		t.Facts, t.From = append(t.Facts, fact), append(t.From, place)
	}
	return t, nil
}

// leftReason returns why a fact, whose unknown ids are -1, is left out; "" if it is not.
func (g *Graph) leftReason(fact Triple) LeftReason {
	switch {
	case fact.Head < 0 || fact.Tail < 0:
		return LeftUnknownEntity
	case fact.Relation < 0:
		return LeftUnknownRelation
	}
	for s, reason := range [...]LeftReason{Train: LeftTrain, Valid: LeftValid, Test: LeftTest} {
		if g.Index(Split(s)).Has(fact) {
			return reason
		}
	}
	return ""
}

// ids returns the id of each name by its id in other; -1 where there is none.
func (v labelled) ids(other *Vocabulary) ([]int32, error) {
	labels := make(map[string]int32, len(v.labels)) // -1 for a label of several
	for id, label := range v.labels {
		if _, several := labels[label]; several {
			labels[label] = -1
		} else if label != "" {
			labels[label] = int32(id)
		}
	}
	ids := make([]int32, other.Len())
	for k := range ids {
		name := other.Name(int32(k))
		id, ok := v.names.ID(name)
		if !ok {
			if id, ok = labels[name]; ok && id < 0 {
				_, err := v.find(name)
				return nil, err
			}
		}
		if ids[k] = id; !ok {
			ids[k] = -1
		}
	}
	return ids, nil
}

// IndexWith returns an index of the triples of all splits and others.
func (g *Graph) IndexWith(others []Triple) *Index {
	return newIndex(g.Entities.Len(), g.Relations.Len(), g.Train, g.Valid, g.Test, others)
}
