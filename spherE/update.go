package sphere

// updateEntities is the second sweep over entities: each unit of them is owned by one worker, which sums the
// gradients of an entity's occurrences in batch order and applies Adam at once, while the row is in cache. Adam is
// dense: rows that this step does not name move too, here or together with an earlier step (window.go).
func (t *Trainer) updateEntities(worker int) {
	m, s := t.model, &t.scratch[worker]
	mean, square := &t.moment[0], &t.moment[1]
	o, gradient := &t.batch.order, s.gradient[:m.stride]
	for {
		from, to, ok := t.batch.take(entityUnit, m.entities)
		if !ok {
			return
		}
		for e := from; e < to; e++ {
			moves := t.window.moves(e)
			if len(moves) == 0 {
				continue
			}
			clear(gradient)
			at := e * m.stride
			row, rowMean, rowSquare := m.center[at:][:m.stride], mean.center[at:][:m.stride], square.center[at:][:m.stride]
			if pulls := o.pull[o.start[e]:o.start[e+1]]; len(pulls) > 0 {
				m.distance.kernels.OwnPush(gradient, row, t.batch.rows, pulls)
			}
			m.kernels.Adam(row, rowMean, rowSquare, gradient, &moves[0], t.window.next(e)*m.stride)
			if alone := moves[1:]; len(alone) > 0 {
				clear(gradient)
				for i := range alone {
					m.kernels.Adam(row, rowMean, rowSquare, gradient, &alone[i], 0)
				}
			}
		}
		if m.radius != nil {
			t.updateRadii(from, s)
		}
	}
}

// updateRadii is updateEntities for the radii of a unit, in every step.
func (t *Trainer) updateRadii(from int, s *scratch) {
	m, o := t.model, &t.batch.order
	clear(s.radius)
	for e := from; e < min(from+entityUnit, m.entities); e++ {
		for _, g := range o.radius[o.start[e]:o.start[e+1]] {
			s.radius[e-from] += g
		}
	}
	to := min(from+entityUnit, len(m.radius))
	t.rawRadii(s.radius[:to-from], m.radius[from:to])
	m.kernels.Adam(m.radius[from:to], t.moment[0].radius[from:to], t.moment[1].radius[from:to], s.radius[:to-from], t.window.now(), 2*entityUnit)
}

// rawRadii turns gradients of rho into gradients of the raw radii: rho is abs(raw), except in the paper's variant.
func (t *Trainer) rawRadii(gradient, raw []float32) {
	if t.model.settings.Variant == Paper {
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
