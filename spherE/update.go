package sphere

// updateEntities is the second sweep over entities: each unit of them is owned by one worker, which sums the
// gradients of an entity's occurrences in batch order and applies Adam at once, while the row is in cache. Every
// entity is updated in every step, as Adam is dense.
func (t *Trainer) updateEntities(worker int) {
	m, s := t.model, &t.scratch[worker]
	mean, square := &t.moment[0], &t.moment[1]
	o, gradient := &t.batch.order, s.gradient[:m.stride]
	for {
		from, to, ok := t.batch.take(entityUnit, m.entities)
		if !ok {
			return
		}
		clear(s.radius)
		for e := from; e < to; e++ {
			clear(gradient)
			first, last := o.start[e], o.start[e+1]
			at := e * m.stride
			row := m.center[at:][:m.stride]
			m.distance.kernels.OwnPush(gradient, row, t.batch.rows, o.pull[first:last])
			if m.radius != nil {
				for _, g := range o.radius[first:last] {
					s.radius[e-from] += g
				}
			}
			m.kernels.Adam(row, mean.center[at:][:m.stride], square.center[at:][:m.stride], gradient, &t.adam)
		}
		if m.radius != nil {
			to = min(from+entityUnit, len(m.radius))
			t.rawRadii(s.radius[:to-from], m.radius[from:to])
			m.kernels.Adam(m.radius[from:to], mean.radius[from:to], square.radius[from:to], s.radius[:to-from], &t.adam)
		}
	}
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

// updateRelations is the second sweep over relations.
func (t *Trainer) updateRelations(worker int) {
	m, b := t.model, &t.batch
	mean, square := &t.moment[0], &t.moment[1]
	gradient := t.scratch[worker].gradient[:b.width]
	for {
		r, _, ok := b.take(relationUnit, m.relations)
		if !ok {
			return
		}
		clear(gradient)
		for _, i := range b.order.relationOf[b.order.relationStart[r]:b.order.relationStart[r+1]] {
			m.kernels.Add(gradient, b.relation[int(i)*b.width:][:b.width])
		}
		raw := m.rawRow(int32(r))
		m.rotation.rawGradient(gradient, raw, m.turnRow(int32(r)))
		at := r * b.width
		m.kernels.Adam(raw, mean.phase[at:][:b.width], square.phase[at:][:b.width], gradient, &t.adam)
		m.rotation.prepare(m.turnRow(int32(r)), raw)
	}
}
