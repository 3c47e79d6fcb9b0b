// Package geometry has models of other papers, defined outside the library: one file each.
package geometry

import (
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

func init() {
	sphere.Register(sphere.Registration{Name: "tucker", Title: "TuckER", IsProduct: true,
		New: func(s sphere.Settings) sphere.Geometry { return tuckER{s.Dimension, (s.Dimension + 2) / 3} }})
}

// tuckER scores a triple by a core tensor that all triples share: the sum of core[i][k][j] h[i] r[k] t[j] (Balazevic et
// al., EMNLP 2019, equation 2). Relations have fewer numbers than entities. A point is the core times the known entity
// and the relation; a score is its product with the candidate.
type tuckER struct{ entity, relation int }

func (m tuckER) Shape() sphere.Shape {
	core := m.entity * m.relation * m.entity
	return sphere.Shape{Entity: m.entity, Relation: m.relation, Shared: core, Point: m.entity}
}

func (m tuckER) Draw(_ sphere.Part, x []float32, uniform func() float32) {
	for i := range x {
		x[i] = 0.5 * uniform()
	}
}

// core calls f with each head i, relation k and the place of core[i][k][0].
func (m tuckER) core(f func(i, k, at int)) {
	for i := range m.entity {
		for k := range m.relation {
			f(i, k, (i*m.relation+k)*m.entity)
		}
	}
}

func (m tuckER) Bind(side kg.Side, point, known, relation, shared []float32) {
	clear(point)
	m.core(func(i, k, at int) {
		for j, c := range shared[at : at+m.entity] {
			if side == kg.TailSide {
				point[j] += float32(float32(c*known[i]) * relation[k])
			} else {
				point[i] += float32(float32(c*known[j]) * relation[k])
			}
		}
	})
}

func (tuckER) Distance(point, candidate []float32) float32 {
	sum := float32(0)
	for i, p := range point {
		sum -= float32(p * candidate[i])
	}
	return sum
}

func (tuckER) Push(w float32, point, candidate, byPoint, byCandidate []float32) {
	for i, p := range point {
		if byPoint != nil {
			byPoint[i] -= float32(w * candidate[i])
		} else {
			byCandidate[i] -= float32(w * p)
		}
	}
}

func (m tuckER) Pull(side kg.Side, byPoint, known, relation, shared, byKnown, byRelation, byShared []float32) {
	m.core(func(i, k, at int) {
		for j, c := range shared[at : at+m.entity] {
			from, to := i, j // of the known entity and of the point
			if side == kg.HeadSide {
				from, to = j, i
			}
			g := byPoint[to]
			byKnown[from] += float32(float32(g*c) * relation[k])
			byRelation[k] += float32(float32(g*c) * known[from])
			byShared[at+j] += float32(float32(g*known[from]) * relation[k])
		}
	})
}
