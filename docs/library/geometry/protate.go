package geometry

import (
	"math"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

func init() {
	sphere.Register(sphere.Registration{Name: "protate", Title: "pRotatE", New: func(s sphere.Settings) sphere.Geometry {
		bound := (s.Gamma + s.Epsilon) / float64(s.Dimension)
		return pRotatE{s.Dimension, float32(bound), math.Pi / bound}
	}})
}

// pRotatE has phases alone: the distance is the sum of modulus |sin((h + r - t) / 2)| (Sun et al., ICLR 2019, section
// 4.3). A number times scale is a phase. A point is h + r, or t - r, and the modulus, which is trained, too.
type pRotatE struct {
	dimension int
	bound     float32 // of initial numbers
	scale     float64 // pi / bound
}

func (m pRotatE) Shape() sphere.Shape {
	return sphere.Shape{Entity: m.dimension, Relation: m.dimension, Shared: 1, Point: m.dimension + 1}
}

func (m pRotatE) Draw(part sphere.Part, x []float32, uniform func() float32) {
	for i := range x {
		if x[i] = m.bound * uniform(); part == sphere.SharedPart {
			x[i] = m.bound / 2
		}
	}
}

func (m pRotatE) Bind(side kg.Side, point, known, relation, shared []float32) {
	transE{}.Bind(side, point, known, relation, nil)
	point[m.dimension] = shared[0]
}

// half is the sine and the cosine of half the angle between two numbers.
func (m pRotatE) half(a, b float32) (sin, cos float64) {
	return sphere.SinCos(float64(a-b) * m.scale / 2)
}

func (m pRotatE) Distance(point, candidate []float32) float32 {
	return point[m.dimension] * m.sines(point, candidate)
}

func (m pRotatE) sines(point, candidate []float32) float32 {
	sum := 0.
	for i, c := range candidate {
		sin, _ := m.half(point[i], c)
		sum += math.Abs(sin)
	}
	return float32(sum)
}

func (m pRotatE) Push(w float32, point, candidate, byPoint, byCandidate []float32) {
	for i, c := range candidate {
		sin, cos := m.half(point[i], c)
		g := w * point[m.dimension] * float32(cos*m.scale/2)
		if sin < 0 {
			g = -g
		}
		if byPoint != nil {
			byPoint[i] += g
		} else {
			byCandidate[i] -= g
		}
	}
	if byPoint != nil {
		byPoint[m.dimension] += float32(w * m.sines(point, candidate))
	}
}

func (m pRotatE) Pull(side kg.Side, byPoint, _, _, _, byKnown, byRelation, byShared []float32) {
	transE{}.Pull(side, byPoint[:m.dimension], nil, nil, nil, byKnown, byRelation, nil)
	byShared[0] += byPoint[m.dimension]
}
