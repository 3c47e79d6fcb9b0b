package sphere

import "github.com/spherelab/spherelab/spherE/kg"

// updateEntities is the second sweep over entities: each unit of them is owned by one worker, which sums the
// gradients of an entity's occurrences in batch order and applies Adam at once, while the row is in cache. Every
// entity is updated in every step, as Adam is dense.
func (t *Trainer) updateEntities(worker int) {
	m, s := t.model, &t.scratch[worker]
	first, second := &t.moment[0], &t.moment[1]
	gradient := s.gradient[:m.stride]
	for {
		from, to, ok := t.batch.take(entityUnit, m.entities)
		if !ok {
			return
		}
		clear(s.radius)
		for e := from; e < to; e++ {
			clear(gradient)
			s.radius[e-from] = t.sumEntity(int32(e), gradient)
			at := e * m.stride
			m.kernels.Adam(m.center[at:][:m.stride], first.center[at:][:m.stride], second.center[at:][:m.stride], gradient, &t.adam)
		}
		if m.radius != nil {
			to = min(from+entityUnit, len(m.radius))
			t.rawRadii(s.radius[:to-from], m.radius[from:to])
			m.kernels.Adam(m.radius[from:to], first.radius[from:to], second.radius[from:to], s.radius[:to-from], &t.adam)
		}
	}
}

// sumEntity adds the gradients of all occurrences of e to gradient and returns that of its radius rho.
func (t *Trainer) sumEntity(e int32, gradient []float32) (radius float32) {
	m, b, d := t.model, &t.batch, &t.model.distance
	own := m.row(e)
	slots := b.negatives + 2
	occurrences := b.occurrence[b.entityStart[e]:b.entityStart[e+1]]
	for k, o := range occurrences {
		if k+1 < len(occurrences) {
			t.prefetch(int(occurrences[k+1]))
		}
		i := int(o) / slots
		slot := int(o) - i*slots
		weight := i * (b.negatives + 1)
		switch slot {
		case 0:
			m.kernels.Add(gradient, b.row(b.head, i))
			radius += b.headRadius[i]
		case 1:
			if w := b.weight[weight]; w != 0 {
				d.push(gradient, b.row(b.q, i), own, w)
			}
			m.kernels.Add(gradient, b.row(b.tail, i))
			radius += b.tailRadius[i]
		default:
			j := slot - 2
			w := b.weight[weight+1+j]
			if b.pull[weight+1+j] == 0 {
				continue
			}
			if b.negative[i*b.negatives+j].Side == kg.TailSide {
				if w != 0 {
					d.push(gradient, b.row(b.q, i), own, w)
				}
				radius -= float32(d.taught[kg.TailSide].tail * b.pull[weight+1+j])
			} else {
				if w != 0 {
					d.pushHead(gradient, b.pointOf(i), own, w)
				}
				radius -= float32(d.taught[kg.HeadSide].head * b.pull[weight+1+j])
			}
		}
	}
	return radius
}

// prefetch asks for the row that an occurrence will read.
func (t *Trainer) prefetch(occurrence int) {
	b := &t.batch
	i := occurrence / (b.negatives + 2)
	row := b.row(b.q, i)
	switch slot := occurrence - i*(b.negatives+2); {
	case slot == 0:
		row = b.row(b.head, i)
	case slot > 1 && b.negative[i*b.negatives+slot-2].Side == kg.HeadSide:
		row = b.pointOf(i)
	}
	t.model.kernels.Prefetch(row)
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
	first, second := &t.moment[0], &t.moment[1]
	gradient := t.scratch[worker].gradient[:b.width]
	for {
		r, _, ok := b.take(relationUnit, m.relations)
		if !ok {
			return
		}
		clear(gradient)
		for _, i := range b.relationOf[b.relationStart[r]:b.relationStart[r+1]] {
			m.kernels.Add(gradient, b.relation[int(i)*b.width:][:b.width])
		}
		raw := m.rawRow(int32(r))
		m.rotation.rawGradient(gradient, raw, m.turnRow(int32(r)))
		at := r * b.width
		m.kernels.Adam(raw, first.phase[at:][:b.width], second.phase[at:][:b.width], gradient, &t.adam)
		m.rotation.prepare(m.turnRow(int32(r)), raw)
	}
}
