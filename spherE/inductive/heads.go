package inductive

import (
	"github.com/spherelab/spherelab/spherE/kg"
)

// Heads is how a model asks for heads. (?, r, t) asks for what the inverse of r leads to from t. The representations of
// relations are those for one asked relation.
type Heads string

// The ways to ask for heads. None is best on every graph: of the public weights on validation facts, Inverse has an MRR
// of heads of .67 on nations where Direct has .45, but .18 on the bundled graph where that has .25.
const (
	Inverse Heads = "inverse" // representations for the inverse of r
	Direct  Heads = "direct"  // representations for r, as in the authors' program
	Both    Heads = "both"    // the mean of both scores, for twice the work
)

// AllHeads lists the ways to ask for heads.
func AllHeads() []Heads { return []Heads{Inverse, Direct, Both} }

// tunedHeads returns the way by which a Tuner asks.
func (h Heads) tunedHeads() Heads {
	if h == Both {
		return Inverse
	}
	return h
}

// askedFor returns the kind of edge that a query asks for, and the kind that representations are for.
func askedFor(q kg.Query, relations int, h Heads) (asked, of int32) {
	if q.Side != kg.HeadSide {
		return q.Relation, q.Relation
	}
	asked = q.Relation + int32(relations)
	if h == Direct {
		return asked, q.Relation
	}
	return asked, asked
}
