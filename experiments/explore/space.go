// Package explore lays a model's space out for people: where its entities are on a plane, what is near an entity, how a
// relation moves it, and which entities the moved one touches, in the order in which a wider cut takes them.
package explore

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spherelab/spherelab/experiments/answer"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Space is a model's space on a plane. It is safe for concurrent use.
type Space struct {
	Run    *answer.Run
	X, Y   []float64 // by entity: where its centre is on the plane
	Radius []float64 // by entity: learned; 0 for models of points
	Known  []int     // by entity: facts of training and validation
	Exact  bool      // distances on the plane are those of the model

	// Share is the share of the variance of all centres that lies in the plane, and Stretch how many times as far from
	// each other as there the centres are drawn, so that discs with learned radii do not hide each other.
	Share, Stretch float64

	model *sphere.Model
	axes  Principal
}

// Shows reports whether a run's model has a space: entities at points, whose distances decide. It loads nothing.
func Shows(info tracker.RunInfo) bool {
	logged := answer.ReadLogged(info)
	return logged.Config != nil && len(logged.Stack) == 0 && logged.Model != sphere.Scores &&
		!sphere.IsUntrained(logged.Model) && len(logged.Config.Settings().Criteria()) > 0
}

// NoSpaceError is the error for a run whose model has no space.
type NoSpaceError struct{ Run string }

func (e *NoSpaceError) Error() string {
	return "the model of " + e.Run + " does not place entities in a space whose distances decide"
}

// New lays out the space of a run. The layout depends on the model alone. A model of one block in the plane is shown as
// it is, others by the two principal axes of their centres.
func New(ctx context.Context, run *answer.Run) (*Space, error) {
	m, ok := run.Model.(*sphere.Model)
	if !ok || len(m.Settings().Criteria()) == 0 {
		return nil, &NoSpaceError{run.Title()}
	}
	n := m.Entities()
	s := &Space{Run: run, X: make([]float64, n), Y: make([]float64, n), Radius: make([]float64, n),
		Known: make([]int, n), Stretch: 1, model: m}
	width := len(m.Center(0))
	rows := make([]float32, 0, n*width)
	for e := range int32(n) {
		rows = append(rows, m.Center(e)...)
		s.Radius[e] = float64(m.Radius(e))
	}
	for _, split := range []kg.Split{kg.Train, kg.Valid} {
		for _, t := range run.Graph.Split(split) {
			s.Known[t.Head]++
			if t.Tail != t.Head {
				s.Known[t.Tail]++
			}
		}
	}
	if s.Exact = m.Settings().Dimension == 1 && width == 2; s.Exact {
		s.axes = Principal{Mean: make([]float64, 2), Axes: [2][]float64{{1, 0}, {0, 1}}, Share: 1}
	} else {
		var err error
		if s.axes, err = FindPrincipal(ctx, rows, width); err != nil {
			return nil, err
		}
	}
	s.Share = s.axes.Share
	for e := range n {
		s.X[e], s.Y[e] = s.project(rows[e*width:][:width])
	}
	if m.Settings().Dimension > 1 {
		s.stretch()
	}
	return s, nil
}

// Project returns where a point of the model's space is on the plane.
func (s *Space) Project(point []float32) (x, y float64) {
	x, y = s.project(point)
	return x * s.Stretch, y * s.Stretch
}

func (s *Space) project(point []float32) (x, y float64) {
	for j, c := range point {
		d := float64(c) - s.axes.Mean[j]
		x += float64(d * s.axes.Axes[0][j])
		y += float64(d * s.axes.Axes[1][j])
	}
	return x, y
}

// covered is the share of the picture that all discs would cover if each had the radius of the one in the middle and
// none lay above another.
const covered = .04

// usualDisc is the radius of the disc in the middle, as a share of the picture's extent.
func usualDisc(entities int) float64 { return math.Sqrt(covered / (math.Pi * float64(entities))) }

// stretch moves centres away from each other until discs are small. Radii belong to distances over all blocks, of which
// a plane has only a part.
func (s *Space) stretch() {
	sorted := make([]float64, len(s.Radius))
	for e, r := range s.Radius {
		sorted[e] = math.Abs(r)
	}
	slices.Sort(sorted)
	extent := max(slices.Max(s.X)-slices.Min(s.X), slices.Max(s.Y)-slices.Min(s.Y))
	middle := sorted[len(sorted)/2]
	if !(middle > 0 && extent > 0) {
		return
	}
	s.Stretch = middle / (usualDisc(len(sorted)) * extent)
	for e := range s.X {
		s.X[e] *= s.Stretch
		s.Y[e] *= s.Stretch
	}
}

