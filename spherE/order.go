package sphere

import (
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// order is the batch seen from the entities: what each of them is pulled by, in batch order. It is a counting sort
// in two passes; every worker has a fixed range of positives and counts and places those alone.
//
// A positive pulls its head by the gradient of q, its tail by its distance to q and by the gradient of p, and each
// of its negatives by the distance to q or p: N+3 pulls.
type order struct {
	pull   []uint64  // simd.Pull of rows of the batch, sorted by entity
	radius []float32 // what each pull adds to the gradient of the entity's rho; nil without radii
	start  []int32   // per entity its first pull, and the end
	cursor [][]int32 // per worker and entity: the number of pulls in the worker's range, then where the next one goes
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

// share returns the positives of one worker in the two passes.
func (t *Trainer) share(worker int) (from, to int) {
	n, workers := len(t.batch.positive), len(t.scratch)
	return worker * n / workers, (worker + 1) * n / workers
}

// count is the first pass.
func (t *Trainer) count(worker int) {
	b := &t.batch
	from, to := t.share(worker)
	count := b.order.cursor[worker]
	clear(count)
	for _, x := range b.positive[from:to] {
		count[x.Head]++
		count[x.Tail] += 2
	}
	for _, n := range b.negative[from*b.negatives : to*b.negatives] {
		count[n.Entity]++
	}
}

// allot turns the workers' counts into the places of their first pulls.
func (b *batch) allot() {
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

// place is the second pass.
func (t *Trainer) place(worker int) {
	b, d := &t.batch, &t.model.distance
	o := &b.order
	cursor, radii := o.cursor[worker], o.radius != nil
	from, to := t.share(worker)
	// The row that candidates of a side are compared with, and the factor of their radius.
	row := [2]int32{kg.HeadSide: rowP, kg.TailSide: rowQ}
	if t.model.rotation.stretches() {
		row[kg.TailSide] = simd.PullPlain(rowQ)
	}
	factor := [2]float32{kg.HeadSide: d.taught[kg.HeadSide].head, kg.TailSide: d.taught[kg.TailSide].tail}
	put := func(entity int32, pull uint64, radius float32) {
		at := cursor[entity]
		cursor[entity] = at + 1
		o.pull[at] = pull
		if radii {
			o.radius[at] = radius
		}
	}
	for i := from; i < to; i++ {
		x, rows := b.positive[i], int32(i*rowsPerPositive)
		weight := b.weight[i*(b.negatives+1):][:b.negatives+1]
		pull := b.pull[i*(b.negatives+1):][:b.negatives+1]
		put(x.Head, simd.PullWhole(rows+rowHead), b.headRadius[i])
		put(x.Tail, simd.Pull(rows+row[kg.TailSide], weight[0]), 0)
		put(x.Tail, simd.PullWhole(rows+rowTail), b.tailRadius[i])
		for j, n := range b.negative[i*b.negatives:][:b.negatives] {
			put(n.Entity, simd.Pull(rows+row[n.Side], weight[1+j]), -float32(factor[n.Side]*pull[1+j]))
		}
	}
}
