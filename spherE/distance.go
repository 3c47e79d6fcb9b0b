package sphere

import (
	"fmt"
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
	whole bool
	// swaps and swapsQ are those of design.
	swaps, swapsQ bool

	radii bool // of entities; those of blocks are in norm
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
		radii: s.HasRadii() && !of.hinged, gamma: float32(s.Gamma), margin: s.Gamma,
		known: [2]float32{1, 1}, candidate: [2]float32{1, 1},
	}
	switch {
	case of.hinged:
		d.margin, d.tolerance = 0, float32(s.Tau)
	case s.isProduct():
		d.margin, d.gamma = 0, 0
	}
	switch s.Variant {
	case Released:
		tolerant := float32(1 - s.Tau)
		d.candidate = [2]float32{tolerant, tolerant}
	case Paper:
		d.candidate = [2]float32{kg.HeadSide: float32(1 + s.Alpha), kg.TailSide: float32(1 + s.Beta)}
		d.whole, d.norm, d.normQ = true, k.Whole, k.Whole
		d.swaps, d.swapsQ = true, true
	}
	for side := range d.training {
		f := &d.training[side]
		switch {
		case s.Variant == Released || kg.Side(side) == kg.TailSide: // released trains every negative as a tail query
			f.head, f.tail = d.known[kg.TailSide], d.candidate[kg.TailSide]
		default:
			f.head, f.tail = d.candidate[kg.HeadSide], d.known[kg.HeadSide]
		}
	}
	return d
}

