package sphere

import (
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

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
