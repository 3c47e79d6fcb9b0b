package sphere

import (
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// order lists the gradient contributions of a batch by entity, in batch order. A contribution is called a pull, see
// simd.Pull. The list is made by a counting sort in two passes; each worker counts and places the pulls of a fixed
// range of positives.
//
// A positive has N+3 pulls: one of its head (the gradient through q), two of its tail (the distance to q, and the
// gradient through p) and one of each negative (the distance to q or p). In a step that corrupts heads the positive's
// distance is that of its head to p.
type order struct {
	pull   []uint64  // simd.Pull of rows of the batch, sorted by entity
	radius []float32 // what each pull adds to the gradient of the entity's radius rho; nil without radii
	start  []int32   // per entity the index of its first pull; the last element is the end
	cursor [][]int32 // per worker and entity: first a number of pulls, then the index of the next one
}

func newOrder(m *Model, t Training, workers int) order {
	pulls := t.Batch * (t.Negatives + 3)
	o := order{
		pull: make([]uint64, pulls), start: make([]int32, m.entities+1), cursor: make([][]int32, workers),
	}
	if m.radius != nil {
		o.radius = make([]float32, pulls)
	}
	for w := range o.cursor {
		o.cursor[w] = make([]int32, m.entities)
	}
	return o
}

// positivesOf returns the range of positives of one worker in the two passes.
func (t *Trainer) positivesOf(worker int) (from, to int) {
	n, workers := len(t.batch.positive), len(t.scratch)
	return worker * n / workers, (worker + 1) * n / workers
}

// countPulls is the first pass.
func (t *Trainer) countPulls(worker int) {
	b := &t.batch
	from, to := t.positivesOf(worker)
	count := b.order.cursor[worker]
	clear(count)
	for _, x := range b.positive[from:to] {
		count[x.Head]++
		count[x.Tail]++
		count[x.Answer(b.side)]++
	}
	for _, n := range b.negative[from*b.negatives : to*b.negatives] {
		count[n.Entity]++
	}
}

// assignStarts turns the workers' counts into the indexes of their first pulls.
func (b *batch) assignStarts() {
	o := &b.order
	total := int32(0)
	for e := range len(o.start) - 1 {
		o.start[e] = total
		for _, cursor := range o.cursor {
			n := cursor[e]
			cursor[e] = total
			total += n
		}
	}
	o.start[len(o.start)-1] = total
}

// placePulls is the second pass.
func (t *Trainer) placePulls(worker int) {
	b, d := &t.batch, &t.model.distance
	o := &b.order
	cursor, hasRadii := o.cursor[worker], o.radius != nil
	from, to := t.positivesOf(worker)
	// The row that candidates of a side are compared with, and the factor of their radius in training.
	row := [2]int32{kg.HeadSide: rowP, kg.TailSide: rowQ}
	if t.model.pointQ < t.model.point {
		row[kg.TailSide] = simd.PullPlain(rowQ)
	}
	factor := [2]float32{kg.HeadSide: d.training[kg.HeadSide].head, kg.TailSide: d.training[kg.TailSide].tail}
	put := func(entity int32, pull uint64, radius float32) {
		at := cursor[entity]
		cursor[entity] = at + 1
		o.pull[at] = pull
		if hasRadii {
			o.radius[at] = radius
		}
	}
	for i := from; i < to; i++ {
		x, rows := b.positive[i], int32(i*rowsPerPositive)
		weight := b.weight[i*(b.negatives+1):][:b.negatives+1]
		pull := b.pull[i*(b.negatives+1):][:b.negatives+1]
		put(x.Head, simd.PullWhole(rows+rowHead), b.headRadius[i])
		put(x.Answer(b.side), simd.Pull(rows+row[b.side], weight[0]), 0)
		put(x.Tail, simd.PullWhole(rows+rowTail), b.tailRadius[i])
		for j, n := range b.negative[i*b.negatives:][:b.negatives] {
			put(n.Entity, simd.Pull(rows+row[n.Side], weight[1+j]), -float32(factor[n.Side]*pull[1+j]))
		}
	}
}
