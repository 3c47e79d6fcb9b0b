package sphere

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// reference is an independent float64 implementation of the model, written from the formulas, without rows, planes,
// kernels or analytic gradients.
type reference struct {
	s Settings
	// regularizer is the weight of the mean norm of entities in the loss.
	regularizer float64

	center [][][]float64 // entity, block, coordinate
	radius []float64
	ball   [][]float64   // entity, block: radius, of models whose blocks have one
	phase  [][][]float64 // relation, block, parameter
}

func newReference(m *Model) *reference {
	r := &reference{s: m.settings, radius: make([]float64, m.entities)}
	for e := range int32(m.entities) {
		var blocks [][]float64
		for block := range slices.Chunk(m.Center(e), len(m.Center(e))/m.settings.Dimension) {
			blocks = append(blocks, wide(block))
		}
		r.center = append(r.center, blocks)
		if m.radius != nil {
			r.radius[e] = float64(m.radius[e])
		}
	}
	if m.geometry.isHinged {
		for e := range int32(m.entities) {
			row := m.row(e)
			r.ball = append(r.ball, wide(row[len(row)-m.blocks:][:m.settings.Dimension]))
		}
	}
	for k := range int32(m.relations) {
		blocks := make([][]float64, m.settings.Dimension)
		for plane := range slices.Chunk(m.rawRow(k), m.blocks) {
			for j := range blocks {
				blocks[j] = append(blocks[j], float64(plane[j]))
			}
		}
		r.phase = append(r.phase, blocks)
	}
	return r
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = float64(x[i])
	}
	return y
}

// mirror reflects x at the hyperplane orthogonal to v, which need not have length 1.
func mirror(x, v []float64) []float64 {
	dot, square := 0.0, 0.0
	for i := range v {
		dot += x[i] * v[i]
		square += v[i] * v[i]
	}
	y := slices.Clone(x)
	for i := range y {
		y[i] -= 2 * dot / square * v[i]
	}
	return y
}

// rotate returns r(h) of one block.
func (r *reference) rotate(h, raw []float64) []float64 {
	k := float64(len(h))
	if len(h) > 3 {
		for v := range slices.Chunk(raw, len(h)) {
			h = mirror(h, v)
		}
		return h
	}
	angle := func(i int) float64 {
		if k == 2 { // raw in +-R is a full turn
			return raw[i] * math.Pi * float64(r.s.Dimension) / (r.s.Gamma + r.s.Epsilon)
		}
		return raw[i] * math.Pi * k * float64(r.s.Dimension) / (r.s.Gamma + r.s.Epsilon)
	}
	if k == 2 {
		sin, cos := math.Sincos(angle(0))
		return []float64{h[0]*cos - h[1]*sin, h[0]*sin + h[1]*cos}
	}
	// By quaternions: v + 2 a x (a x v + w v) for the unit quaternion (w, a).
	w := math.Cos(angle(2) / 2)
	length := math.Sin(angle(2) / 2)
	a := []float64{
		length * math.Cos(angle(0)), length * math.Sin(angle(0)) * math.Cos(angle(1)),
		length * math.Sin(angle(0)) * math.Sin(angle(1)),
	}
	cross := func(a, b []float64) []float64 {
		return []float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	}
	inner := cross(a, h)
	for i := range inner {
		inner[i] += w * h[i]
	}
	outer := cross(a, inner)
	moved := make([]float64, 3)
	for i := range moved {
		moved[i] = h[i] + 2*outer[i]
		if r.s.Variant == Released {
			moved[i] *= math.Abs(raw[3])
		}
	}
	return moved
}

func (r *reference) rho(e int32) float64 {
	if r.s.Variant == Paper {
		return r.radius[e]
	}
	return math.Abs(r.radius[e])
}

// unrotate returns r^-1(t) of one block of more than three coordinates.
func (r *reference) unrotate(t, raw []float64) []float64 {
	vectors := slices.Collect(slices.Chunk(raw, len(t)))
	for _, v := range slices.Backward(vectors) {
		t = mirror(t, v)
	}
	return t
}

// margin is what d is subtracted from.
func (r *reference) margin() float64 {
	if r.ball != nil || r.product() {
		return 0
	}
	return r.s.Gamma
}

// gaps is the sum over blocks of max(dist - r_h - r_t, -tau r_c), with c the entity on the side.
func (r *reference) gaps(t kg.Triple, side kg.Side) float64 {
	sum := 0.0
	for j, h := range r.center[t.Head] {
		square := 0.0
		for i, x := range r.rotate(h, r.phase[t.Relation][j]) {
			square += (x - r.center[t.Tail][j][i]) * (x - r.center[t.Tail][j][i])
		}
		gap := math.Sqrt(square) - r.ball[t.Head][j] - r.ball[t.Tail][j]
		sum += math.Max(gap, -r.s.Tau*r.ball[t.Answer(side)][j])
	}
	return sum
}

