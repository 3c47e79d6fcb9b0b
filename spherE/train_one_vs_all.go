package sphere

import (
	"math"
	"sync/atomic"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/table"
	"github.com/spherelab/spherelab/spherE/kg"
)

// oneVsAll trains by the cross-entropy of every training answer among all entities, with the regularizer N3 and
// Adagrad (Lacroix et al., ICML 2018). A fact is a tail query with its answer and a head query with its answer; of n
// facts,
//
//	L = 1/(2n) sum over both [ -log softmax(s)_answer + N3 (|known|_3^3 + |relation|_3^3 + |answer|_3^3) ]
//
// where |x|_3^3 is the sum of the cubed lengths of blocks; a relation has it where it is a factor. With a relation
// weight it has the terms of relationPrediction, too. A batch has distinct queries, each with all its answers, whose
// terms share one softmax. A step estimates L by its queries with every answer weighted alike: by one over the mean
// number of answers in a batch.
//
// A step has three sweeps: over queries (scores, coefficients dL/d(dist) of all entities, gradients of points), over
// entities and over relations. Products with all entities go through blocks of rows in one order, so that no number
// depends on the number of threads.
type oneVsAll struct {
	model   *Model
	sampler *kg.QuerySampler
	weight  float64 // of an answer in the loss
	n3      float64
	rate    float32
	epsilon float32
	squares moments // of gradients, summed by Adagrad

	// Of the queries of a batch:
	queries   []kg.Query
	answers   [][]int32
	points    []float32 // bound points
	pull      []float32 // queries x pitch: distances of all entities, then dL/d(dist)
	pitch     int
	unit      int       // queries per unit of work; it changes no number
	known     []float32 // gradients of known entities
	relation  []float32 // gradients of relations, relationWidth floats each
	loss      []float64
	distance  *oneVsAllDistance   // nil where distances are dot products
	relations *relationPrediction // nil where relations are not predicted

	byKnown, byRelation groups
	occurrences         []int32    // of entities in the facts of the batch
	facts               [][2]int32 // of relations, by the side of the query
	size                []float64  // N3 of each unit of entities, then of each relation

	scratch []oneVsAllScratch // per worker
	next    atomic.Int64      // next unit of work of the running sweep
	sweep   [3]func(worker int)
}

// oneVsAllScratch is the memory of one worker.
type oneVsAllScratch struct {
	gradient []float32 // of the points of a unit of queries, or of the rows of a unit of entities
	block    []float32 // coefficients that a product needs, side by side: in pull they lie far apart
	relation []float32 // gradient of one relation
	zero     []float32 // the point of the side that a query does not have
	none     []float32 // its gradient, and that of its entity
	other    []float32
	exp      []float64 // entities, or factors of relations
	distanceScratch
}

const (
	queryUnit = 128 // queries per unit of work, at most: a unit reads all entities twice
	ownedUnit = 32  // entities
)

