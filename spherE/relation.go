package sphere

import (
	"sync"

	"github.com/spherelab/spherelab/spherE/kg"
)

// relationSum adds up the gradients of relations in batch order, while workers finish the units of a batch in any
// order. A unit's gradients wait in a ring until those of all units before it are in the sum: with a row per relation
// and the ring it is smaller than a row per positive, on graphs with fewer relations than a batch has positives.
type relationSum struct {
	gradient []float32 // relations x width
	width    int       // floats of a relation
	ring     []float32 // gradients of the positives of some units, the first of which is turn

	lock  sync.Mutex
	moved sync.Cond // turn has moved on
	turn  int       // the unit that is added next
	ready []bool    // per place of the ring: its unit has been computed
}

// ringUnits is the units of the ring per worker. All of them together are how far others get ahead of a worker that the
// system has put aside.
const ringUnits = 4

// newRelationSum makes the sum of so many relations, width floats each, for batches of so many positives.
func newRelationSum(relations, width, batch, workers int) *relationSum {
	units := min(ringUnits*workers, (batch+positiveUnit-1)/positiveUnit)
	r := &relationSum{
		gradient: make([]float32, relations*width), width: width,
		ring: make([]float32, units*positiveUnit*width), ready: make([]bool, units),
	}
	r.moved.L = &r.lock
	return r
}

// begin starts a step.
func (r *relationSum) begin() {
	clear(r.gradient)
	r.turn = 0
}

// place returns where a unit's gradients go, width floats per positive, once that is free. The worker with the unit
// whose turn it is never waits.
func (r *relationSum) place(unit int) []float32 {
	r.lock.Lock()
	for unit-r.turn >= len(r.ready) {
		r.moved.Wait()
	}
	r.lock.Unlock()
	return r.at(unit)
}

func (r *relationSum) at(unit int) []float32 {
	size := positiveUnit * r.width
	return r.ring[unit%len(r.ready)*size:][:size]
}

// add takes over a unit's gradients, and adds those whose turn it is: add is the kernel, positives are the batch.
func (r *relationSum) add(unit int, positives []kg.Triple, add func(g, x []float32)) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.ready[unit%len(r.ready)] = true
	for ; r.ready[r.turn%len(r.ready)]; r.turn++ {
		r.ready[r.turn%len(r.ready)] = false
		from, rows := r.turn*positiveUnit, r.at(r.turn)
		for i, x := range positives[from:min(from+positiveUnit, len(positives))] {
			add(r.of(x.Relation), rows[i*r.width:][:r.width])
		}
	}
	r.moved.Broadcast()
}

// of returns the sum of one relation.
func (r *relationSum) of(relation int32) []float32 {
	return r.gradient[int(relation)*r.width:][:r.width]
}

// updateRelations is the second sweep over relations.
func (t *Trainer) updateRelations(worker int) {
	m, b := t.model, &t.batch
	mean, square := &t.moment[0], &t.moment[1]
	for {
		r, _, ok := b.take(relationUnit, m.relations)
		if !ok {
			return
		}
		gradient, raw := b.relations.of(int32(r)), m.rawRow(int32(r))
		m.rotation.rawGradient(gradient, raw, m.turnRow(int32(r)))
		at, width := r*b.relations.width, b.relations.width
		m.kernels.Adam(raw, mean.phase[at:][:width], square.phase[at:][:width], gradient, t.window.now(), 2*width)
		m.rotation.prepare(m.turnRow(int32(r)), raw)
	}
}
