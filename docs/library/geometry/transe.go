package geometry

import (
	"math"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

func init() {
	sphere.Register(sphere.Registration{Name: "own-transe-l2", Title: "Own TransE-L2", New: func(s sphere.Settings) sphere.Geometry {
		return transE{s.Dimension, float32((s.Gamma + s.Epsilon) / float64(s.Dimension))}
	}})
}

// transE is TransE with the 2-norm: |h + r - t| (Bordes et al., NeurIPS 2013, section 2). A point is h + r, or t - r.
type transE struct {
	dimension int
	bound     float32 // of initial numbers
}

func (m transE) Shape() sphere.Shape {
	return sphere.Shape{Entity: m.dimension, Relation: m.dimension, Point: m.dimension}
}

func (m transE) Draw(_ sphere.Part, x []float32, uniform func() float32) {
	for i := range x {
		x[i] = m.bound * uniform()
	}
}

func (transE) Bind(side kg.Side, point, known, relation, _ []float32) {
	for i, r := range relation {
		if side == kg.HeadSide {
			r = -r
		}
		point[i] = known[i] + r
	}
}

func (transE) Distance(point, candidate []float32) float32 {
	sum := float32(0)
	for i, p := range point {
		d := p - candidate[i]
		sum += float32(d * d)
	}
	return float32(math.Sqrt(float64(sum)))
}

func (m transE) Push(w float32, point, candidate, byPoint, byCandidate []float32) {
	distance := m.Distance(point, candidate)
	if distance == 0 {
		return
	}
	for i, p := range point {
		g := w * (p - candidate[i]) / distance
		if byPoint != nil {
			byPoint[i] += g
		} else {
			byCandidate[i] -= g
		}
	}
}

func (transE) Pull(side kg.Side, byPoint, _, _, _, byKnown, byRelation, _ []float32) {
	for i, g := range byPoint {
		byKnown[i] += g
		if side == kg.HeadSide {
			g = -g
		}
		byRelation[i] += g
	}
}
