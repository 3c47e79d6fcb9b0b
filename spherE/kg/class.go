package kg

import (
	"cmp"
	"slices"
)

const (
	maxClasses = 3  // that describe a side of a relation
	leastClass = .1 // share of the entities on the side, at least
)

// classes are sets of entities: types, or without any the entities on each side of each relation.
type classes struct {
	graph  *Graph
	index  *Index
	typing *Typing
	size   []int     // by class
	of     [][]int32 // classes by entity, ascending
}

// newClasses collects the classes. Without types, class 2r+side has the entities on that side of relation r.
func newClasses(g *Graph, index *Index, typing *Typing) *classes {
	c := &classes{graph: g, index: index, typing: typing}
	if typing != nil {
		c.of, c.size = typing.Of, make([]int, len(typing.Names))
		for _, list := range c.of {
			for _, class := range list {
				c.size[class]++
			}
		}
		return c
	}
	c.of, c.size = make([][]int32, g.Entities.Len()), make([]int, 2*g.Relations.Len())
	for class := range c.size {
		entities := index.On(Side(class%2), int32(class/2))
		c.size[class] = len(entities)
		for _, e := range entities {
			c.of[e] = append(c.of[e], int32(class))
		}
	}
	return c
}

// Classes returns what most entities on a side of a relation are: types if entities have any, else what they are of
// other relations, see RelationSchema. nil if training has no fact of the relation.
func (g *Graph) Classes(sd Side, relation int32) []Class {
	return g.allClasses().describe(relation, sd)
}

func (g *Graph) allClasses() *classes {
	return g.classes.get(func() *classes { return newClasses(g, g.Index(Train), g.Typing()) })
}

// describe returns the classes of most entities on a side of a relation.
func (c *classes) describe(relation int32, sd Side) []Class {
	entities, count := c.index.On(sd, relation), map[int32]int{}
	for _, e := range entities {
		for _, class := range c.of[e] {
			count[class]++
		}
	}
	var found []int32
	for class, n := range count {
		itself := c.typing == nil && class == 2*relation+int32(sd)
		if !itself && mean(n, len(entities)) >= leastClass {
			found = append(found, class)
		}
	}
	alike := func(class int32) float64 { // shared entities, of those of either set
		return mean(count[class], len(entities)+c.size[class]-count[class])
	}
	slices.SortFunc(found, func(a, b int32) int { return cmp.Or(cmp.Compare(alike(b), alike(a)), cmp.Compare(a, b)) })
	list := make([]Class, min(len(found), maxClasses))
	for i := range list {
		class := found[i]
		list[i] = Class{Entities: count[class], Share: mean(count[class], len(entities)), Size: c.size[class]}
		if c.typing != nil {
			list[i].Type = c.typing.Names[class]
		} else {
			list[i].Relation, list[i].Side = c.graph.RelationLabel(class/2), Side(class%2).String()
		}
	}
	return list
}
