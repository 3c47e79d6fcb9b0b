package sphere

import (
	"sync/atomic"

	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/table"
	"github.com/spherelab/spherelab/spherE/kg"
)

// batch is what the first sweep of a step leaves for the second: per positive i of B, with N negatives,
//
//	positive[i], negative[i*N+j]
//	q, p            r(head), rows, and r^-1(tail), points
//	head, tail      gradient of the head through q and of the tail through p, rows
//	relation        gradient of the relation, rotation.width() planes
//	weight[i*(N+1)] coefficient of the positive, then of its negatives; 0 where the hinge is closed
//	pull            the same before distance.coefficient: dL/d(dist)
//	headRadius, tailRadius  gradient of rho of head and tail, without the negatives' own radii
//	loss            of the positive and its negatives
type batch struct {
	negatives, stride, point, width int

	positive             []kg.Triple
	negative             []kg.Negative
	q, p                 []float32
	head, tail, relation []float32
	weight, pull         []float32
	headRadius           []float32
	tailRadius           []float32
	loss                 []float64

	// Occurrences in batch order, sorted by entity: positive i has the numbers i*(N+2) for its head, one more for
	// its tail, then its negatives. entityStart[e] is where those of entity e begin.
	occurrence     []int32
	entityStart    []int32
	relationOf     []int32 // positives sorted by relation
	relationStart  []int32
	next           atomic.Int64 // next unit of work of the running sweep
	positiveWeight float64      // 1/(2 B)
}

func newBatch(m *Model, t Training) batch {
	b, n := t.Batch, t.Negatives
	rows := func() []float32 { return table.Make(b * m.stride) }
	return batch{
		negatives: n, stride: m.stride, point: m.point, width: m.rotation.width() * m.blocks,
		positive: make([]kg.Triple, b), negative: make([]kg.Negative, b*n),
		q: rows(), p: table.Make(b * m.point), head: rows(), tail: rows(),
		relation: make([]float32, b*m.rotation.width()*m.blocks),
		weight:   make([]float32, b*(n+1)), pull: make([]float32, b*(n+1)),
		headRadius: make([]float32, b), tailRadius: make([]float32, b),
		loss:       make([]float64, b),
		occurrence: make([]int32, b*(n+2)), entityStart: make([]int32, m.entities+1),
		relationOf: make([]int32, b), relationStart: make([]int32, m.relations+1),
		positiveWeight: 1 / float64(2*b),
	}
}

func (b *batch) row(table []float32, i int) []float32 { return table[i*b.stride:][:b.stride:b.stride] }

// pointOf returns where the tail of positive i puts its heads.
func (b *batch) pointOf(i int) []float32 { return b.p[i*b.point:][:b.point:b.point] }

// mean returns the loss of the batch, summed in batch order.
func (b *batch) mean() float64 {
	sum := 0.0
	for _, l := range b.loss {
		sum += l
	}
	return float64(sum * b.positiveWeight)
}

// sort orders occurrences by entity and positives by relation, each in batch order (counting sort).
func (b *batch) sort() {
	clear(b.entityStart)
	clear(b.relationStart)
	for _, t := range b.positive {
		b.entityStart[t.Head]++
		b.entityStart[t.Tail]++
		b.relationStart[t.Relation]++
	}
	for _, n := range b.negative {
		b.entityStart[n.Entity]++
	}
	ends(b.entityStart)
	ends(b.relationStart)
	// Backwards, so that each start moves from its end to its begin.
	slots := b.negatives + 2
	for i := len(b.positive) - 1; i >= 0; i-- {
		for j := b.negatives - 1; j >= 0; j-- {
			b.place(b.negative[i*b.negatives+j].Entity, i*slots+2+j)
		}
		t := b.positive[i]
		b.place(t.Tail, i*slots+1)
		b.place(t.Head, i*slots)
		b.relationStart[t.Relation]--
		b.relationOf[b.relationStart[t.Relation]] = int32(i)
	}
}

func (b *batch) place(entity int32, occurrence int) {
	b.entityStart[entity]--
	b.occurrence[b.entityStart[entity]] = int32(occurrence)
}

// ends turns counts into running totals; the last element, which counts nothing, becomes the grand total.
func ends(count []int32) {
	total := int32(0)
	for i := range count {
		total += count[i]
		count[i] = total
	}
}

// scratch is one worker's own memory, small enough for its first-level cache.
type scratch struct {
	gradQ, gradP []float32 // a row and a point
	gradient     []float32 // row of an entity or of a relation
	radius       []float32 // gradients of the raw radii of one unit of work
	distance     []float32 // N+1
	score        []float64 // N+1: -s of the positive, s' of the negatives
	softplus     []float64
	sigmoid      []float64
	attention    []float64 // N: p_j of self-adversarial sampling
}

func newScratch(m *Model, t Training) scratch {
	reals := func(n int) []float64 { return make([]float64, n) }
	n := t.Negatives
	return scratch{
		gradQ: make([]float32, m.stride), gradP: make([]float32, m.point),
		gradient: make([]float32, max(m.stride, m.rotation.width()*m.blocks)),
		radius:   make([]float32, entityUnit), distance: make([]float32, n+1),
		score: reals(n + 1), softplus: reals(n + 1), sigmoid: reals(n + 1), attention: reals(n),
	}
}

const (
	positiveUnit = 8              // positives that a worker takes at a time
	entityUnit   = 4 * simd.Lanes // entities; whole vectors of radii
	relationUnit = 1
)

// take returns the next unit of work of size unit below n, or false when there is none.
func (b *batch) take(unit, n int) (from, to int, ok bool) {
	from = int(b.next.Add(int64(unit))) - unit
	return from, min(from+unit, n), from < n
}
