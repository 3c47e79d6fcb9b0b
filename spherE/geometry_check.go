package sphere

import (
	"fmt"
	"math"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/kg"
)

// CheckGeometry compares the derivatives of Push and Pull with differences of Distance, at parameters from Draw, for
// head and tail queries. A wrong one would only train badly. The error names the first that differs by more than some
// hundredths of the greatest. It also finds a gradient that is set where it should be added, a point that Bind does not
// set whole, and a distance that is NaN or infinite. Places where the distance has a corner are left out, up to half of
// them. Call it in a test, with a few seeds.
func CheckGeometry(g Geometry, seed uint64) error {
	if err := g.Shape().check(); err != nil {
		return err
	}
	for _, side := range []kg.Side{kg.TailSide, kg.HeadSide} {
		if err := newGeometryCheck(g, side, seed).run(); err != nil {
			return fmt.Errorf("%s query: %w", side, err)
		}
	}
	return nil
}

// check refuses a shape without floats.
func (s Shape) check() error {
	if min(s.Entity, s.Relation, s.Point) < 1 || s.Shared < 0 {
		return fmt.Errorf("the shape %+v: Entity, Relation and Point are from 1, Shared from 0", s)
	}
	return nil
}

// geometryCheck has the parameters of one query and one candidate.
type geometryCheck struct {
	g     Geometry
	side  kg.Side
	point []float32

	known, candidate, relation, shared []float32
}

func newGeometryCheck(g Geometry, side kg.Side, seed uint64) *geometryCheck {
	s := g.Shape()
	c := &geometryCheck{g: g, side: side, point: make([]float32, s.Point)}
	drawn := func(part Part, floats int, item uint32) []float32 {
		x, stream := make([]float32, floats), draw.New(seed, draw.Initial, uint64(part), item)
		if floats > 0 {
			g.Draw(part, x, func() float32 { return stream.Symmetric(1) })
		}
		return x
	}
	c.known, c.candidate = drawn(EntityPart, s.Entity, 0), drawn(EntityPart, s.Entity, 1)
	c.relation, c.shared = drawn(RelationPart, s.Relation, 0), drawn(SharedPart, s.Shared, 0)
	return c
}

func (c *geometryCheck) distance() float64 {
	c.g.Bind(c.side, c.point, c.known, c.relation, c.shared)
	return float64(c.g.Distance(c.point, c.candidate))
}

func (c *geometryCheck) run() error {
	for i := range c.point {
		c.point[i] = float32(math.NaN())
	}
	if d := c.distance(); math.IsNaN(d) || math.IsInf(d, 0) {
		return fmt.Errorf("Distance returned %v; Bind sets every float of the point", d)
	}
	const w, before = 1.5, .25
	filled := func(like []float32) []float32 {
		x := make([]float32, len(like))
		for i := range x {
			x[i] = before
		}
		return x
	}
	byCandidate, byPoint := filled(c.candidate), filled(c.point)
	c.g.Push(w, c.point, c.candidate, nil, byCandidate)
	c.g.Push(w, c.point, c.candidate, byPoint, nil)
	for i := range byPoint {
		byPoint[i] -= before
	}
	byKnown, byRelation, byShared := filled(c.known), filled(c.relation), filled(c.shared)
	c.g.Pull(c.side, byPoint, c.known, c.relation, c.shared, byKnown, byRelation, byShared)
	for _, part := range []struct {
		name  string
		x, by []float32
	}{
		{"Push, byCandidate", c.candidate, byCandidate}, {"Push by the point, then Pull, byKnown", c.known, byKnown},
		{"Push by the point, then Pull, byRelation", c.relation, byRelation},
		{"Push by the point, then Pull, byShared", c.shared, byShared},
	} {
		slopes, halves := make([]float64, len(part.x)), make([]float64, len(part.x))
		greatest := 0.0
		for i := range part.x {
			slopes[i], halves[i] = c.slopes(&part.x[i])
			greatest = max(greatest, math.Abs(slopes[i]))
		}
		allowed := float64(.01*greatest) + float64(1e-4*math.Abs(c.distance())) + 1e-6 // of float32 and of the step
		compared := 0
		for i, slope := range slopes {
			if !(math.Abs(slope-halves[i]) <= allowed) {
				continue // a corner
			}
			compared++
			want := float64(w * slope)
			if got := float64(part.by[i] - before); !(math.Abs(got-want) <= float64(2*w*allowed)) {
				return fmt.Errorf("%s: %g was added to float %d, by differences of Distance it is %g", part.name, got,
					i, want)
			}
		}
		if compared < len(slopes)/2 {
			return fmt.Errorf("%s: Distance has corners at %d of %d floats, too many for a comparison", part.name,
				len(slopes)-compared, len(slopes))
		}
	}
	return nil
}

// slopes returns the derivative of the distance by a parameter, from differences with a step and with half of it.
func (c *geometryCheck) slopes(x *float32) (step, half float64) {
	at := *x
	defer func() { *x = at }()
	slope := func(step float32) float64 {
		*x = at + step
		above := c.distance()
		*x = at - step
		return float64(float64(above-c.distance()) / float64(2*step)) // rounded before another is subtracted
	}
	return slope(1. / 256), slope(1. / 512)
}
