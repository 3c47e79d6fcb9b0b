package sphere

import (
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// forward is the first sweep: it draws positives and negatives, and stores in the batch what the second sweep needs.
func (t *Trainer) forward(worker int) {
	for {
		from, to, ok := t.batch.take(positiveUnit, len(t.batch.positive))
		if !ok {
			return
		}
		s, unit := &t.scratch[worker], from/positiveUnit
		t.draw(from, to, s)
		s.relation, s.shared = t.batch.relations.reserve(unit)
		for i := from; i < to; i++ {
			t.positive(i, i-from, s)
		}
		t.batch.relations.add(unit, t.batch.positive, t.model.kernels.Add)
	}
}

// draw draws the positives [from, to) and lists their candidates, so that rows can be prefetched.
func (t *Trainer) draw(from, to int, s *scratch) {
	m, b := t.model, &t.batch
	each := b.negatives + 1
	s.drawn = to - from
	t.sampler.Draw(t.step, uint32(from), b.positive[from:to], b.negative[from*b.negatives:to*b.negatives])
	for i := from; i < to; i++ {
		negatives, x := b.negative[i*b.negatives:][:b.negatives], b.positive[i]
		m.kernels.Prefetch(m.row(x.Head))

		// Two passes without a branch, because sides are random. The second one may write one element past the end.
		candidate, slot := s.candidate[(i-from)*each:][:each+1], s.slot[(i-from)*each:][:each+1]
		at := 0
		if b.side == kg.TailSide {
			candidate[0], slot[0] = x.Tail, 0
			at = 1
		}
		for j, n := range negatives {
			candidate[at], slot[at] = n.Entity, int32(1+j)
			at += int(n.Side & kg.TailSide)
		}
		s.countQ[i-from] = int32(at)
		if b.side == kg.HeadSide {
			candidate[at], slot[at] = x.Head, 0
			at++
		}
		for j, n := range negatives {
			candidate[at], slot[at] = n.Entity, int32(1+j)
			at += int(n.Side&kg.TailSide ^ kg.TailSide)
		}
	}
}

// positive computes loss, coefficients and shared-side gradients of positive i, which is positive u of its unit. The
// known side is rotated once for all candidates: q = r(h) for corrupted tails, p = r^-1(t) for corrupted heads. The
// positive is the candidate of q that is its tail, or in a step that corrupts heads the one of p that is its head.
func (t *Trainer) positive(i, u int, s *scratch) {
	m, b, d := t.model, &t.batch, &t.model.distance
	x := b.positive[i]
	turn := m.turnRow(x.Relation)
	q, p := b.row(i, rowQ), b.row(i, rowP)
	pointQ := q[:m.pointQ]
	m.rotation.forward(q, m.row(x.Head), turn)
	m.rotation.inverse(p, m.row(x.Tail), turn)

	// The capacities reach to the end of the unit, so that Gather prefetches the rows of the next positive.
	each := b.negatives + 1
	candidate, slot, countQ := s.candidate[u*each:], s.slot[u*each:][:each], int(s.countQ[u])
	candidatesQ, candidatesP := candidate[:countQ], candidate[countQ:each]
	lengthQ, lengthP := s.length[:m.blocks], s.length[:m.blocks]
	if s.keeps {
		lengthQ, lengthP = s.length[:countQ*m.blocks], s.length[countQ*m.blocks:]
	}
	d.normQ.Gather(s.norm[:countQ], lengthQ, pointQ, m.center, candidatesQ)
	d.norm.Gather(s.norm[countQ:], lengthP, p, m.center, candidatesP)
	d.finish(s.norm)
	for c, k := range slot {
		s.distance[k] = s.norm[c]
	}
	if u+1 < s.drawn {
		m.kernels.Prefetch(b.rows[(i+1)*rowsPerPositive*b.point:][:rowsPerPositive*b.point])
	}
	// The rows of the next positive: the first ones are prefetched at once, the others during GatherPush.
	next := candidate[:each]
	if s.spreads && u+1 < s.drawn {
		next = s.candidate[(u+1)*each:][:each]
	}
	t.prefetchRows(u+1, 0, each/3, s)
	pull := b.pull[i*each:][:each]
	t.pulls(i, pull, s)
	if !s.spreads {
		t.prefetchRows(u+1, each/3, each, s)
	}

	weight := b.weight[i*each:][:each]
	if d.isWhole {
		for k, w := range pull {
			weight[k] = d.coefficient(w, s.distance[k])
		}
	}
	for c, k := range slot {
		s.push[c] = weight[k]
	}
	clear(s.gradQ)
	clear(s.gradP)
	if s.keeps || !d.swapsQ {
		d.normQ.GatherPush(s.gradQ[:m.pointQ], pointQ, m.center, candidatesQ, next[:countQ], s.push[:countQ], lengthQ)
	} else {
		t.pushRecomputed(s.gradQ[:m.pointQ], pointQ, 0, countQ, u, s)
	}
	if s.keeps || !d.swaps {
		d.norm.GatherPush(s.gradP, p, m.center, candidatesP, next[countQ:], s.push[countQ:], lengthP)
	} else {
		t.pushRecomputed(s.gradP, p, countQ, each, u, s)
	}
	relation := s.relation[u*b.relations.width:][:b.relations.width]
	if a := m.geometry.outside; a != nil {
		a.pull(b.row(i, rowHead)[:m.stride], b.row(i, rowTail)[:m.stride], relation, s.shared[:a.shape.Shared],
			m.row(x.Head), m.row(x.Tail), s.gradQ, s.gradP, turn)
		return
	}
	m.rotation.gradient(b.row(i, rowHead)[:m.stride], b.row(i, rowTail)[:m.stride], relation,
		m.row(x.Head), m.row(x.Tail), q, s.gradQ, p, s.gradP, turn)
}

// pushRecomputed is GatherPush without kept lengths, for norms in which point and candidate can change places. It
// covers the candidates [from, to) of positive u of the unit. Pulls of weight 0 between theirs only prefetch rows:
// those candidates of the next positive that prefetchRows leaves out.
func (t *Trainer) pushRecomputed(g, point []float32, from, to, u int, s *scratch) {
	m, each := t.model, t.batch.negatives+1
	candidate, next := s.candidate[u*each:], s.candidate[(u+1)*each:]
	first, last := prefetchBytes/(4*m.stride), interleavedBytes/(4*m.stride)
	if u+1 >= s.drawn {
		last = 0
	}
	pull := s.pull[:0]
	for c := from; c < to; c += simd.Ahead {
		end := min(c+simd.Ahead, to)
		for k := c; k < end; k++ {
			pull = append(pull, simd.Pull(candidate[k], s.push[k]))
		}
		for k := max(c, first); k < min(end, last); k++ {
			pull = append(pull, simd.Pull(next[k], 0))
		}
	}
	m.distance.normQ.OwnPush(g, point, m.center, pull[:len(pull):len(pull)])
}

// prefetchBytes bounds the rows that prefetchRows brings into the second-level cache, because the candidates of the
// current positive and the lengths of their blocks must stay there.
const prefetchBytes = 48 << 10

// interleavedBytes is the bound for the rows that pushRecomputed prefetches. Measured: larger and smaller bounds were
// no faster.
const interleavedBytes = 400 << 10

// prefetchRows prefetches the rows of candidates [from, to) of positive u of the unit. Without it memory is idle while
// the current positive is computed; the prefetches inside Gather alone come too late. Memory serves only a few requests
// at a time, so with many rows the processor would wait here for most of them.
func (t *Trainer) prefetchRows(u, from, to int, s *scratch) {
	m := t.model
	to = min(to, prefetchBytes/(4*m.stride))
	if u >= s.drawn || from >= to {
		return
	}
	for _, e := range s.candidate[u*(t.batch.negatives+1):][from:to] {
		m.kernels.Prefetch(m.row(e))
	}
}

// pulls fills pull with dL/d(dist) of the positive and its negatives, from their distances:
//
//	s = gamma - d,  d = max(0, dist - slack)
//	L = w (softplus(-s) + sum_j p_j softplus(s'_j)),  p_j = softmax_j(T s'_j), a constant
//
// where w is 1/(2B), or the positive's share in 1/2.
func (t *Trainer) pulls(i int, pull []float32, s *scratch) {
	m, b, d := t.model, &t.batch, &t.model.distance
	x := b.positive[i]
	negatives := b.negative[i*b.negatives:][:b.negatives]
	gamma := d.margin
	// Sides are random, so values that depend on them are looked up instead of branched on: the part of the radii that
	// a candidate of a side does not change, and the factor of its own.
	var known, factor [2]float32
	if d.hasRadii {
		f := &d.training
		known = [2]float32{
			kg.HeadSide: float32(f[kg.HeadSide].tail * m.rho(x.Tail)),
			kg.TailSide: float32(f[kg.TailSide].head * m.rho(x.Head)),
		}
		factor = [2]float32{kg.HeadSide: f[kg.HeadSide].head, kg.TailSide: f[kg.TailSide].tail}
	}
	score := func(k int, side kg.Side, entity int32) {
		dist, open := s.distance[k], float32(1)
		if d.hasRadii {
			dist -= known[side&1] + float32(factor[side&1]*m.rho(entity))
			if !(dist > 0) && dist == dist {
				dist, open = 0, 0
			}
		}
		pull[k], s.score[k] = open, gamma-float64(dist)
	}
	score(0, b.side, x.Answer(b.side))
	for j, n := range negatives {
		score(1+j, n.Side, n.Entity)
	}
	s.score[0] = -s.score[0]
	t.attend(s)
	whole := cap(s.score)
	m.kernels.Logistic(s.softplus[:whole], s.sigmoid[:whole], s.score[:whole])

	loss := 0.0
	for j, p := range s.attention {
		loss += float64(p * s.softplus[1+j])
	}
	b.loss[i] = s.softplus[0] + loss

	// The gradients of the radii of the positive's entities: from the positive with the factors of its query, and
	// from each negative for the entity that it keeps. Those of the corrupted entities are summed in the second sweep.
	var gradHead, gradTail float32
	weight := b.weightOf(i)
	if pull[0] != 0 {
		pull[0] = float32(s.sigmoid[0] * weight)
		f := &d.training[b.side]
		gradHead -= float32(f.head * pull[0])
		gradTail -= float32(f.tail * pull[0])
	}
	head := [2]float32{kg.TailSide: d.training[kg.TailSide].head}
	tail := [2]float32{kg.HeadSide: d.training[kg.HeadSide].tail}
	for j, n := range negatives {
		if pull[1+j] == 0 {
			continue
		}
		w := -float32(float64(s.attention[j]*s.sigmoid[1+j]) * weight)
		pull[1+j] = w
		gradHead -= float32(head[n.Side&1] * w)
		gradTail -= float32(tail[n.Side&1] * w)
	}
	b.headRadius[i], b.tailRadius[i] = gradHead, gradTail
}

// attend sets attention to the softmax of T times the scores of the negatives.
func (t *Trainer) attend(s *scratch) {
	scores := s.score[1:]
	maximum := scores[0]
	for _, x := range scores[1:] {
		if x > maximum {
			maximum = x
		}
	}
	exponent := s.softplus[:cap(s.attention)]
	for j, x := range scores {
		exponent[j] = float64(t.settings.Temperature * (x - maximum))
	}
	t.model.kernels.Exp(s.attention[:cap(s.attention)], exponent)
	sum := 0.0
	for _, e := range s.attention {
		sum += e
	}
	for j, e := range s.attention {
		s.attention[j] = e / sum
	}
}
