package sphere

import (
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// forward is the first sweep: draws positives and negatives, and leaves in the batch what the second needs.
func (t *Trainer) forward(worker int) {
	for {
		from, to, ok := t.batch.take(positiveUnit, len(t.batch.positive))
		if !ok {
			return
		}
		s, unit := &t.scratch[worker], from/positiveUnit
		t.draw(from, to, s)
		s.relation = t.batch.relations.place(unit)
		for i := from; i < to; i++ {
			t.positive(i, i-from, s)
		}
		t.batch.relations.add(unit, t.batch.positive, t.model.kernels.Add)
	}
}

// draw draws positives from to to and lists their candidates, so that rows can be asked for ahead of their use.
func (t *Trainer) draw(from, to int, s *scratch) {
	m, b := t.model, &t.batch
	each := b.negatives + 1
	s.drawn = to - from
	t.sampler.DrawAll(t.step, uint32(from), b.positive[from:to], b.negative[from*b.negatives:to*b.negatives])
	for i := from; i < to; i++ {
		negatives, x := b.negative[i*b.negatives:][:b.negatives], b.positive[i]
		m.kernels.Prefetch(m.row(x.Head))

		// Two passes without a branch, as sides are random. The second one may write one place too far.
		candidate, slot := s.candidate[(i-from)*each:][:each+1], s.slot[(i-from)*each:][:each+1]
		candidate[0], slot[0] = x.Tail, 0
		at := 1
		for j, n := range negatives {
			candidate[at], slot[at] = n.Entity, int32(1+j)
			at += int(n.Side & kg.TailSide)
		}
		s.withQ[i-from] = int32(at)
		for j, n := range negatives {
			candidate[at], slot[at] = n.Entity, int32(1+j)
			at += int(n.Side&kg.TailSide ^ kg.TailSide)
		}
	}
}

// positive computes loss, coefficients and shared-side gradients of positive i, number u of its unit. The known side
// of every candidate is rotated once: q = r(h) for corrupted tails and the positive's own tail, p = r^-1(t) for
// corrupted heads.
func (t *Trainer) positive(i, u int, s *scratch) {
	m, b, d := t.model, &t.batch, &t.model.distance
	x := b.positive[i]
	turn := m.turnRow(x.Relation)
	q, p := b.row(i, rowQ), b.row(i, rowP)
	ofQ := q[:m.stride]
	m.rotation.forward(q, m.row(x.Head), turn)
	m.rotation.inverse(p, m.row(x.Tail), turn)

	// The capacities reach to the end of the unit: its next positives' rows are asked for in time.
	each := b.negatives + 1
	candidate, slot, withQ := s.candidate[u*each:], s.slot[u*each:][:each], int(s.withQ[u])
	byQ, byP := candidate[:withQ], candidate[withQ:each]
	lengthQ, lengthP := s.length[:m.blocks], s.length[:m.blocks]
	if s.keeps {
		lengthQ, lengthP = s.length[:withQ*m.blocks], s.length[withQ*m.blocks:]
	}
	d.ofQ.Gather(s.norm[:withQ], lengthQ, ofQ, m.center, byQ)
	d.kernels.Gather(s.norm[withQ:], lengthP, p, m.center, byP)
	d.finish(s.norm)
	for c, k := range slot {
		s.distance[k] = s.norm[c]
	}
	if u+1 < s.drawn {
		m.kernels.Prefetch(b.rows[(i+1)*rowsPerPositive*b.point:][:rowsPerPositive*b.point])
	}
	t.askFor(u+1, 0, each/3, s)
	pull := b.pull[i*each:][:each]
	t.pulls(i, pull, s)
	t.askFor(u+1, each/3, each, s)

	weight := b.weight[i*each:][:each]
	if d.whole {
		for k, w := range pull {
			weight[k] = d.coefficient(w, s.distance[k])
		}
	}
	for c, k := range slot {
		s.push[c] = weight[k]
	}
	clear(s.gradQ)
	clear(s.gradP)
	if s.keeps {
		d.ofQ.GatherPush(s.gradQ[:m.stride], ofQ, m.center, byQ, s.push[:withQ], lengthQ)
	} else {
		t.pushTowards(s.gradQ[:m.stride], ofQ, 0, withQ, u, s)
	}
	if s.keeps || m.rotation.stretches() {
		d.kernels.GatherPush(s.gradP, p, m.center, byP, s.push[withQ:], lengthP)
	} else {
		t.pushTowards(s.gradP, p, withQ, each, u, s)
	}
	m.rotation.pullBack(b.row(i, rowHead)[:m.stride], b.row(i, rowTail)[:m.stride], s.gradQ, s.gradP, turn)
	m.rotation.relationGradient(s.relation[u*b.relations.width:][:b.relations.width], m.row(x.Head), q, s.gradQ, p, s.gradP, turn)
}

// pushTowards is GatherPush without kept lengths, for norms in which point and candidate can change places: those of
// candidates from to to of positive number u of the unit. Between their pulls stand some of weight 0, whose rows are
// only asked for: those of the next positive's candidates that askFor leaves out.
func (t *Trainer) pushTowards(g, point []float32, from, to, u int, s *scratch) {
	m, each := t.model, t.batch.negatives+1
	candidate, next := s.candidate[u*each:], s.candidate[(u+1)*each:]
	already, asked := askBytes/(4*m.stride), nextBytes/(4*m.stride)
	if u+1 >= s.drawn {
		asked = 0
	}
	pull := s.pull[:0]
	for c := from; c < to; c += simd.Ahead {
		end := min(c+simd.Ahead, to)
		for k := c; k < end; k++ {
			pull = append(pull, simd.Pull(candidate[k], s.push[k]))
		}
		for k := max(c, already); k < min(end, asked); k++ {
			pull = append(pull, simd.Pull(next[k], 0))
		}
	}
	m.distance.ofQ.OwnPush(g, point, m.center, pull[:len(pull):len(pull)])
}

// askBytes is how much of the second-level cache the rows that askFor asks for may take: the candidates of the
// positive in work, and the lengths of their blocks, are to stay there.
const askBytes = 48 << 10

// nextBytes is the same for the rows of pushTowards; measured: with more, and with less, steps were no faster.
const nextBytes = 400 << 10

// askFor asks for rows that positive number u of the unit will read: candidates from to to. Memory is idle while
// this positive is computed, and prefetching inside Gather alone would leave it so.
func (t *Trainer) askFor(u, from, to int, s *scratch) {
	m := t.model
	to = min(to, askBytes/(4*m.stride))
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
//	L = 1/(2B) * (softplus(-s) + sum_j p_j softplus(s'_j)),  p_j = softmax_j(T s'_j), a constant
func (t *Trainer) pulls(i int, pull []float32, s *scratch) {
	m, b, d := t.model, &t.batch, &t.model.distance
	x := b.positive[i]
	negatives := b.negative[i*b.negatives:][:b.negatives]
	gamma := m.settings.Gamma
	// Sides are random: what depends on them is looked up instead of branched on.
	var rho, positive [2]float32 // of head and tail, by the side they are on
	if d.radii {
		positive = [2]float32{kg.HeadSide: m.rho(x.Head), kg.TailSide: m.rho(x.Tail)}
	}
	for k, dist := range s.distance {
		if d.radii {
			side := kg.TailSide
			rho = positive
			if k > 0 {
				n := negatives[k-1]
				side = n.Side & 1
				rho[side] = m.rho(n.Entity)
			}
			f := &d.taught[side]
			dist -= float32(f.head*rho[kg.HeadSide]) + float32(f.tail*rho[kg.TailSide])
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

	// The radii of the positive's own entities: the tail query's factors for itself, and of a negative that of the
	// entity which stayed; the other one's is summed in the second sweep.
	var gradHead, gradTail float32
	if pull[0] != 0 {
		pull[0] = float32(s.sigmoid[0] * b.positiveWeight)
		f := &d.taught[kg.TailSide]
		gradHead -= float32(f.head * pull[0])
		gradTail -= float32(f.tail * pull[0])
	}
	head := [2]float32{kg.TailSide: d.taught[kg.TailSide].head}
	tail := [2]float32{kg.HeadSide: d.taught[kg.HeadSide].tail}
	for j, n := range negatives {
		if pull[1+j] == 0 {
			continue
		}
		w := -float32(float64(s.attention[j]*s.sigmoid[1+j]) * b.positiveWeight)
		pull[1+j] = w
		gradHead -= float32(head[n.Side&1] * w)
		gradTail -= float32(tail[n.Side&1] * w)
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