func newOneVsAll(m *Model, g *kg.Graph, t Training, squares moments, workers int) (*oneVsAll, error) {
	if m.geometry.outside != nil {
		return nil, misfit("Training.Loss", "Settings.Model", t.Loss, "must be %s for model %s", SelfAdversarial,
			m.settings.Model)
	}
	sampler, err := kg.NewQuerySampler(g, t.Seed, t.Batch)
	if err != nil {
		return nil, err
	}
	a := &oneVsAll{
		model: m, sampler: sampler,
		weight: float64(sampler.Len()) / (float64(t.Batch) * float64(sampler.Answers())),
		n3:     t.N3, rate: float32(t.LearningRate), epsilon: float32(t.AdamEpsilon), squares: squares,
		queries: make([]kg.Query, t.Batch), answers: make([][]int32, t.Batch),
		points: table.Make(t.Batch*m.point, 3), pitch: simd.Padded(m.entities),
		known: make([]float32, t.Batch*m.stride), relation: make([]float32, t.Batch*len(m.rawRow(0))),
		loss: make([]float64, t.Batch), byKnown: newGroups(m.entities, t.Batch),
		byRelation: newGroups(m.relations, t.Batch), occurrences: make([]int32, m.entities),
		facts: make([][2]int32, m.relations), scratch: make([]oneVsAllScratch, workers),
	}
	if int64(t.Batch) > maxPulls/int64(a.pitch) {
		return nil, misfit("Training.Batch", "Training.Loss", t.Batch, "must be at most %d with loss %s on graph %s",
			maxPulls/int64(a.pitch), t.Loss, g.Name)
	}
	a.pull = table.Make(t.Batch*a.pitch, 4)
	a.unit = min(queryUnit, (t.Batch+workers-1)/workers+3) &^ 3 // kernels take four at a time
	a.size = make([]float64, (m.entities+ownedUnit-1)/ownedUnit+m.relations)
	for i := range a.scratch {
		a.scratch[i] = oneVsAllScratch{
			gradient: make([]float32, max(a.unit*m.point, ownedUnit*m.stride)),
			block:    make([]float32, max(a.unit*rowBlock, t.Batch*ownedUnit)),
			relation: make([]float32, len(m.rawRow(0))),
			zero:     make([]float32, m.point), none: make([]float32, m.point), other: make([]float32, m.stride),
			exp: make([]float64, max(m.entities, 2*m.relations)),
		}
	}
	if !m.settings.isProduct() {
		a.newDistances()
	}
	if t.RelationWeight > 0 {
		a.relations = newRelationPrediction(m, t)
	}
	a.sweep = [3]func(int){a.forward, a.updateEntities, a.updateRelations}
	return a, nil
}

// maxPulls bounds the coefficients of a step, 8 GB.
const maxPulls = 1 << 31

// step runs one step and returns its loss. If the loss is not finite the parameters do not change; the regularizer is
// then not part of it.
func (a *oneVsAll) step(number uint64, p *pool) float64 {
	a.draw(number)
	run := func(sweep int) {
		a.next.Store(0)
		p.run(a.sweep[sweep])
	}
	run(0)
	loss := 0.0
	for _, x := range a.loss {
		loss += x
	}
	loss = float64(loss * a.weight)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss
	}
	run(1)
	run(2)
	size := 0.0
	for _, x := range a.size {
		size += x
	}
	return loss + float64(float64(a.n3*a.weight)*size)
}

// draw draws the queries of a step, and counts what occurs in their facts.
func (a *oneVsAll) draw(number uint64) {
	a.sampler.Draw(number, a.queries, a.answers)
	a.byKnown.fill(len(a.queries), func(i int) int32 { return a.queries[i].Known })
	a.byRelation.fill(len(a.queries), func(i int) int32 { return a.queries[i].Relation })
	clear(a.occurrences)
	clear(a.facts)
	for i, q := range a.queries {
		n := int32(len(a.answers[i]))
		a.occurrences[q.Known] += n
		a.facts[q.Relation][q.Side] += n
		for _, e := range a.answers[i] {
			a.occurrences[e]++
		}
	}
	if a.relations != nil {
		a.relations.draw(a.answers)
	}
}

// take returns the next unit of work of size unit below n, or false when there is none.
func (a *oneVsAll) take(unit, n int) (from, to int, ok bool) {
	from = int(a.next.Add(int64(unit))) - unit
	return from, min(from+unit, n), from < n
}

