package sphere

import (
	"fmt"
	"math"

	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

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

// isProduct reports whether scores are dot products.
func (s Settings) isProduct() bool {
	k, _ := kindOf(s.Model)
	return k.isProduct
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

// Value returns the value of one entity by CriterionMargin as an answer to q: the same bits as Distances and Values. It
// allocates a bound point.
func (m *Model) Value(q kg.Query, entity int32) float32 {
	dist, value := []float32{m.Distance(q, entity)}, []float32{0}
	known, candidate, _ := m.Reach(CriterionMargin, q)
	if m.radius == nil {
		return dist[0]
	}
	keep := uint32(simd.KeepMagnitude)
	if m.settings.Variant == Paper {
		keep = simd.KeepAll
	}
	m.kernels.Depths(value, dist, m.radius[entity:entity+1], keep, float32(known*m.rho(q.Known)), candidate,
		0)
	return value[0]
}
