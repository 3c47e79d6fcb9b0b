package sphere

import (
	"github.com/spherelab/spherelab/spherE/kg"
)

// forward is the first sweep: draws positives and negatives, and leaves in the batch what the second needs.
func (t *Trainer) forward(worker int) {
	for {
		from, to, ok := t.batch.take(positiveUnit, len(t.batch.positive))
		if !ok {
			return
		}
		for i := from; i < to; i++ {
			t.positive(i, &t.scratch[worker])
		}
	}
}

// positive computes loss, coefficients and shared-side gradients of positive i. The known side of every candidate
// is rotated once: q = r(h) for corrupted tails and the positive's own tail, p = r^-1(t) for corrupted heads.
func (t *Trainer) positive(i int, s *scratch) {
	m, b, d := t.model, &t.batch, &t.model.distance
	negatives := b.negative[i*b.negatives:][:b.negatives]
	x := t.sampler.Draw(t.step, uint32(i), negatives)
	b.positive[i] = x
	turn := m.turnRow(x.Relation)
	q, p := b.row(b.q, i), b.pointOf(i)
	m.rotation.forward(q, m.row(x.Head), turn)
	m.rotation.inverse(p, m.row(x.Tail), turn)

	prefetch := m.kernels.Prefetch
	prefetch(m.row(negatives[0].Entity))
	s.distance[0] = d.between(q, m.row(x.Tail))
	for j, n := range negatives {
		if j+1 < len(negatives) {
			prefetch(m.row(negatives[j+1].Entity))
		}
		if n.Side == kg.HeadSide {
			s.distance[1+j] = d.headBetween(p, m.row(n.Entity))
		} else {
			s.distance[1+j] = d.between(q, m.row(n.Entity))
		}
	}
	pull := b.pull[i*(b.negatives+1):][:b.negatives+1]
	t.pulls(i, pull, s)

	clear(s.gradQ)
	clear(s.gradP)
	weight := b.weight[i*(b.negatives+1):][:b.negatives+1]
	for k, w := range pull {
		w = d.coefficient(w, s.distance[k])
		weight[k] = w
		if w == 0 {
			continue
		}
		candidate := x.Tail
		if k > 0 {
			candidate = negatives[k-1].Entity
			if negatives[k-1].Side == kg.HeadSide {
				d.pushPoint(s.gradP, p, m.row(candidate), w)
				continue
			}
		}
		d.push(s.gradQ, m.row(candidate), q, w)
	}
	m.rotation.pullBack(b.row(b.head, i), b.row(b.tail, i), s.gradQ, s.gradP, turn)
	m.rotation.relationGradient(b.relation[i*b.width:][:b.width], m.row(x.Head), q, s.gradQ, p, s.gradP, turn)
}

// pulls fills pull with dL/d(dist) of the positive and its negatives, from their distances:
//
//	s = gamma - d,  d = max(0, dist - slack)
//	L = 1/(2B) * (softplus(-s) + sum_j p_j softplus(s'_j)),  p_j = softmax_j(T s'_j), a constant
func (t *Trainer) pulls(i int, pull []float32, s *scratch) {
	m, b, d := t.model, &t.batch, &t.model.distance
	x := b.positive[i]
	negatives := b.negative[i*b.negatives:][:b.negatives]
	gamma := m.settings.Gamma
	var rhoHead, rhoTail float32
	if d.radii {
		rhoHead, rhoTail = m.rho(x.Head), m.rho(x.Tail)
	}
	for k, dist := range s.distance {
		if d.radii {
			side, head, tail := kg.TailSide, rhoHead, rhoTail
			if k > 0 {
				if n := negatives[k-1]; n.Side == kg.HeadSide {
					side, head = kg.HeadSide, m.rho(n.Entity)
				} else {
					tail = m.rho(n.Entity)
				}
			}
			f := d.taught[side]
			dist -= float32(f.head*head) + float32(f.tail*tail)
		}
		pull[k] = 1
		if d.radii && !(dist > 0) && dist == dist {
			dist, pull[k] = 0, 0
		}
		s.score[k] = gamma - float64(dist)
	}
	s.score[0] = -s.score[0]
	t.attend(s)
	m.kernels.Logistic(s.softplus, s.sigmoid, s.score)

	loss := 0.0
	for j, p := range s.attention {
		loss += float64(p * s.softplus[1+j])
	}
	b.loss[i] = s.softplus[0] + loss

	var gradHead, gradTail float32
	for k := range pull {
		if pull[k] == 0 {
			continue
		}
		side := kg.TailSide
		if k == 0 {
			pull[0] = float32(s.sigmoid[0] * b.positiveWeight)
		} else {
			side = negatives[k-1].Side
			pull[k] = -float32(float64(s.attention[k-1]*s.sigmoid[k]) * b.positiveWeight)
		}
		// The radii of the positive's own entities; a negative's is summed in the second sweep.
		f := d.taught[side]
		if k == 0 || side == kg.TailSide {
			gradHead -= float32(f.head * pull[k])
		}
		if k == 0 || side == kg.HeadSide {
			gradTail -= float32(f.tail * pull[k])
		}
	}
	b.headRadius[i], b.tailRadius[i] = gradHead, gradTail
}

// attend fills attention with the softmax of T times the negatives' scores.
func (t *Trainer) attend(s *scratch) {
	scores := s.score[1:]
	most := scores[0]
	for _, x := range scores[1:] {
		if x > most {
			most = x
		}
	}
	for j, x := range scores {
		s.attention[j] = float64(t.settings.Temperature * (x - most))
	}
	t.model.kernels.Exp(s.attention, s.attention)
	sum := 0.0
	for _, e := range s.attention {
		sum += e
	}
	for j, e := range s.attention {
		s.attention[j] = e / sum
	}
}
