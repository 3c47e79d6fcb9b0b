package kg

import (
	"slices"

	"github.com/spherelab/spherelab/internal/quantity"
)

// Whole returns the graph whose training split has the triples of all splits, so that nothing is held out. Names and
// ids are the same.
func (g *Graph) Whole() *Graph {
	if g.divided != nil {
		return g
	}
	train, _ := sortTriples(slices.Concat(g.Train, g.Valid, g.Test), g.Entities.Len(), g.Relations.Len())
	whole := &Graph{Name: g.Name, Source: g.Source, Entities: g.Entities, Relations: g.Relations, Train: train,
		Distractors: g.Distractors, Labels: g.Labels, RelationLabels: g.RelationLabels, divided: g, types: g.types,
		Division: "all " + quantity.CountOf(len(train), "triple", "triples") + " are for training; none are held out"}
	for _, w := range g.Warnings {
		if w.Split == Train && w.Kind != ShortDivision && w.Kind != LeakyDivision {
			whole.Warnings = append(whole.Warnings, w)
		}
	}
	return whole
}

// Divided returns the graph that Whole was called on, and any other graph itself.
func (g *Graph) Divided() *Graph {
	if g.divided != nil {
		return g.divided
	}
	return g
}