// closedBlocks counts the blocks of a batch in which balls touch.
func (r *reference) closedBlocks(d draws) int {
	closed := 0
	for i, x := range d.positive {
		for _, n := range d.negative[i] {
			x := corrupt(x, n)
			for j := range r.ball[0] {
				one := reference{s: r.s}
				for e := range r.center {
					one.center = append(one.center, r.center[e][j:j+1])
					one.ball = append(one.ball, r.ball[e][j:j+1])
				}
				for _, phase := range r.phase {
					one.phase = append(one.phase, phase[j:j+1])
				}
				if one.gaps(x, n.Side) <= -r.s.Tau*one.ball[x.Answer(n.Side)][0] {
					closed++
				}
			}
		}
	}
	return closed
}

func (r *reference) product() bool {
	return r.s.Model == ComplEx || r.s.Model == DistMult || r.s.Model == RESCAL
}

// number is a block of one or two numbers as a complex one.
func number(block []float64) complex128 {
	if len(block) == 1 {
		return complex(block[0], 0)
	}
	return complex(block[0], block[1])
}

// score is that of RESCAL, or of ComplEx; DistMult's is the same for real numbers.
func (r *reference) score(t kg.Triple, side kg.Side) float64 {
	known, other, sum := t.Head, t.Tail, 0.0
	for j, factors := range r.phase[t.Relation] {
		if r.s.Reciprocal {
			half := len(factors) / 2
			if side == kg.HeadSide {
				known, other = t.Tail, t.Head
				factors = factors[half:]
			} else {
				factors = factors[:half]
			}
		}
		if r.s.Model == RESCAL {
			for k, x := range factors {
				sum += r.center[known][j][0] * x * r.center[other][k][0]
			}
			continue
		}
		sum += real(number(r.center[known][j]) * number(factors) * cmplx.Conj(number(r.center[other][j])))
	}
	return sum
}

// dist measures a triple, from the side of the answer where that matters.
func (r *reference) dist(t kg.Triple, side kg.Side) float64 {
	if r.product() {
		return -r.score(t, side)
	}
	if r.s.Model == BoxE {
		return r.boxes(t, boxDistance)
	}
	sum := 0.0
	for j, h := range r.center[t.Head] {
		if r.s.Model == TransE {
			sum += math.Abs(h[0] + r.phase[t.Relation][j][0] - r.center[t.Tail][j][0])
			continue
		}
		if r.s.Model == TransEL2 {
			sum += math.Pow(h[0]+r.phase[t.Relation][j][0]-r.center[t.Tail][j][0], 2)
			continue
		}
		if (r.s.Model == HousE5D || r.s.Model == HousE10D || r.s.Model == HousE20D) && r.s.Variant == Released {
			point, other := r.rotate(h, r.phase[t.Relation][j]), r.center[t.Tail][j]
			if side == kg.HeadSide {
				point, other = r.unrotate(r.center[t.Tail][j], r.phase[t.Relation][j]), h
			}
			for i := range point {
				sum += math.Abs(point[i] - other[i])
			}
			continue
		}
		block := 0.0
		for i, x := range r.rotate(h, r.phase[t.Relation][j]) {
			difference := x - r.center[t.Tail][j][i]
			block += difference * difference
		}
		if r.s.Variant == Paper {
			sum += block
		} else {
			sum += math.Sqrt(block)
		}
	}
	if r.s.Variant == Paper || r.s.Model == TransEL2 {
		return math.Sqrt(sum)
	}
	return sum
}

// d returns d of a triple as an answer to its query of a side, or in training with that side corrupted.
func (r *reference) d(t kg.Triple, side kg.Side, training bool) float64 {
	if r.ball != nil {
		d := r.gaps(t, side)
		for _, rho := range r.ball[t.Answer(side)] {
			d += r.s.Tau * rho
		}
		return d
	}
	d := r.dist(t, side)
	if PointsOf(r.s.Model) == "" {
		return d
	}
	head, tail := r.rho(t.Head), r.rho(t.Tail)
	switch r.s.Variant {
	case Released:
		c := tail
		if !training && side == kg.HeadSide {
			c = head
		}
		d += r.s.Tau*c - head - tail
	case Paper:
		if side == kg.HeadSide {
			d -= head + tail + r.s.Alpha*head
		} else {
			d -= head + tail + r.s.Beta*tail
		}
	case Clean:
		d -= head + tail
	}
	return math.Max(0, d)
}

