package retrieve

import (
	"fmt"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Unknown stands for the asked entities in the text form of a query.
const Unknown = "?"

// ParseQuery reads HEAD RELATION '?' or '?' RELATION TAIL. Entities are given by name or label, relations by
// name; the error for one that is not in the graph offers the nearest names.
func ParseQuery(g *kg.Graph, head, relation, tail string) (kg.Query, error) {
	if (head == Unknown) == (tail == Unknown) {
		return kg.Query{}, fmt.Errorf("a query needs exactly one '?', as head or as tail: HEAD RELATION '?' or '?' RELATION TAIL; "+
			"got %q %q %q", head, relation, tail)
	}
	r, err := g.FindRelation(relation)
	if err != nil {
		return kg.Query{}, err
	}
	q := kg.Query{Side: kg.TailSide, Relation: r}
	known := head
	if head == Unknown {
		q.Side, known = kg.HeadSide, tail
	}
	if q.Known, err = g.FindEntity(known); err != nil {
		return kg.Query{}, err
	}
	return q, nil
}

// ParseTriple reads HEAD RELATION TAIL with names as in ParseQuery.
func ParseTriple(g *kg.Graph, head, relation, tail string) (kg.Triple, error) {
	var t kg.Triple
	var err error
	if t.Relation, err = g.FindRelation(relation); err != nil {
		return kg.Triple{}, err
	}
	if t.Head, err = g.FindEntity(head); err != nil {
		return kg.Triple{}, fmt.Errorf("head: %w", err)
	}
	if t.Tail, err = g.FindEntity(tail); err != nil {
		return kg.Triple{}, fmt.Errorf("tail: %w", err)
	}
	return t, nil
}