// finish turns norms of the kernels into distances.
func (d *distance) finish(norm []float32) {
	if !d.whole {
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

// Criterion decides which entities belong to an answer set.
type Criterion string

const (
	// CriterionMargin accepts entities with d <= gamma, with d as in training.
	CriterionMargin Criterion = "margin"
	// CriterionIntersect accepts entities whose spheres intersect the rotated one: dist <= rho_h + rho_t (paper,
	// equations 1 and 2).
	CriterionIntersect Criterion = "intersect"
	// CriterionSphere widens every sphere to the radius rho + gamma/2: dist <= rho_h + rho_t + gamma.
	CriterionSphere Criterion = "sphere"
	// CriterionBlocks is that of models whose blocks have radii, sphere-5d, -10d and -20d in variant released. With
	// gap_j = dist_j - rho_h,j - rho_t,j and c the candidate, the sum over blocks of max(gap_j, -tau rho_c,j) is at
	// most 0. So one block can compensate for another.
	CriterionBlocks Criterion = "blocks"
	// CriterionBoxes is BoxE's: it accepts entities for which both points of the triple are in their boxes.
	CriterionBoxes Criterion = "boxes"
)

// Criteria lists all criteria in the order of tables. It is the only list of them.
func Criteria() []Criterion {
	return []Criterion{CriterionMargin, CriterionSphere, CriterionIntersect, CriterionBlocks, CriterionBoxes}
}

// hasBlockRadii reports whether every block of an entity has a radius of its own.
func (s Settings) hasBlockRadii() bool { return s.HasRadii() && s.design(simd.Go()).hinged }

// isProduct reports whether scores are dot products.
func (s Settings) isProduct() bool {
	k, _ := kindOf(s.Model)
	return k.product
}

// Criteria lists the criteria that apply to a model of these settings, the default one first. The default is margin for
// models of points and for variant released, blocks for radii of blocks, intersect for paper, and sphere for clean.
//
// A model whose scores are dot products has no criterion: its loss only compares scores with each other, so no score
// marks the end of a set. Its sets have a fixed size or fitted thresholds.
func (s Settings) Criteria() []Criterion {
	switch {
	case s.isProduct():
		return nil
	case s.Model == BoxE:
		return []Criterion{CriterionMargin, CriterionBoxes}
	case !s.HasRadii():
		return []Criterion{CriterionMargin}
	case s.hasBlockRadii():
		return []Criterion{CriterionBlocks, CriterionMargin}
	case s.Variant == Released:
		return []Criterion{CriterionMargin, CriterionSphere, CriterionIntersect}
	case s.Variant == Paper:
		return []Criterion{CriterionIntersect, CriterionMargin, CriterionSphere}
	default:
		return []Criterion{CriterionSphere, CriterionMargin, CriterionIntersect}
	}
}

// ReleasedProtocol reports whether the authors' code evaluates the model by a protocol of its own. It does so for
// variant released of HousE and of SpherE in more than three dimensions. Package eval implements the protocol.
func (s Settings) ReleasedProtocol() bool {
	return s.Variant == Released && s.design(simd.Go()).rotation.coordinates() > 3
}

// DefaultCriterion returns the first of Settings.Criteria, "" if there are none.
func (m *Model) DefaultCriterion() Criterion {
	if all := m.settings.Criteria(); len(all) > 0 {
		return all[0]
	}
	return ""
}

// Reach returns the factors of the radii of the known entity and of a candidate, and the threshold, of a criterion: an
// entity e is an answer if and only if its distance to Point(q) is at most known*Radius(q.Known) + candidate*Radius(e)
// + threshold, up to the rounding of that sum. A criterion that is not in Criteria is a programming error. So is
// CriterionBoxes, which does not depend on a distance.
func (m *Model) Reach(c Criterion, q kg.Query) (known, candidate, threshold float32) {
	known, candidate = 1, 1
	if m.total != nil {
		known, candidate = 0, 0 // the radii are already subtracted from the distance
	}
	switch c {
	case CriterionBlocks:
		candidate = m.distance.tolerance
	case CriterionMargin:
		if m.total != nil {
			break
		}
		known, candidate = m.distance.known[q.Side], m.distance.candidate[q.Side]
		threshold = m.distance.gamma
	case CriterionSphere:
		threshold = m.distance.gamma
	case CriterionIntersect:
	default:
		panic(fmt.Sprintf("sphere: criterion %q is unknown", c))
	}
	return known, candidate, threshold
}

// Values turns the distances of all entities to q into the values that c compares with a threshold: an entity belongs
// to the answer set if and only if its value <= threshold. dist and dst have Entities() floats and may be the same
// slice. Rankings use the values of CriterionMargin, smallest first, whether or not the model has that criterion. A
// criterion that is not in Criteria is a programming error.
func (m *Model) Values(c Criterion, q kg.Query, dist, dst []float32) (threshold float32) {
	if r, ok := m.rotation.(*boxes); ok && c == CriterionBoxes {
		point := make([]float32, m.point)
		m.bind(point, q)
		r.outside(dst, point, m.center)
		return 0
	}
	known, candidate, threshold := m.Reach(c, q)
	switch {
	case m.total != nil && c == CriterionBlocks:
		for e, rho := range m.total {
			dst[e] = dist[e] - float32(candidate*rho)
		}
		return threshold
	case m.radius == nil:
		copy(dst, dist)
		return threshold
	}
	floor := float32(math.Inf(-1))
	if c == CriterionMargin {
		floor = 0
	}
	m.depths(q, dist, dst, known, candidate, floor)
	return threshold
}

// Unclamped turns distances into values as Values does, but without the lower bound that c has. Inside a sphere all
// values of CriterionMargin are 0; unclamped values still say which entity is deeper. If values have no bound,
// Unclamped returns false and does not change dst.
func (m *Model) Unclamped(c Criterion, q kg.Query, dist, dst []float32) bool {
	if c != CriterionMargin || m.radius == nil {
		return false
	}
	known, candidate, _ := m.Reach(c, q)
	m.depths(q, dist, dst, known, candidate, float32(math.Inf(-1)))
	return true
}

// depths are distances less radii, not below floor.
func (m *Model) depths(q kg.Query, dist, dst []float32, known, candidate, floor float32) {
	keep := uint32(simd.KeepMagnitude)
	if m.settings.Variant == Paper {
		keep = simd.KeepAll
	}
	m.kernels.Depths(dst, dist, m.radius[:len(dst)], keep, float32(known*m.rho(q.Known)), candidate, floor)
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
		if m.distance.whole {
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
