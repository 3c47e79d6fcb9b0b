// Package kg holds knowledge graphs: names, triples, the answers of a query,
// the loaders that read graphs from a folder and the checks that say what is
// wrong with one.
//
// Ids are 32-bit and dense. They are the ranks of the names in bytewise order,
// so that the order of the lines in a file never changes a number.
package kg

import "fmt"

// Triple is one fact: Head stands in Relation to Tail. All three are ids of
// the graph's vocabularies.
type Triple struct{ Head, Relation, Tail int32 }

// Split names a part of a graph.
type Split uint8

// The three parts of a graph.
const (
	Train Split = iota
	Valid
	Test
)

// Splits lists the three parts in their usual order.
func Splits() [3]Split { return [3]Split{Train, Valid, Test} }

// String gives "train", "valid" or "test".
func (s Split) String() string {
	switch s {
	case Train:
		return "train"
	case Valid:
		return "valid"
	case Test:
		return "test"
	}
	return fmt.Sprintf("split(%d)", uint8(s))
}

// Side says which entity of a triple a query asks for.
type Side uint8

const (
	// HeadSide asks for the head: (?, r, t).
	HeadSide Side = iota
	// TailSide asks for the tail: (h, r, ?).
	TailSide
)

// String gives "head" or "tail".
func (s Side) String() string {
	switch s {
	case HeadSide:
		return "head"
	case TailSide:
		return "tail"
	}
	return fmt.Sprintf("side(%d)", uint8(s))
}

// Query asks for all entities on Side that stand in Relation to Known.
type Query struct {
	Side     Side
	Known    int32 // the entity that is given
	Relation int32
}

// Query returns the query that asks for the triple's entity on side s.
func (t Triple) Query(s Side) Query {
	if s == HeadSide {
		return Query{Side: HeadSide, Known: t.Tail, Relation: t.Relation}
	}
	return Query{Side: TailSide, Known: t.Head, Relation: t.Relation}
}

// Answer returns the triple's own answer to Query(s).
func (t Triple) Answer(s Side) int32 {
	if s == HeadSide {
		return t.Head
	}
	return t.Tail
}

// Triple returns the fact that answer makes of the query.
func (q Query) Triple(answer int32) Triple {
	if q.Side == HeadSide {
		return Triple{Head: answer, Relation: q.Relation, Tail: q.Known}
	}
	return Triple{Head: q.Known, Relation: q.Relation, Tail: answer}
}

// compareTriples orders by head, then relation, then tail.
func compareTriples(a, b Triple) int {
	switch {
	case a.Head != b.Head:
		return compareIDs(a.Head, b.Head)
	case a.Relation != b.Relation:
		return compareIDs(a.Relation, b.Relation)
	}
	return compareIDs(a.Tail, b.Tail)
}

func compareIDs(a, b int32) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