// forward is the sweep over queries.
func (a *oneVsAll) forward(worker int) {
	m, s := a.model, &a.scratch[worker]
	for {
		from, to, ok := a.take(a.unit, len(a.queries))
		if !ok {
			return
		}
		points, pull := a.points[from*m.point:to*m.point], a.pull[from*a.pitch:to*a.pitch]
		m.Bind(a.queries[from:to], points)
		m.DistancesTo(points, 0, m.entities, pull, a.pitch)
		for i := from; i < to; i++ {
			row := pull[(i-from)*a.pitch:][:m.entities]
			if a.distance == nil {
				a.loss[i] = coefficients(m.kernels, row, a.answers[i], a.weight, s.exp)
				continue
			}
			a.hinge(i, row, s)
			a.loss[i] = coefficients(m.kernels, row, a.answers[i], a.weight, s.exp)
			a.settle(i, row, s)
		}
		gradient := s.gradient[:len(points)]
		clear(gradient)
		if a.distance == nil {
			a.combinePoints(gradient, pull, to-from, s)
		} else {
			a.pushPoints(gradient, from, to, s)
		}
		for i := from; i < to; i++ {
			a.pullBack(i, gradient[(i-from)*m.point:][:m.point], s)
		}
		if a.relations != nil {
			a.predictRelations(from, to, s)
		}
	}
}

// combinePoints sums the gradients of n points of dot products, whose coefficients are in pull.
func (a *oneVsAll) combinePoints(gradient, pull []float32, n int, s *oneVsAllScratch) {
	m := a.model
	for e := 0; e < m.entities; e += rowBlock {
		rows := min(rowBlock, m.entities-e)
		for i := range n {
			copy(s.block[i*rows:][:rows], pull[i*a.pitch+e:])
		}
		m.kernels.Combine(gradient, s.block, rows, 1, m.center[e*m.stride:(e+rows)*m.stride], m.stride)
	}
}

// coefficients turns the distances of all entities to a query into dL/d(dist), where each answer has the weight, and
// returns the query's loss in units of it. With n answers it is the sum of their distances plus n log sum exp(-dist).
// exp has a place for every distance.
func coefficients(k *simd.Kernels, pull []float32, answers []int32, weight float64, exp []float64) float64 {
	least := pull[0]
	for _, d := range pull {
		if d < least {
			least = d
		}
	}
	exp = exp[:len(pull)]
	loss, n := 0.0, float64(len(answers))
	for _, e := range answers {
		loss += float64(pull[e])
	}
	for e, d := range pull {
		exp[e] = float64(least) - float64(d)
	}
	k.Exp(exp, exp)
	sum := 0.0
	for _, x := range exp {
		sum += x
	}
	share := float64(weight*n) / sum
	for e, x := range exp {
		pull[e] = -float32(share * x)
	}
	for _, e := range answers {
		pull[e] = float32(weight - float64(share*exp[e]))
	}
	return loss + float64(n*(exact.Log(sum)-float64(least)))
}

// pullBack turns the gradient of the point of query i into those of its known entity and its relation.
func (a *oneVsAll) pullBack(i int, gradient []float32, s *oneVsAllScratch) {
	m, q := a.model, a.queries[i]
	point, row, turn := a.points[i*m.point:][:m.point], m.row(q.Known), m.turnRow(q.Relation)
	known, relation := a.knownRow(i), a.relationRow(i)
	clear(s.none)
	if q.Side == kg.TailSide {
		m.rotation.gradient(known, s.other, relation, row, s.zero[:m.stride], point, gradient, s.zero, s.none, turn)
	} else {
		m.rotation.gradient(s.other, known, relation, s.zero[:m.stride], row, s.zero, s.none, point, gradient, turn)
	}
}

func (a *oneVsAll) knownRow(i int) []float32 { return a.known[i*a.model.stride:][:a.model.stride] }

func (a *oneVsAll) relationRow(i int) []float32 {
	width := len(a.model.rawRow(0))
	return a.relation[i*width:][:width]
}