func corrupt(t kg.Triple, n kg.Negative) kg.Triple {
	if n.Side == kg.HeadSide {
		t.Head = n.Entity
	} else {
		t.Tail = n.Entity
	}
	return t
}

// draws are the positives and negatives of one batch.
type draws struct {
	positive []kg.Triple
	negative [][]kg.Negative
	side     kg.Side   // on which positives are answers
	weight   []float64 // of positives, nil for 1
}

func drawBatch(s *kg.Sampler, step uint64, t Training) draws {
	d := draws{side: kg.TailSide}
	if t.Sampling == "alternate" && step%2 == 1 {
		d.side = kg.HeadSide
	}
	for i := range t.Batch {
		n := make([]kg.Negative, t.Negatives)
		var positive [1]kg.Triple
		s.Draw(step, uint32(i), positive[:], n)
		d.positive = append(d.positive, positive[0])
		d.negative = append(d.negative, n)
	}
	return d
}

// attention returns p_ij, which the gradient takes as constants.
func (r *reference) attention(d draws, temperature float64) [][]float64 {
	p := make([][]float64, len(d.positive))
	for i, x := range d.positive {
		sum := 0.0
		p[i] = make([]float64, len(d.negative[i]))
		for j, n := range d.negative[i] {
			p[i][j] = math.Exp(temperature * (r.margin() - r.d(corrupt(x, n), n.Side, true)))
			sum += p[i][j]
		}
		for j := range p[i] {
			p[i][j] /= sum
		}
	}
	return p
}

func (r *reference) loss(d draws, attention [][]float64) float64 {
	logSigmoid := func(x float64) float64 { return -math.Log1p(math.Exp(-x)) }
	sum, weights := 0.0, 0.0
	for i, x := range d.positive {
		w := 1.0
		if d.weight != nil {
			w = d.weight[i]
		}
		weights += w
		sum -= w * logSigmoid(r.margin()-r.d(x, d.side, true))
		for j, n := range d.negative[i] {
			sum -= w * attention[i][j] * logSigmoid(r.d(corrupt(x, n), n.Side, true)-r.margin())
		}
	}
	norms := 0.0
	for _, entity := range r.center {
		square := 0.0
		for _, x := range slices.Concat(entity...) {
			square += x * x
		}
		norms += math.Sqrt(square)
	}
	return sum/(2*weights) + r.regularizer*norms/float64(len(r.center))
}

// variable is one trained number, in the reference and in the arrays of a Model.
type variable struct {
	name string
	add  func(dx float64)
	in   func(m moments) float32
}

func (r *reference) variables(m *Model) []variable {
	var all []variable
	for e := range r.center {
		for j := range r.center[e] {
			for p := range r.center[e][j] {
				at := e*m.stride + p*m.blocks + j
				all = append(all, variable{
					fmt.Sprintf("center[%d][%d].%d", e, j, p),
					func(dx float64) { r.center[e][j][p] += dx },
					func(v moments) float32 { return v.center[at] },
				})
			}
		}
	}
	for e := range r.radius {
		if m.radius != nil {
			all = append(all, variable{
				fmt.Sprintf("radius[%d]", e), func(dx float64) { r.radius[e] += dx },
				func(v moments) float32 { return v.radius[e] },
			})
		}
	}
	for e := range r.ball {
		for j := range r.ball[e] {
			at := (e+1)*m.stride - m.blocks + j
			all = append(all, variable{
				fmt.Sprintf("ball[%d].%d", e, j), func(dx float64) { r.ball[e][j] += dx },
				func(v moments) float32 { return v.center[at] },
			})
		}
	}
	for k := range r.phase {
		for j := range r.phase[k] {
			for p := range r.phase[k][j] {
				at := (k*len(r.phase[k][j])+p)*m.blocks + j
				all = append(all, variable{
					fmt.Sprintf("phase[%d][%d].%d", k, j, p),
					func(dx float64) { r.phase[k][j][p] += dx },
					func(v moments) float32 { return v.phase[at] },
				})
			}
		}
	}
	return all
}

// gradient returns central differences, at constant attention.
func (r *reference) gradient(d draws, v []variable, temperature float64) []float64 {
	const dx = 1e-6
	p := r.attention(d, temperature)
	g := make([]float64, len(v))
	for i := range v {
		v[i].add(dx)
		above := r.loss(d, p)
		v[i].add(-2 * dx)
		below := r.loss(d, p)
		v[i].add(dx)
		g[i] = (above - below) / (2 * dx)
	}
	return g
}
