package sphere

import (
	"math"

	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// distance is the norm between two rows, and the factors of the radii in d by variant.
type distance struct {
	norm simd.Norm
	// normQ is the norm for points q = r(h). It differs from norm only if rotations scale: all factors of such a point
	// are 1, so its first planes are enough.
	normQ simd.Norm
	// whole: the distance is the 2-norm of the whole row, with gradient w/dist * (c-q). Otherwise the distance is the
	// sum of block norms.
	isWhole bool
	// swaps and swapsQ are those of design.
	swaps, swapsQ bool

	hasRadii bool // of entities; those of blocks are in norm
	// known and candidate are the factors of the radii of the known entity and of a candidate, by the side of the
	// query: d = max(0, dist - known*rho_known - candidate*rho_candidate).
	known, candidate [2]float32
	// training has the same factors of head and tail in training, by the corrupted side. A positive has those of the
	// tail query, as in released; the paper does not say which it has in its own variant.
	training [2]struct{ head, tail float32 }
	gamma    float32
	// margin is what d is subtracted from to give a score: gamma, or 0 for models with radii of blocks and for dot
	// products.
	margin float64
	// tolerance is tau for models with radii of blocks, see CriterionBlocks.
	tolerance float32
}

func newDistance(k *simd.Kernels, s Settings, of design) distance {
	d := distance{
		norm: of.norm, normQ: of.normQ, swaps: of.swaps, swapsQ: of.swapsQ,
		hasRadii: s.HasRadii() && !of.isHinged, gamma: float32(s.Gamma), margin: s.Gamma,
	}
	switch {
	case of.isHinged:
		d.margin, d.tolerance = 0, float32(s.Tau)
	case s.isProduct():
		d.margin, d.gamma = 0, 0
	}
	if s.Variant == Paper || of.isWhole {
		d.isWhole, d.norm, d.normQ = true, k.Whole, k.Whole
		d.swaps, d.swapsQ = true, true
	}
	d.setRadiusFactors(s)
	return d
}

// finish turns norms of the kernels into distances.
func (d *distance) finish(norm []float32) {
	if !d.isWhole {
		return
	}
	for i, x := range norm {
		norm[i] = float32(math.Sqrt(float64(x)))
	}
}

// between returns the distance between a point and a row.
func (d *distance) between(q, c []float32) float32 {
	norm := [1]float32{d.norm.Pair(q, c)}
	d.finish(norm[:])
	return norm[0]
}

// coefficient scales w = dL/d(dist) to the weight that the kernels take if whole is set. Otherwise w is that weight.
func (d *distance) coefficient(w, dist float32) float32 {
	if dist == 0 {
		return 0
	}
	return w / dist
}

// queryBlock and rowBlock are how many bound points and entity rows are compared before the next ones are read. With
// rows of 200 blocks, the rows then stay in the first-level cache and the points in the second.
const (
	queryBlock = 32
	rowBlock   = 16
)

// Distances writes the distance of every entity to every query's bound point, r(h) or r^-1(t), into dst, row-major
// len(queries) x Entities(). It is safe for concurrent use.
func (m *Model) Distances(queries []kg.Query, dst []float32) {
	points := make([]float32, min(queryBlock, len(queries))*m.point)
	for len(queries) > 0 {
		n := min(queryBlock, len(queries))
		m.Bind(queries[:n], points)
		m.DistancesTo(points[:n*m.point], 0, m.entities, dst, m.entities)
		queries, dst = queries[n:], dst[n*m.entities:]
	}
}

// DistancesAt sets dst[e] to the distance of entity e to q, the same bits as Distances, for the listed entities. It is
// safe for concurrent use.
func (m *Model) DistancesAt(q kg.Query, entities []int32, dst []float32) {
	scratch := make([]float32, m.point+m.blocks+len(entities))
	point, length, norm := scratch[:m.point], scratch[m.point:][:m.blocks], scratch[m.point+m.blocks:]
	m.bind(point, q)
	m.distance.norm.Gather(norm, length, point, m.center, entities)
	m.distance.finish(norm)
	for i, e := range entities {
		dst[e] = norm[i]
	}
}

// Stride returns the number of floats of a bound point.
func (m *Model) Stride() int { return m.point }

// Bind writes the bound point of every query, r(h) or r^-1(t), into points, Stride() floats each. A point is in the
// layout of the rows of the model, and may have more planes. It is safe for concurrent use.
func (m *Model) Bind(queries []kg.Query, points []float32) {
	for i, q := range queries {
		m.bind(points[i*m.point:][:m.point], q)
	}
}

// DistancesTo writes the distances of entities [from, to) to the points of Bind: that of entity e to point i into
// dst[i*pitch+e-from]. Up to 32 points at a time stay in cache. It is safe for concurrent use.
func (m *Model) DistancesTo(points []float32, from, to int, dst []float32, pitch int) {
	n := len(points) / m.point
	for e := from; e < to; e += rowBlock {
		end := min(e+rowBlock, to)
		m.distance.norm.Rows(dst[e-from:], pitch, points, m.center[e*m.stride:end*m.stride], m.point)
		if m.distance.isWhole {
			for i := range n {
				m.distance.finish(dst[i*pitch+e-from:][:end-e])
			}
		}
	}
}

// Distance returns the distance of one entity to q, the same bits as Distances.
func (m *Model) Distance(q kg.Query, entity int32) float32 {
	point := make([]float32, m.point)
	m.bind(point, q)
	return m.distance.between(point, m.row(entity))
}

// bind computes the bound point of q.
func (m *Model) bind(point []float32, q kg.Query) {
	if q.Side == kg.TailSide {
		m.rotation.forward(point, m.row(q.Known), m.turnRow(q.Relation))
	} else {
		m.rotation.inverse(point, m.row(q.Known), m.turnRow(q.Relation))
	}
}
