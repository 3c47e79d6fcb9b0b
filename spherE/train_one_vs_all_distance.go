package sphere

import (
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// oneVsAllDistance is what oneVsAll needs besides for models of distances. The score is -d with d = max(0, dist -
// radii), with the factors of the radii that training has; gamma drops out of the softmax. An entity whose d is 0 adds
// to the sum of a softmax and is not pulled.
type oneVsAllDistance struct {
	// push has the weights that kernels take, laid out as oneVsAll.pull. It is pull itself, unless distances are norms
	// of whole rows.
	push   []float32
	known  []float32 // by query: gradient of the radius of the known entity
	number []int32   // of all entities, in order
}

// distanceScratch is the memory of one worker.
type distanceScratch struct {
	pulls  []uint64
	length []float32 // lengths of blocks, which no kernel that is called with them keeps
	closed []int32   // entities whose d is 0
	radius []float32 // gradients of the radii of a unit of entities
}

// newDistances prepares a for a model of distances, once it has pull.
func (a *oneVsAll) newDistances() {
	m := a.model
	d := &oneVsAllDistance{push: a.pull, known: make([]float32, len(a.queries)), number: make([]int32, m.entities)}
	if m.distance.isWhole {
		d.push = make([]float32, len(a.pull))
	}
	for e := range d.number {
		d.number[e] = int32(e)
	}
	for i := range a.scratch {
		s := &a.scratch[i]
		s.distanceScratch = distanceScratch{pulls: make([]uint64, 0, rowBlock), length: make([]float32, m.blocks),
			closed: make([]int32, 0, m.entities), radius: make([]float32, ownedUnit)}
	}
	a.distance = d
}

// hinge turns the distances of all entities to query i into d, and lists in s those whose d is 0.
func (a *oneVsAll) hinge(i int, pull []float32, s *oneVsAllScratch) {
	m, q := a.model, a.queries[i]
	if m.distance.isWhole {
		copy(a.distance.push[i*a.pitch:], pull)
	}
	s.closed = s.closed[:0]
	if m.radius == nil {
		return
	}
	keep := uint32(simd.KeepMagnitude)
	if m.settings.Variant == Paper {
		keep = simd.KeepAll
	}
	known, candidate := m.distance.radiusFactors(q.Side)
	m.kernels.Depths(pull, pull, m.radius[:len(pull)], keep, float32(known*m.rho(q.Known)), candidate, 0)
	for e, d := range pull {
		if d == 0 {
			s.closed = append(s.closed, int32(e))
		}
	}
}

// settle removes the entities that hinge listed from the coefficients of query i, and sums the gradient of the known
// radius.
func (a *oneVsAll) settle(i int, pull []float32, s *oneVsAllScratch) {
	d := &a.model.distance
	for _, e := range s.closed {
		pull[e] = 0
	}
	if d.hasRadii {
		sum := 0.0
		for _, w := range pull {
			sum += float64(w)
		}
		known, _ := d.radiusFactors(a.queries[i].Side)
		a.distance.known[i] = -float32(known * float32(sum))
	}
	if d.isWhole {
		push := a.distance.push[i*a.pitch:]
		for e, w := range pull {
			push[e] = d.coefficient(w, push[e])
		}
	}
}

// pushPoints adds the gradients of the points of the queries [from, to), over entities in ascending order.
func (a *oneVsAll) pushPoints(gradient []float32, from, to int, s *oneVsAllScratch) {
	m, norm := a.model, &a.model.distance.norm
	for e := 0; e < m.entities; e += rowBlock {
		n := min(rowBlock, m.entities-e)
		for i := from; i < to; i++ {
			g, point := gradient[(i-from)*m.point:][:m.point], a.points[i*m.point:][:m.point]
			weight := a.distance.push[i*a.pitch+e:][:n]
			if !m.distance.swaps {
				number := a.distance.number[e:][:n]
				norm.GatherPush(g, point, m.center, number, number, weight, s.length)
				continue
			}
			pulls := s.pulls[:0]
			for k, w := range weight {
				if w != 0 {
					pulls = append(pulls, simd.Pull(int32(e+k), w))
				}
			}
			if len(pulls) > 0 {
				norm.OwnPush(g, point, m.center, pulls[:len(pulls):len(pulls)])
			}
		}
	}
}

// pushEntities adds the gradients of the rows [from, to), over queries in ascending order. s.block has their weights.
func (a *oneVsAll) pushEntities(gradient []float32, from, to int, s *oneVsAllScratch) {
	m, n := a.model, to-from
	for i := 0; i < len(a.queries); i += rowBlock {
		last := min(i+rowBlock, len(a.queries))
		for e := from; e < to; e++ {
			pulls := s.pulls[:0]
			for k := i; k < last; k++ {
				if w := s.block[k*n+e-from]; w != 0 {
					pulls = append(pulls, simd.Pull(int32(k), w))
				}
			}
			if len(pulls) > 0 {
				m.distance.norm.OwnPush(gradient[(e-from)*m.stride:][:m.stride], m.row(int32(e)), a.points,
					pulls[:len(pulls):len(pulls)])
			}
		}
	}
}

// updateRadii sums the gradients of the radii of a unit of entities in batch order and applies Adagrad.
func (a *oneVsAll) updateRadii(from, to int, s *oneVsAllScratch) {
	m := a.model
	clear(s.radius)
	for i, q := range a.queries {
		_, candidate := m.distance.radiusFactors(q.Side)
		for k, w := range a.pull[i*a.pitch+from : i*a.pitch+to] {
			s.radius[k] -= float32(candidate * w)
		}
	}
	for e := from; e < to; e++ {
		for _, i := range a.byKnown.of(e) {
			s.radius[e-from] += a.distance.known[i]
		}
	}
	end := min(from+ownedUnit, len(m.radius)) // with the padding
	raw, gradient := m.radius[from:end], s.radius[:end-from]
	m.rawRadii(gradient, raw)
	m.kernels.Adagrad(raw, a.squares.radius[from:end], gradient, a.rate, a.epsilon)
}
