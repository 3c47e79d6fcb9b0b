package rule

import (
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// A relation is a hierarchy if its training facts lead through levels without circles.
const (
	hierarchyFacts = 10  // at least
	throughShare   = .25 // of the parents have a parent, at least
	circleShare    = .01 // of the entities are in a circle or below one, at most
	maxAncestors   = 256 // max ancestors of an entity; the ones found first count
)

// hierarchy has the ancestors of entities.
type hierarchy struct {
	relations []bool // that are hierarchies
	parents   [][]int32
}

// newHierarchy finds hierarchies. The parent is on the side with fewer entities per child.
func newHierarchy(g *kg.Graph) *hierarchy {
	index := g.Index(kg.Train)
	h := &hierarchy{relations: make([]bool, g.Relations.Len())}
	up := make([][][2]int32, g.Relations.Len()) // child, parent
	for _, t := range g.Train {
		pair := [2]int32{t.Head, t.Tail}
		if index.TailsPerHead(t.Relation) > index.HeadsPerTail(t.Relation) {
			pair = [2]int32{t.Tail, t.Head}
		}
		up[t.Relation] = append(up[t.Relation], pair)
	}
	for r, pairs := range up {
		if h.relations[r] = isHierarchy(pairs); !h.relations[r] {
			continue
		}
		if h.parents == nil {
			h.parents = make([][]int32, g.Entities.Len())
		}
		for _, p := range pairs {
			h.parents[p[0]] = append(h.parents[p[0]], p[1])
		}
	}
	for e := range h.parents {
		slices.Sort(h.parents[e])
		h.parents[e] = slices.Compact(h.parents[e])
	}
	return h
}

// isHierarchy reports whether pairs of child and parent form a hierarchy.
func isHierarchy(pairs [][2]int32) bool {
	if len(pairs) < hierarchyFacts {
		return false
	}
	children, open := map[int32][]int32{}, map[int32]int{} // children by parent; number of remaining parents by child
	for _, p := range pairs {
		children[p[1]] = append(children[p[1]], p[0])
		open[p[0]]++
	}
	through, tops := 0, []int32{}
	for _, p := range sortedKeys(children) {
		if open[p] > 0 {
			through++
		} else {
			tops = append(tops, p)
		}
	}
	if float64(through) < throughShare*float64(len(children)) {
		return false
	}
	entities := len(open) + len(tops)
	removed := 0
	for len(tops) > 0 {
		p := tops[len(tops)-1]
		tops = tops[:len(tops)-1]
		removed++
		for _, c := range children[p] {
			if open[c]--; open[c] == 0 {
				tops = append(tops, c)
			}
		}
	}
	return float64(entities-removed) <= circleShare*float64(entities)
}

// ancestors appends an entity's ancestors to list, which is empty. Each is added once, and the entity itself is not.
func (h *hierarchy) ancestors(e int32, list []int32) []int32 {
	if h.parents == nil {
		return list
	}
	list = append(list, e)
	for i := 0; i < len(list) && len(list) <= maxAncestors; i++ {
		for _, p := range h.parents[list[i]] {
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return append(list[:0], list[1:]...)
}

func sortedKeys[V any](m map[int32]V) []int32 {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
