package sphere

import (
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// relationPrediction is the part of oneVsAll that predicts the relation of a fact from its entities, for models whose
// scores are products (Chen et al., AKBC 2021). Every fact of a batch, once for each side that asks for it, adds
//
//	weight * -log softmax(s)_relation
//
// to the terms of oneVsAll, over all relations; with reciprocal relations over both factors of all relations. The
// distance of a factor f is the dot product of its row and the pair w of the fact's entities.
type relationPrediction struct {
	product productRotation
	weight  float64
	rows    int // factors: relations, or with reciprocal relations twice as many
	width   int // floats of a factor and of a pair

	start    []int32 // first fact of each query; the last element is the end
	query    []int32 // of each fact
	answer   []int32
	pair     []float32 // facts x width
	pull     []float32 // facts x rows: distances of all factors, then dL/d(dist)
	gradient []float32 // facts x width: of the pair, then of the answer
	byAnswer groups
}

// productRotation is a rotation whose distances are also dot products of a factor and a pair of entities.
type productRotation interface {
	rotation
	// pair sets w to the pair of a and b: the distance of a query that knows a to b is the dot product of the
	// factors, as prepare leaves them, and w.
	pair(w, a, b []float32)
	// pairGradient sets ga and gb to the gradients of a and b, where gw is that of w.
	pairGradient(ga, gb, gw, a, b []float32)
}

// newRelationPrediction is for a training that fits the model, see Training.FitsModel.
func newRelationPrediction(m *Model, t Training) *relationPrediction {
	p := &relationPrediction{product: m.rotation.(productRotation), weight: t.RelationWeight, rows: m.relations,
		width: m.turns, start: make([]int32, t.Batch+1), byAnswer: newGroups(m.entities, 0)}
	if m.settings.Reciprocal {
		p.rows, p.width = 2*p.rows, p.width/2
	}
	return p
}

// draw lists the facts of a batch.
func (p *relationPrediction) draw(answers [][]int32) {
	p.query, p.answer = p.query[:0], p.answer[:0]
	for i, list := range answers {
		p.start[i] = int32(len(p.answer))
		p.answer = append(p.answer, list...)
		for range list {
			p.query = append(p.query, int32(i))
		}
	}
	n := len(p.answer)
	p.start[len(answers)] = int32(n)
	p.pair = extend(p.pair, n*p.width)
	p.gradient = extend(p.gradient, n*p.width)
	p.pull = extend(p.pull, n*p.rows)
	p.byAnswer.place = extend(p.byAnswer.place, n)
	p.byAnswer.fill(n, func(f int) int32 { return p.answer[f] })
}

// extend returns x with n elements, in new memory only where it is too small.
func extend[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }

// factor is the place of a query's own factor among all.
func (p *relationPrediction) factor(m *Model, q kg.Query) int32 {
	if !m.settings.Reciprocal {
		return q.Relation
	}
	if q.Side == kg.HeadSide {
		return 2*q.Relation + 1
	}
	return 2 * q.Relation
}

// ends returns the known entity and the answer of fact f in the order in which pair takes them.
func (a *oneVsAll) ends(f int) (first, second []float32, isSwapped bool) {
	q := a.queries[a.relations.query[f]]
	known, answer := a.model.row(q.Known), a.model.row(a.relations.answer[f])
	if q.Side == kg.HeadSide && !a.model.settings.Reciprocal {
		return answer, known, true
	}
	return known, answer, false
}

// predictRelations adds to the sweep over queries: the losses of the facts of the queries [from, to), the gradients of
// their known entities, and those of their answers.
func (a *oneVsAll) predictRelations(from, to int, s *oneVsAllScratch) {
	m, p := a.model, a.relations
	first, last := int(p.start[from]), int(p.start[to])
	pair, pull := p.pair[first*p.width:last*p.width], p.pull[first*p.rows:last*p.rows]
	for f := first; f < last; f++ {
		one, other, _ := a.ends(f)
		p.product.pair(p.pair[f*p.width:][:p.width], one, other)
	}
	for r := 0; r < p.rows; r += rowBlock {
		m.distance.norm.Rows(pull[r:], p.rows, pair, m.turn[r*p.width:min(r+rowBlock, p.rows)*p.width], p.width)
	}
	for f := first; f < last; f++ {
		i := p.query[f]
		own := [1]int32{p.factor(m, a.queries[i])}
		loss := coefficients(m.kernels, p.pull[f*p.rows:][:p.rows], own[:], float64(a.weight*p.weight), s.exp)
		a.loss[i] += float64(p.weight * loss)
	}
	gradient := p.gradient[first*p.width : last*p.width]
	clear(gradient)
	for r := 0; r < p.rows; r += rowBlock {
		m.kernels.Combine(gradient, pull[r:], p.rows, 1, m.turn[r*p.width:min(r+rowBlock, p.rows)*p.width], p.width)
	}
	for f := first; f < last; f++ {
		one, other, isSwapped := a.ends(f)
		row := p.gradient[f*p.width:][:p.width]
		known, answer := s.none[:p.width], s.other[:p.width]
		if isSwapped {
			p.product.pairGradient(answer, known, row, one, other)
		} else {
			p.product.pairGradient(known, answer, row, one, other)
		}
		m.kernels.Add(a.knownRow(int(p.query[f]))[:p.width], known)
		copy(row, answer)
	}
}

// addAnswer adds the gradients of entity e as an answer, in the order of the batch.
func (p *relationPrediction) addAnswer(m *Model, gradient []float32, e int) {
	for _, f := range p.byAnswer.of(e) {
		m.kernels.Add(gradient[:p.width], p.gradient[int(f)*p.width:][:p.width])
	}
}

// addRelation adds the gradient of the factors of relation r, over facts in the order of the batch.
func (p *relationPrediction) addRelation(m *Model, gradient []float32, r int) {
	factors := len(gradient) / p.width
	for f := 0; f < len(p.answer); f += rowBlock {
		pair := p.pair[f*p.width : min(f+rowBlock, len(p.answer))*p.width]
		m.kernels.Combine(gradient, p.pull[f*p.rows+r*factors:], 1, p.rows, pair, p.width)
	}
}