// Note says what the plane is.
func (s *Space) Note() string {
	if s.Exact {
		return "The model lies in the plane: centres, radii and distances are as it has them."
	}
	if s.model.Settings().Dimension == 1 {
		return fmt.Sprintf("The model has one block of %d coordinates, seen from the side on which its centres vary most, with "+
			"%.2g %% of the variance: radii are as it has them, and what is near here may be one behind the other.",
			len(s.axes.Mean), 100*s.Share)
	}
	text := fmt.Sprintf("A projection on the two directions in which the centres vary most, which have %.2g %% of the variance: "+
		"what is near here may be far away in the model.", 100*s.Share)
	if s.Stretch != 1 {
		text += fmt.Sprintf(" Radii are to scale with each other; distances are drawn %.3g times as long.", s.Stretch)
	}
	return text
}

// Near is an entity near another.
type Near struct {
	Entity   int32
	Distance float64 // between the centres, the sum over the blocks
	Gap      float64 // the distance less both radii: below 0 the spheres overlap
}

// Nearest returns the entities whose spheres are nearest to that of an entity, by distance less radii, then id.
func (s *Space) Nearest(entity int32, count int) []Near {
	center := s.model.Center(entity)
	each := len(center) / s.model.Settings().Dimension // coordinates of a block
	list := make([]Near, 0, s.model.Entities())
	for e := range int32(s.model.Entities()) {
		if e == entity {
			continue
		}
		d := blockDistance(center, s.model.Center(e), each)
		list = append(list, Near{e, d, d - s.Radius[entity] - s.Radius[e]})
	}
	slices.SortFunc(list, func(a, b Near) int {
		return cmp.Or(cmp.Compare(a.Gap, b.Gap), cmp.Compare(a.Entity, b.Entity))
	})
	return list[:min(len(list), count)]
}

// blockDistance is the sum of the lengths of a - b in blocks.
func blockDistance(a, b []float32, each int) (sum float64) {
	for at := 0; at < len(a); at += each {
		square := 0.
		for j := at; j < at+each; j++ {
			d := float64(a[j]) - float64(b[j])
			square += float64(d * d)
		}
		sum += math.Sqrt(square)
	}
	return sum
}

// pathPoints is about how many points a path has.
const pathPoints = 120

// Path returns how the sphere of a query's known entity moves on the plane: from its centre, block by block, to the
// point from which the query's answers are measured. A block of two coordinates turns around the origin, as the
// relation turns it; others move straight.
func (s *Space) Path(q kg.Query) (path [][2]float64) {
	from, to := s.model.Center(q.Known), s.model.Point(q)
	blocks := s.model.Settings().Dimension
	each := len(from) / blocks
	now := slices.Clone(from)
	add := func() {
		x, y := s.Project(now)
		path = append(path, [2]float64{x, y})
	}
	add()
	parts := max(1, pathPoints/blocks) // of a block
	every := max(1, blocks/pathPoints) // blocks
	for b := range blocks {
		here, there, moving := from[b*each:][:each], to[b*each:][:each], now[b*each:][:each]
		for part := 1; part < parts; part++ {
			share := float64(part) / float64(parts)
			turnBlock(moving, here, there, share)
			add()
		}
		copy(moving, there)
		if (b+1)%every == 0 || b == blocks-1 {
			add()
		}
	}
	return path
}

// turnBlock sets a block to where it is on its way from one place to another.
func turnBlock(block, from, to []float32, share float64) {
	if len(block) != 2 {
		for j := range block {
			block[j] = from[j] + float32(share*float64(to[j]-from[j]))
		}
		return
	}
	length := math.Hypot(float64(from[0]), float64(from[1]))
	grown := math.Hypot(float64(to[0]), float64(to[1])) / max(length, math.SmallestNonzeroFloat64)
	angle := math.Atan2(float64(to[1]), float64(to[0])) - math.Atan2(float64(from[1]), float64(from[0]))
	angle -= 2 * math.Pi * math.Round(angle/(2*math.Pi))
	sin, cos := math.Sincos(share * angle)
	scale := 1 + share*(grown-1)
	block[0] = float32(scale * (cos*float64(from[0]) - sin*float64(from[1])))
	block[1] = float32(scale * (sin*float64(from[0]) + cos*float64(from[1])))
}
