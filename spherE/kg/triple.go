// Package kg implements knowledge graphs: names, triples, the index of answers, negative sampling, loading from files,
// and checks.
//
// Ids are 32-bit and dense. They are the ranks of the names in bytewise order, so the order of lines in a file changes
// no number.
package kg

import "fmt"

// Triple is one fact: (Head, Relation, Tail). All three are ids in the vocabularies of the graph.
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

// String returns "train", "valid" or "test".
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

// Side is which entity of a triple is the answer to a query.
type Side uint8

const (
	// HeadSide is the side of head queries: (?, r, t).
	HeadSide Side = iota
	// TailSide is the side of tail queries: (h, r, ?).
	TailSide
)

// String returns "head" or "tail".
func (s Side) String() string {
	switch s {
	case HeadSide:
		return "head"
	case TailSide:
		return "tail"
	}
	return fmt.Sprintf("side(%d)", uint8(s))
}

// Query asks for all entities on Side of the triples with Relation and Known.
type Query struct {
	Side     Side
	Known    int32 // the known entity
	Relation int32
}

// Query returns the query whose answers include the entity of the triple on side s.
func (t Triple) Query(s Side) Query {
	if s == HeadSide {
		return Query{Side: HeadSide, Known: t.Tail, Relation: t.Relation}
	}
	return Query{Side: TailSide, Known: t.Head, Relation: t.Relation}
}

// Answer returns the entity of the triple on side s.
func (t Triple) Answer(s Side) int32 {
	if s == HeadSide {
		return t.Head
	}
	return t.Tail
}

// Triple returns the triple of the query and an answer.
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
