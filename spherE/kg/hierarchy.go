package kg

import (
	"maps"
	"slices"
)

// A relation is a hierarchy if its training facts lead through levels without circles.
const (
	hierarchyFacts = 10  // at least
	throughShare   = .25 // of the parents have a parent, at least
	circleShare    = .01 // of the entities are in a circle or below one, at most
)

// Hierarchy describes a relation whose facts lead through levels without circles, such as part_of.
type Hierarchy struct {
	Up       Side   `json:"-"`        // of the parent: the side with fewer entities per child
	Parent   string `json:"parent"`   // Up as text
	Levels   int    `json:"levels"`   // entities on the longest way up
	Entities int    `json:"entities"` // on all levels
	Circular int    `json:"circular"` // of these, in a circle or below one
}

// Hierarchies returns by relation what its training facts form; nil for a relation that is none.
func (g *Graph) Hierarchies() []*Hierarchy {
	index := g.Index(Train)
	up, list := make([][][2]int32, g.Relations.Len()), make([]*Hierarchy, g.Relations.Len()) // child, parent
	side := func(r int32) Side {
		if index.TailsPerHead(r) > index.HeadsPerTail(r) {
			return HeadSide
		}
		return TailSide
	}
	for _, t := range g.Train {
		parent := side(t.Relation)
		up[t.Relation] = append(up[t.Relation], [2]int32{t.Query(parent).Known, t.Answer(parent)})
	}
	for r, pairs := range up {
		if list[r] = levels(pairs); list[r] != nil {
			list[r].Up, list[r].Parent = side(int32(r)), side(int32(r)).String()
		}
	}
	return list
}

// levels returns the hierarchy that pairs of child and parent form, nil if they form none.
func levels(pairs [][2]int32) *Hierarchy {
	if len(pairs) < hierarchyFacts {
		return nil
	}
	children, open := map[int32][]int32{}, map[int32]int{} // children by parent; number of remaining parents by child
	for _, p := range pairs {
		children[p[1]] = append(children[p[1]], p[0])
		open[p[0]]++
	}
	through, tops := 0, []int32{}
	for _, p := range slices.Sorted(maps.Keys(children)) {
		if open[p] > 0 {
			through++
		} else {
			tops = append(tops, p)
		}
	}
	if float64(through) < throughShare*float64(len(children)) {
		return nil
	}
	h := &Hierarchy{Entities: len(open) + len(tops)}
	removed, level := 0, map[int32]int{} // by entity: how many are above it on the longest way
	for len(tops) > 0 {
		p := tops[len(tops)-1]
		tops = tops[:len(tops)-1]
		removed++
		h.Levels = max(h.Levels, level[p]+1)
		for _, c := range children[p] {
			level[c] = max(level[c], level[p]+1)
			if open[c]--; open[c] == 0 {
				tops = append(tops, c)
			}
		}
	}
	if h.Circular = h.Entities - removed; float64(h.Circular) > circleShare*float64(h.Entities) {
		return nil
	}
	return h
}
