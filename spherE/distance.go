package sphere

import (
	"fmt"
	"math"

	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// distance is the norm between two rows and the factors of the radii in d, as the variant has them.
type distance struct {
	between func(q, c []float32) float32
	// push adds coefficient * gradient of the distance by c to g, for a coefficient that coefficient has scaled.
	push func(g, q, c []float32, w float32)
	// whole: the 2-norm of the whole row, whose gradient is w/dist * (c-q); otherwise the sum of block norms.
	whole bool
	// The same on the side of heads, where a point may hold factors for the blocks of its candidates. pushPoint adds
	// w * gradient by the point, pushHead w * gradient by the candidate c.
	headBetween         func(point, c []float32) float32
	pushPoint, pushHead func(g, point, c []float32, w float32)

	radii bool
	// known and asked are the factors of the given and the asked entity's radius, by the side that is asked for:
	// d = max(0, dist - known*rho_known - asked*rho_asked).
	known, asked [2]float32
	// taught are the same factors of head and tail in training, by the corrupted side; a positive
	// has the tail query's, as in released (the paper does not say which it has in its own variant).
	taught [2]struct{ head, tail float32 }
	gamma  float32
}

func newDistance(k *simd.Kernels, s Settings, r rotation) distance {
	d := distance{
		between: k.BlockNorm2, push: k.PushBlock2, radii: s.HasRadii(), gamma: float32(s.Gamma),
		known: [2]float32{1, 1}, asked: [2]float32{1, 1},
	}
	if r.planes() == 3 {
		d.between, d.push = k.BlockNorm3, k.PushBlock3
	}
	switch s.Variant {
	case Released:
		loose := float32(1 - s.Tau)
		d.asked = [2]float32{loose, loose}
	case Paper:
		d.asked = [2]float32{kg.HeadSide: float32(1 + s.Alpha), kg.TailSide: float32(1 + s.Beta)}
		d.whole = true
		d.between = func(q, c []float32) float32 { return float32(math.Sqrt(float64(k.SumSquares(q, c)))) }
		d.push = k.PushScaled
	}
	d.headBetween, d.pushHead = d.between, d.push
	push := d.push
	d.pushPoint = func(g, point, c []float32, w float32) { push(g, c, point, w) }
	if r.stretches() {
		d.headBetween, d.pushPoint, d.pushHead = k.StretchNorm3, k.PushPoint3, k.PushStretched3
	}
	for side := range d.taught {
		f := &d.taught[side]
		switch {
		case s.Variant == Released || kg.Side(side) == kg.TailSide: // released trains every negative as a tail query
			f.head, f.tail = d.known[kg.TailSide], d.asked[kg.TailSide]
		default:
			f.head, f.tail = d.asked[kg.HeadSide], d.known[kg.HeadSide]
		}
	}
	return d
}

// coefficient scales w = dL/d(dist) to what push takes.
func (d *distance) coefficient(w, dist float32) float32 {
	if !d.whole {
		return w
	}
	if dist == 0 {
		return 0
	}
	return w / dist
}

// Criterion decides which entities belong to an answer set.
type Criterion string

const (
	// CriterionMargin takes entities with d <= gamma, d as in training.
	CriterionMargin Criterion = "margin"
	// CriterionIntersect takes entities whose spheres touch the rotated one: dist <= rho_h + rho_t (paper,
	// equations 1 and 2).
	CriterionIntersect Criterion = "intersect"
	// CriterionSphere gives every sphere the radius rho + gamma/2: dist <= rho_h + rho_t + gamma.
	CriterionSphere Criterion = "sphere"
)

// Criteria lists all criteria.
func Criteria() []Criterion { return []Criterion{CriterionMargin, CriterionIntersect, CriterionSphere} }

// DefaultCriterion is margin for models of points and released, intersect for paper, sphere for clean.
func (m *Model) DefaultCriterion() Criterion {
	switch {
	case m.radius == nil || m.settings.Variant == Released:
		return CriterionMargin
	case m.settings.Variant == Paper:
		return CriterionIntersect
	default:
		return CriterionSphere
	}
}

// Values turns the distances of all entities to q into what c compares with cut: an entity belongs to the answer
// set if and only if its value <= cut. dist and dst have Entities() floats and may be the same slice. Rankings use
// the values of CriterionMargin, smallest first. Another criterion than those of Criteria is a programming error.
func (m *Model) Values(c Criterion, q kg.Query, dist, dst []float32) (cut float32) {
	known, asked := float32(1), float32(1)
	switch c {
	case CriterionMargin:
		known, asked = m.distance.known[q.Side], m.distance.asked[q.Side]
		cut = m.distance.gamma
	case CriterionSphere:
		cut = m.distance.gamma
	case CriterionIntersect:
	default:
		panic(fmt.Sprintf("sphere: criterion %q is unknown", c))
	}
	if m.radius == nil {
		copy(dst, dist)
		return cut
	}
	given := float32(known * m.rho(q.Known))
	for e := range dst {
		dst[e] = dist[e] - (given + float32(asked*m.rho(int32(e))))
	}
	if c == CriterionMargin {
		for e, d := range dst {
			if !(d > 0) && d == d { // a NaN stays one
				dst[e] = 0
			}
		}
	}
	return cut
}

// rowBlock is how many entity rows are compared with all queries of a call before the next rows are read.
const rowBlock = 16

// Distances writes the distance of every entity to every query's bound point, r(h) or r^-1(t), into dst, row-major
// len(queries) x Entities(). It is safe for concurrent use.
func (m *Model) Distances(queries []kg.Query, dst []float32) {
	points := make([]float32, len(queries)*m.point)
	for i, q := range queries {
		m.bind(points[i*m.point:][:m.point], q)
	}
	for from := 0; from < m.entities; from += rowBlock {
		to := min(from+rowBlock, m.entities)
		for i, q := range queries {
			point, between := m.candidates(points[i*m.point:][:m.point], q.Side)
			row := dst[i*m.entities:][:m.entities]
			for e := from; e < to; e++ {
				row[e] = between(point, m.row(int32(e)))
			}
		}
	}
}

// Distance returns the distance of one entity to q, the same bits as Distances.
func (m *Model) Distance(q kg.Query, entity int32) float32 {
	point := make([]float32, m.point)
	m.bind(point, q)
	point, between := m.candidates(point, q.Side)
	return between(point, m.row(entity))
}

// candidates returns the part of a bound query that its side uses, and the distance from it to a candidate's row.
func (m *Model) candidates(point []float32, side kg.Side) ([]float32, func(point, c []float32) float32) {
	if side == kg.TailSide {
		return point[:m.stride], m.distance.between
	}
	return point, m.distance.headBetween
}

// bind sets point to where the known entity of q puts its answers.
func (m *Model) bind(point []float32, q kg.Query) {
	if q.Side == kg.TailSide {
		m.rotation.forward(point[:m.stride], m.row(q.Known), m.turnRow(q.Relation))
	} else {
		m.rotation.inverse(point, m.row(q.Known), m.turnRow(q.Relation))
	}
}
