package sphere

import (
	"math"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Models of spheres. Each is a model of points, PointsOf, whose entities have radii too: rotation and norm are in
// model_rotate.go, model_rotate3d.go and model_house.go. This file has what radii change: their initial values, their
// factors in d by variant, and d itself, distance less radii. criterion.go says where a set of spheres ends, and
// train_update.go trains radii.
const (
	SpherE2D  = "sphere-2d"  // RotatE with a radius per entity
	SpherE3D  = "sphere-3d"  // Rotate3D with a radius per entity
	SpherE5D  = "sphere-5d"  // HousE-5D with a radius per entity; in variant released with one per block
	SpherE10D = "sphere-10d" // the same for HousE-10D
	SpherE20D = "sphere-20d" // the same for HousE-20D
)

// PointsOf returns the model of points that differs from a model of spheres only by the radii, "" for a model of
// points.
func PointsOf(model string) string {
	k, _ := kindOf(model)
	return k.points
}

// HasRadii reports whether the model's entities are spheres.
func (s Settings) HasRadii() bool { return PointsOf(s.Model) != "" }

// hasBlockRadii reports whether every block of an entity has a radius of its own.
func (s Settings) hasBlockRadii() bool { return s.HasRadii() && s.design(simd.Go()).isHinged }

// makeRadii allocates the radii of a model: none for points, one per entity, or the sums of those of blocks, which are
// in the rows.
func (m *Model) makeRadii() {
	switch {
	case m.geometry.isHinged:
		m.total = make([]float32, m.entities)
	case m.settings.HasRadii():
		m.radius = make([]float32, simd.Padded(m.entities))
	}
}

// setInitialRadius sets the first radius of an entity, or those of its blocks.
func (m *Model) setInitialRadius(entity int32, seed uint64) {
	if m.geometry.isHinged {
		radii := m.row(entity)[m.rotation.coordinates()*m.blocks:]
		for j := range m.settings.Dimension {
			radii[j] = float32(m.geometry.blockRadius)
		}
	}
	if m.radius != nil {
		stream := draw.New(seed, draw.Initial, radiusTensor, uint32(entity))
		m.radius[entity] = stream.Symmetric(float32(m.geometry.bound))
	}
}

// HasRadii reports whether entities are spheres.
func (m *Model) HasRadii() bool { return m.settings.HasRadii() }

// Radius returns the radius rho of an entity, in units of distance: abs(raw) in released and clean, signed in paper, 0
// for models of points. Where blocks have radii of their own, it is their sum, in which each has its sign.
func (m *Model) Radius(entity int32) float32 {
	switch {
	case m.total != nil:
		return m.total[entity]
	case m.radius == nil:
		return 0
	}
	return m.rho(entity)
}

// rho returns the radius of an entity that has one.
func (m *Model) rho(entity int32) float32 {
	r := m.radius[entity]
	if m.settings.Variant == Paper {
		return r
	}
	return float32(math.Abs(float64(r)))
}

// sumRadii computes total.
func (m *Model) sumRadii() {
	for e := range m.total {
		sum := float32(0)
		for _, r := range m.row(int32(e))[m.rotation.coordinates()*m.blocks:] {
			sum += r
		}
		m.total[e] = sum
	}
}

// setRadiusFactors sets the factors of the radii in d, see distance.
func (d *distance) setRadiusFactors(s Settings) {
	d.known, d.candidate = [2]float32{1, 1}, [2]float32{1, 1}
	switch s.Variant {
	case Released:
		tolerant := float32(1 - s.Tau)
		d.candidate = [2]float32{tolerant, tolerant}
	case Paper:
		d.candidate = [2]float32{kg.HeadSide: float32(1 + s.Alpha), kg.TailSide: float32(1 + s.Beta)}
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
}

// radiusFactors are the factors of the radii of the known entity and of a candidate in training.
func (d *distance) radiusFactors(side kg.Side) (known, candidate float32) {
	f := &d.training[side]
	if side == kg.HeadSide {
		return f.tail, f.head
	}
	return f.head, f.tail
}

// depths are distances less radii, not below floor.
func (m *Model) depths(q kg.Query, dist, dst []float32, known, candidate, floor float32) {
	keep := uint32(simd.KeepMagnitude)
	if m.settings.Variant == Paper {
		keep = simd.KeepAll
	}
	m.kernels.Depths(dst, dist, m.radius[:len(dst)], keep, float32(known*m.rho(q.Known)), candidate, floor)
}
