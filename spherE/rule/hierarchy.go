package rule

import (
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// maxAncestors is the largest number of ancestors of an entity; the ones found first count.
const maxAncestors = 256

// hierarchy has the ancestors of entities.
type hierarchy struct {
	relations []bool // that are hierarchies
	parents   [][]int32
}

// newHierarchy joins the graph's hierarchies.
func newHierarchy(g *kg.Graph) *hierarchy {
	h := &hierarchy{relations: make([]bool, g.Relations.Len())}
	found := g.Hierarchies()
	for r, f := range found {
		if h.relations[r] = f != nil; f != nil && h.parents == nil {
			h.parents = make([][]int32, g.Entities.Len())
		}
	}
	for _, t := range g.Train {
		if f := found[t.Relation]; f != nil {
			child := t.Query(f.Up).Known
			h.parents[child] = append(h.parents[child], t.Answer(f.Up))
		}
	}
	for e := range h.parents {
		slices.Sort(h.parents[e])
		h.parents[e] = slices.Compact(h.parents[e])
	}
	return h
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
