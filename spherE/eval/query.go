package eval

import (
	"cmp"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/kg"
)

// query is one distinct query of the evaluated split.
type query struct {
	kg.Query
	own   []int32 // ascending: the answer of each of the split's triples that ask this query
	truth []int32 // ascending: the answers in all ground-truth splits
	known []int32 // ascending: the answers in the known splits, a subset of truth
}

// Places in answers, and in count.of.
const (
	trueAnswers = iota
	knownAnswers
	ownAnswers
)

// answers are the lists whose members are counted in every set.
func (q *query) answers() [3][]int32 { return [3][]int32{q.truth, q.known, q.own} }

// distinct returns the distinct head queries of the triples, then the distinct tail queries, each ordered by relation
// and known entity. Neighbours share a relation, which makes a model faster. The order depends on the graph alone.
func distinct(split []kg.Triple, truth, known *kg.Index) []query {
	var all []query
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		sorted := slices.Clone(split)
		slices.SortFunc(sorted, func(a, b kg.Triple) int {
			qa, qb := a.Query(side), b.Query(side)
			return cmp.Or(
				cmp.Compare(qa.Relation, qb.Relation),
				cmp.Compare(qa.Known, qb.Known),
				cmp.Compare(a.Answer(side), b.Answer(side)))
		})
		own := make([]int32, len(sorted))
		for i, t := range sorted {
			own[i] = t.Answer(side)
		}
		for lo := 0; lo < len(sorted); {
			q := sorted[lo].Query(side)
			hi := lo + 1
			for hi < len(sorted) && sorted[hi].Query(side) == q {
				hi++
			}
			all = append(all, query{Query: q, own: own[lo:hi:hi], truth: truth.Answers(q), known: known.Answers(q)})
			lo = hi
		}
	}
	return all
}

// countSides counts the head queries and the tail queries; distinct puts the head queries first.
func countSides(all []query) [2]int {
	heads, _ := slices.BinarySearchFunc(all, kg.TailSide, func(q query, side kg.Side) int {
		return cmp.Compare(q.Side, side)
	})
	return [2]int{heads, len(all) - heads}
}

// sample returns n queries of each side in their order, or all of a side if n is 0 or the side has fewer. Every query
// is equally likely. The same queries are always drawn.
func sample(all []query, n int) []query {
	var chosen []query
	lo := 0
	for side, total := range countSides(all) {
		for _, at := range draw.Sample(side, total, n) {
			chosen = append(chosen, all[lo+int(at)])
		}
		lo += total
	}
	return chosen
}
