package explore

import (
	"slices"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// The max numbers of discs in a chart: answers, the best ones, and the spheres nearest to the entity.
const (
	maxDrawn   = 60
	maxNearest = 12
)

// marks are those of answers in a chart.
var marks = map[retrieve.Mark]chart.Mark{
	retrieve.Known: chart.Known, retrieve.HeldOut: chart.HeldOut, retrieve.Inferred: chart.Inferred,
}

// Around draws an entity and the spheres that are nearest to it.
func (s *Space) Around(entity int32) chart.Chart {
	return s.draw(entity, nil, nil, 1, s.Note())
}

// Moved draws the known entity of a query, where the relation moves it, and the first members. Where the plane is the
// model's, the moved disc touches exactly those, up to rounding.
func (s *Space) Moved(t *Touched, size int) chart.Chart {
	size = min(size, len(t.Members))
	path := s.Path(t.Query)
	end := path[len(path)-1]
	name := s.Run.Graph.RelationLabel(t.Query.Relation)
	moved := chart.Circle{Name: name + " (" + s.Run.Graph.Label(t.Query.Known) + ")", X: end[0], Y: end[1],
		R: s.Radius[t.Query.Known], Mark: chart.Rotated}
	factor := 1.
	if s.Exact && size > 0 {
		factor, moved.R = t.Factor, t.Reach+float64(t.Members[size-1].Value)
	}
	caption := quantity.Count(t.Usual, "answer") + " by the cut " + t.Cut
	if size != t.Usual {
		caption += ", " + quantity.FirstShown(size)
	}
	caption += ". " + s.Note()
	return s.draw(t.Query.Known, t.Members[:min(size, maxDrawn)], &moved, factor, caption)
}

// draw draws an entity, answers to a query of it, and the moved disc. Radii are multiplied by a factor.
func (s *Space) draw(
	entity int32, answers []retrieve.Member, moved *chart.Circle, factor float64, caption string,
) chart.Chart {
	g := s.Run.Graph
	drawn := map[int32]bool{entity: true}
	var circles []chart.Circle
	add := func(e int32, mark chart.Mark) {
		drawn[e] = true
		r := factor * s.Radius[e]
		circles = append(circles, chart.Circle{Name: g.Label(e), X: s.X[e], Y: s.Y[e], R: r, Mark: mark})
	}
	for _, m := range slices.Backward(answers) { // the best lies above the others
		if m.Entity != entity {
			add(m.Entity, marks[Mark(m)])
		}
	}
	near := chart.Untouched
	if moved == nil {
		near = chart.Near
	}
	for _, n := range slices.Backward(s.Nearest(entity, maxNearest)) {
		if !drawn[n.Entity] {
			add(n.Entity, near)
		}
	}
	add(entity, chart.Head)
	o := chart.Options{Title: g.Label(entity) + "  (" + s.Run.Info.Name + ")", Caption: caption}
	if moved == nil {
		return chart.Circles(o, circles)
	}
	return chart.Circles(o, append(circles, *moved),
		chart.Arrow{Name: moved.Name, FromX: s.X[entity], FromY: s.Y[entity], ToX: moved.X, ToY: moved.Y})
}
