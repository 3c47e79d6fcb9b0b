package inductive

import (
	"cmp"
	"context"
	"slices"

	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/kg"
)

// What bounds the search for paths, and what it returns.
const (
	pathEdges   = 6  // of a path
	pathBeam    = 10 // paths of a length that are kept at an entity
	pathReasons = 5
	leastOfBest = .2 // of the weight of the best path
)

// Paths returns the paths between head and tail that carried the score of a fact, which the graph of the models should
// not hold, those of greatest weight first and without texts. There are at most five, none of less than a fifth of the
// best one's weight and none whose facts are all among those of better ones. Paths through the same entities are one
// reason: the best of them, then the others.
//
// The weight of a path follows Zhu et al., "Neural Bellman-Ford Networks" (NeurIPS 2021): the importance of an edge in
// a layer is the slope of the score by the edge's weight. The weight of a path is the geometric mean of its edges in
// ascending layers, not their mean, so that every edge raises the score. A row that stays where it is between two edges
// costs nothing; the layers are those of greatest weight. No path has more than six edges or passes an entity twice.
// The weight is the mean over the tail query, the head query and the models. The confidence of a reason is its share in
// the weight of all paths that were found. When ctx ends, Paths returns its error.
func Paths(ctx context.Context, of kg.Triple, models ...*Model) ([]evidence.Reason, error) {
	if of.Head == of.Tail {
		return nil, nil
	}
	var all []*passing
	for _, m := range models {
		list, err := m.passings(ctx, of, 1/float64(len(models)))
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	routes, err := weigh(ctx, all, of.Head, pathBeam)
	if err != nil {
		return nil, err
	}
	return reasons(routes, of.Head), nil
}

// route is a path from the head of a fact to its tail.
type route struct {
	facts  []kg.Triple
	weight float64
}

// weigh returns the paths that the beams of queries find with a weight above 0, the greatest first.
func weigh(ctx context.Context, all []*passing, head int32, width int) (list []route, err error) {
	var found [][]kg.Triple
	for _, p := range all {
		paths, err := newBeam(p, width).search(ctx)
		if err != nil {
			return nil, err
		}
		for _, facts := range paths {
			if p.known != head {
				slices.Reverse(facts)
			}
			found = append(found, facts)
		}
	}
	slices.SortFunc(found, compareFacts)
	for _, facts := range slices.CompactFunc(found, slices.Equal) {
		r := route{facts: facts}
		for _, p := range all {
			r.weight += float64(p.share * p.weight(facts, head))
		}
		if r.weight > 0 {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b route) int { return cmp.Compare(b.weight, a.weight) })
	return list, nil
}

func compareFacts(a, b []kg.Triple) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), slices.CompareFunc(a, b, func(x, y kg.Triple) int {
		return cmp.Or(cmp.Compare(x.Head, y.Head), cmp.Compare(x.Relation, y.Relation), cmp.Compare(x.Tail, y.Tail))
	}))
}

// weight returns the geometric mean of the importance of the edges of a path from head in the best ascending layers, 0
// if one is not above 0.
func (p *passing) weight(facts []kg.Triple, head int32) float64 {
	if p.known != head {
		facts = slices.Clone(facts)
		slices.Reverse(facts)
	}
	places, at := make([]int32, len(facts)), p.known
	for i, f := range facts {
		places[i], at = p.place(f, at)
	}
	best := make([]float64, len(facts)+1) // by the number of edges so far
	best[0] = 1
	for _, importance := range p.importance {
		for n := len(facts); n > 0; n-- {
			best[n] = max(best[n], float64(best[n-1]*float64(importance[places[n-1]])))
		}
	}
	product := best[len(facts)]
	if product == 0 {
		return 0
	}
	return exact.Exp(exact.Log(product) / float64(len(facts)))
}

// place returns the place of the edge of a fact that comes from an entity, and the entity that it leads to.
func (p *passing) place(f kg.Triple, from int32) (place, to int32) {
	to = f.Head + f.Tail - from
	for i := p.edges.start[to]; i < p.edges.start[to+1]; i++ {
		if p.edges.source[i] == from && p.fact(i, to) == f {
			return i, to
		}
	}
	panic("inductive: the fact is not an edge")
}

// fact returns the fact of an edge that leads to an entity.
func (p *passing) fact(place, to int32) kg.Triple {
	from, kind := p.edges.source[place], p.edges.kind[place]
	if kind < p.relations {
		return kg.Triple{Head: to, Relation: kind, Tail: from}
	}
	return kg.Triple{Head: from, Relation: kind - p.relations, Tail: to}
}

// through returns the entities of a path from head.
func (r route) through(head int32) []int32 {
	list := []int32{head}
	for i, f := range r.facts {
		list = append(list, f.Head+f.Tail-list[i])
	}
	return list
}

// reasons returns the paths from head that are shown. list is by weight.
func reasons(list []route, head int32) (shown []evidence.Reason) {
	sum := 0.0
	var all []evidence.Reason
	var ways [][]int32
	for _, r := range list {
		sum += r.weight
		way := r.through(head)
		at := slices.IndexFunc(ways, func(x []int32) bool { return slices.Equal(x, way) })
		if at < 0 {
			at = len(all)
			all = append(all, evidence.Reason{Kind: evidence.Path, Premise: len(r.facts)})
			ways = append(ways, way)
		}
		all[at].Confidence += r.weight
		for _, f := range r.facts {
			all[at].Facts = append(all[at].Facts, evidence.Fact{Triple: f})
		}
	}
	slices.SortStableFunc(all, func(a, b evidence.Reason) int { return cmp.Compare(b.Confidence, a.Confidence) })
	named := map[kg.Triple]bool{}
	for _, r := range all {
		if len(shown) == pathReasons || r.Confidence < leastOfBest*all[0].Confidence {
			break
		}
		fresh := false
		for _, f := range r.Facts {
			fresh = fresh || !named[f.Triple]
			named[f.Triple] = true
		}
		if fresh {
			shown = append(shown, r)
		}
	}
	for i := range shown {
		shown[i].Confidence /= sum
	}
	return shown
}