// updateEntities is the sweep over entities: one worker owns each unit of them, sums the gradients in batch order and
// applies Adagrad.
func (a *oneVsAll) updateEntities(worker int) {
	m, s := a.model, &a.scratch[worker]
	coordinates := m.rotation.coordinates()
	centers := coordinates * m.blocks
	for {
		from, to, ok := a.take(ownedUnit, m.entities)
		if !ok {
			return
		}
		gradient := s.gradient[:(to-from)*m.stride]
		clear(gradient)
		n, push := to-from, a.pull
		if a.distance != nil {
			push = a.distance.push
		}
		for i := range a.queries {
			copy(s.block[i*n:][:n], push[i*a.pitch+from:])
		}
		if a.distance == nil {
			for i := 0; i < len(a.queries); i += rowBlock {
				points := a.points[i*m.point : min(i+rowBlock, len(a.queries))*m.point]
				m.kernels.Combine(gradient, s.block[i*n:], 1, n, points, m.stride)
			}
		} else {
			a.pushEntities(gradient, from, to, s)
		}
		size := 0.0
		for e := from; e < to; e++ {
			g := gradient[(e-from)*m.stride:][:m.stride]
			for _, i := range a.byKnown.of(e) {
				m.kernels.Add(g, a.knownRow(int(i)))
			}
			if a.relations != nil {
				a.relations.addAnswer(m, g, e)
			}
			size += a.cubes(g[:centers], m.row(int32(e))[:centers], coordinates, a.occurrences[e])
		}
		a.size[from/ownedUnit] = size
		at := from * m.stride
		m.kernels.Adagrad(m.center[at:to*m.stride], a.squares.center[at:to*m.stride], gradient, a.rate, a.epsilon)
		if m.radius != nil {
			a.updateRadii(from, to, s)
		}
	}
}

// updateRelations is the sweep over relations. A relation that is in no query of the batch does not move, unless
// relations are predicted.
func (a *oneVsAll) updateRelations(worker int) {
	m, s := a.model, &a.scratch[worker]
	units := (m.entities + ownedUnit - 1) / ownedUnit
	for {
		r, _, ok := a.take(relationUnit, m.relations)
		if !ok {
			return
		}
		a.size[units+r] = 0
		queries := a.byRelation.of(r)
		if len(queries) == 0 && a.relations == nil {
			continue
		}
		raw, turn := m.rawRow(int32(r)), m.turnRow(int32(r))
		clear(s.relation)
		for _, i := range queries {
			m.kernels.Add(s.relation, a.relationRow(int(i)))
		}
		if a.relations != nil {
			a.relations.addRelation(m, s.relation, r)
		}
		m.rotation.rawGradient(s.relation, raw, turn)
		a.size[units+r] = a.relationCubes(s.relation, raw, a.facts[r])
		m.kernels.Adagrad(raw, a.squares.phase[r*len(raw):][:len(raw)], s.relation, a.rate, a.epsilon)
		m.rotation.prepare(turn, raw)
	}
}

// relationCubes does what cubes does for the factors of a relation. With reciprocal relations each side has its own.
// Relations that are not factors have no N3.
func (a *oneVsAll) relationCubes(gradient, raw []float32, facts [2]int32) float64 {
	if a.distance != nil {
		return 0
	}
	coordinates := a.model.rotation.coordinates()
	if !a.model.settings.Reciprocal {
		return a.cubes(gradient, raw, coordinates, facts[0]+facts[1])
	}
	half := len(raw) / 2
	return a.cubes(gradient[:half], raw[:half], coordinates, facts[kg.TailSide]) +
		a.cubes(gradient[half:], raw[half:], coordinates, facts[kg.HeadSide])
}

// cubes adds the gradient of N3 of a row, and returns the sum of the cubed lengths of its blocks, both multiplied by
// times: how often the row occurs in the facts of the batch.
func (a *oneVsAll) cubes(gradient, row []float32, planes int, times int32) float64 {
	if a.n3 == 0 || times == 0 {
		return 0
	}
	n := len(row) / planes
	sum, scale := 0.0, float64(3*float64(times)*float64(a.n3*a.weight))
	for j := range n {
		square := 0.0
		for i := j; i < len(row); i += n {
			square += float64(float64(row[i]) * float64(row[i]))
		}
		length := math.Sqrt(square)
		sum += float64(square * length)
		by := float64(scale * length)
		for i := j; i < len(row); i += n {
			gradient[i] += float32(by * float64(row[i]))
		}
	}
	return float64(sum * float64(times))
}
