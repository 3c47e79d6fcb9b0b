package sphere

import "math"

// updateEntities is the second sweep over entities. One worker owns each unit of entities: it sums the pulls of an
// entity in batch order and applies Adam at once, while the row is in cache. Adam is dense: rows without pulls in this
// step move too, here or together with an earlier step (train_window.go).
func (t *Trainer) updateEntities(worker int) {
	m, s := t.model, &t.scratch[worker]
	pull := t.settings.Regularizer / float64(m.entities)
	centers := m.rotation.coordinates() * m.blocks
	mean, square := &t.moment[0], &t.moment[1]
	o, gradient := &t.batch.order, s.gradient[:m.stride]
	for {
		from, to, ok := t.batch.take(entityUnit, m.entities)
		if !ok {
			return
		}
		size := 0.0
		for e := from; e < to; e++ {
			pending := t.window.pendingSteps(e)
			if len(pending) == 0 {
				continue
			}
			clear(gradient)
			at := e * m.stride
			row, rowMean, rowSquare := m.center[at:][:m.stride], mean.center[at:][:m.stride],
				square.center[at:][:m.stride]
			if pulls := o.pull[o.start[e]:o.start[e+1]]; len(pulls) > 0 {
				m.distance.norm.OwnPush(gradient, row, t.batch.rows, pulls)
			}
			if pull > 0 {
				size += t.shrink(gradient[:centers], row[:centers], s.origin[:centers], pull)
			}
			m.kernels.Adam(row, rowMean, rowSquare, gradient, &pending[0], t.window.prefetchDistance(e)*m.stride)
			if later := pending[1:]; len(later) > 0 {
				clear(gradient)
				for i := range later {
					m.kernels.Adam(row, rowMean, rowSquare, gradient, &later[i], 0)
				}
			}
		}
		if pull > 0 {
			t.batch.size[from/entityUnit] = size
		}
		if m.radius != nil {
			t.updateRadii(from, s)
		}
	}
}

// shrink adds weight times the gradient of the 2-norm of a row to its gradient, and returns that norm.
func (t *Trainer) shrink(gradient, row, origin []float32, weight float64) float64 {
	whole := &t.model.kernels.Whole
	norm := math.Sqrt(float64(whole.Pair(origin, row)))
	if norm > 0 {
		whole.Push(gradient, origin, row, float32(weight/norm))
	}
	return norm
}

// updateRadii is updateEntities for the radii of a unit. Radii are updated in every step.
func (t *Trainer) updateRadii(from int, s *scratch) {
	m, o := t.model, &t.batch.order
	clear(s.radius)
	for e := from; e < min(from+entityUnit, m.entities); e++ {
		for _, g := range o.radius[o.start[e]:o.start[e+1]] {
			s.radius[e-from] += g
		}
	}
	to := min(from+entityUnit, len(m.radius))
	m.rawRadii(s.radius[:to-from], m.radius[from:to])
	mean, square := t.moment[0].radius[from:to], t.moment[1].radius[from:to]
	m.kernels.Adam(m.radius[from:to], mean, square, s.radius[:to-from], t.window.currentStep(), 2*entityUnit)
}

// rawRadii turns gradients by rho into gradients by the raw radii: rho is abs(raw), except in variant paper.
func (m *Model) rawRadii(gradient, raw []float32) {
	if m.settings.Variant == Paper {
		return
	}
	for i, r := range raw {
		switch {
		case r < 0:
			gradient[i] = -gradient[i]
		case r == 0:
			gradient[i] = 0
		}
	}
}
