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

	radii bool
	// known and asked are the factors of the given and the asked entity's radius, by the side that is asked for:
	// d = max(0, dist - known*rho_known - asked*rho_asked).
	known, asked [2]float32
	// taught are the same factors of head and tail in training, by the corrupted side; a positive
	// has the tail query's, as in released (the paper does not say which it has in its own variant).
	taught [2]struct{ head, tail float32 }
	gamma  float32
}

func newDistance(k *simd.Kernels, s Settings) distance {
	d := distance{
		between: k.BlockNorm2, push: k.PushBlock2, radii: s.Model != RotatE, gamma: float32(s.Gamma),
		known: [2]float32{1, 1}, asked: [2]float32{1, 1},
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

// DefaultCriterion is margin for RotatE and released, intersect for paper, sphere for clean.
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

// Reach returns the factors of the given and the asked radius, and the cut, of a criterion: an entity e
// is an answer if and only if its distance to Point(q) is at most known*Radius(q.Known) + asked*Radius(e) + cut, up to
// the rounding of that sum. Another criterion than those of Criteria is a programming error.
func (m *Model) Reach(c Criterion, q kg.Query) (known, asked, cut float32) {
	known, asked = 1, 1
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
	return known, asked, cut
}

// Values turns the distances of all entities to q into what c compares with cut: an entity belongs to the answer
// set if and only if its value <= cut. dist and dst have Entities() floats and may be the same slice. Rankings use
// the values of CriterionMargin, smallest first. Another criterion than those of Criteria is a programming error.
func (m *Model) Values(c Criterion, q kg.Query, dist, dst []float32) (cut float32) {
	known, asked, cut := m.Reach(c, q)
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
	points := make([]float32, len(queries)*m.stride)
	for i, q := range queries {
		m.bind(points[i*m.stride:][:m.stride], q)
	}
	for from := 0; from < m.entities; from += rowBlock {
		to := min(from+rowBlock, m.entities)
		for i := range queries {
			point := points[i*m.stride:][:m.stride]
			row := dst[i*m.entities:][:m.entities]
			for e := from; e < to; e++ {
				row[e] = m.distance.between(point, m.row(int32(e)))
			}
		}
	}
}

// Distance returns the distance of one entity to q, the same bits as Distances.
func (m *Model) Distance(q kg.Query, entity int32) float32 {
	point := make([]float32, m.stride)
	m.bind(point, q)
	return m.distance.between(point, m.row(entity))
}

// bind sets point to where the known entity of q puts its answers.
func (m *Model) bind(point []float32, q kg.Query) {
	if q.Side == kg.TailSide {
		m.rotation.forward(point, m.row(q.Known), m.turnRow(q.Relation))
	} else {
		m.rotation.inverse(point, m.row(q.Known), m.turnRow(q.Relation))
	}
}
