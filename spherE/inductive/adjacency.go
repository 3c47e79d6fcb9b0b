package inductive

import (
	"fmt"
	"math"

	"github.com/spherelab/spherelab/spherE/kg"
)

// adjacency lists the edges of a graph by the node that they lead to: those of node d are places start[d] to
// start[d+1]-1 of source and kind. Their order is the order of sums.
type adjacency struct {
	start        []int32 // nodes + 1
	source, kind []int32
}

func (a *adjacency) nodes() int { return len(a.start) - 1 }

// edges returns how many edges lead to node d.
func (a *adjacency) edges(d int32) int { return int(a.start[d+1] - a.start[d]) }

// newAdjacency returns the graph of entities. A fact (h, r, t) is two edges: from t to h of kind r, and from h to t of
// the inverse relation, kind r + relations. An entity's facts as a head come first; both follow the order of facts.
func newAdjacency(entities, relations int, facts []kg.Triple) (*adjacency, error) {
	if len(facts) > math.MaxInt32/2 || relations > math.MaxInt32/2 {
		return nil, fmt.Errorf("inductive: %d facts and %d relations are too many", len(facts), relations)
	}
	a := &adjacency{start: make([]int32, entities+1), source: make([]int32, 2*len(facts)),
		kind: make([]int32, 2*len(facts))}
	for _, t := range facts {
		a.start[t.Head+1]++
		a.start[t.Tail+1]++
	}
	for e := range entities {
		a.start[e+1] += a.start[e]
	}
	next := append([]int32(nil), a.start[:entities]...)
	add := func(to, from, kind int32) {
		a.source[next[to]], a.kind[next[to]] = from, kind
		next[to]++
	}
	for _, t := range facts {
		add(t.Head, t.Tail, t.Relation)
	}
	for _, t := range facts {
		add(t.Tail, t.Head, t.Relation+int32(relations))
	}
	return a, nil
}

// The ways in which two relations a and b meet: an entity is a head of both, a tail of both, a head of a and a tail of
// b, or a tail of a and a head of b. An edge leads from b to a.
const (
	headHead = iota
	tailTail
	headTail
	tailHead
	meetings
)

// newRelationGraph returns the graph of relations, including inverse ones: its nodes are the kinds of entities' edges.
// Every way in which two relations meet, or one meets itself, is one edge, whatever the number of entities that share
// it. Edges of a node are ordered by kind, then source.
func newRelationGraph(entities *adjacency, relations int) (*adjacency, error) {
	nodes := 2 * relations
	inverse := func(r int32) int32 {
		if int(r) < relations {
			return r + int32(relations)
		}
		return r - int32(relations)
	}
	// An entity is a head of the kinds of its edges, and a tail of their inverses.
	heads, owners := headsOf(entities, nodes)
	// shared appends the relations that have a head which a has, ascending.
	mark, round := make([]int32, nodes), int32(0)
	shared := func(a int32) (list []int32) {
		round++
		for _, e := range owners.source[owners.start[a]:owners.start[a+1]] {
			for _, b := range heads.source[heads.start[e]:heads.start[e+1]] {
				mark[b] = round
			}
		}
		for b, m := range mark {
			if m == round {
				list = append(list, int32(b))
			}
		}
		return list
	}
	g := &adjacency{start: make([]int32, 1, nodes+1)}
	for a := range int32(nodes) {
		asHead, asTail := shared(a), shared(inverse(a))
		for kind := range int32(meetings) {
			with, turned := asHead, false
			switch kind {
			case tailTail:
				with, turned = asTail, true
			case headTail:
				turned = true
			case tailHead:
				with = asTail
			}
			if turned {
				with = turnedBy(with, inverse, relations)
			}
			for _, b := range with {
				g.source, g.kind = append(g.source, b), append(g.kind, kind)
			}
		}
		if len(g.source) > math.MaxInt32 {
			return nil, fmt.Errorf("inductive: the %d relations meet in too many ways", relations)
		}
		g.start = append(g.start, int32(len(g.source)))
	}
	return g, nil
}

// turnedBy returns the inverses of ascending relations, ascending.
func turnedBy(list []int32, inverse func(int32) int32, relations int) []int32 {
	turned := make([]int32, 0, len(list))
	for _, wanted := range []bool{true, false} { // inverse relations become plain ones, which come first
		for _, b := range list {
			if int(b) >= relations == wanted {
				turned = append(turned, inverse(b))
			}
		}
	}
	return turned
}

// headsOf returns the distinct kinds of the edges of every entity, and the entities that have each kind. Both are
// ascending; kind is nil.
func headsOf(entities *adjacency, nodes int) (heads, owners *adjacency) {
	n := entities.nodes()
	owners = &adjacency{start: make([]int32, nodes+1)}
	mark := make([]int32, nodes)
	each := func(do func(e, r int32)) {
		for i := range mark {
			mark[i] = -1
		}
		for e := range int32(n) {
			for _, r := range entities.kind[entities.start[e]:entities.start[e+1]] {
				if mark[r] != e {
					mark[r] = e
					do(e, r)
				}
			}
		}
	}
	each(func(_, r int32) { owners.start[r+1]++ })
	for r := range nodes {
		owners.start[r+1] += owners.start[r]
	}
	owners.source = make([]int32, owners.start[nodes])
	next := append([]int32(nil), owners.start[:nodes]...)
	each(func(e, r int32) {
		owners.source[next[r]] = e
		next[r]++
	})
	heads = &adjacency{start: make([]int32, n+1), source: make([]int32, len(owners.source))}
	for _, e := range owners.source {
		heads.start[e+1]++
	}
	for e := range n {
		heads.start[e+1] += heads.start[e]
	}
	next = append(next[:0], heads.start[:n]...)
	for r := range int32(nodes) {
		for _, e := range owners.source[owners.start[r]:owners.start[r+1]] {
			heads.source[next[e]] = r
			next[e]++
		}
	}
	return heads, owners
}
