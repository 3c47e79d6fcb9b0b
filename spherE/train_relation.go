package sphere

import (
	"sync"

	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// relationSum adds the gradients of relations in batch order, although workers finish the units of a batch in any
// order. The gradients of a unit wait in a ring until those of all earlier units are in the sum. A row per relation and
// the ring take less memory than a row per positive where a graph has fewer relations than a batch has positives.
type relationSum struct {
	gradient []float32 // relations x width
	width    int       // floats of a relation
	ring     []float32 // gradients of the positives of some units, the first of which is unit next

	shared  []float32   // gradient of shared parameters
	sharing [][]float32 // of each slot of the ring: that of its unit

	lock     sync.Mutex
	advanced sync.Cond // next has changed
	next     int       // the unit that is added next
	ready    []bool    // per slot of the ring: its unit has been computed
}

// ringUnits is the number of units in the ring per worker. The whole ring is how far the other workers can get ahead of
// a descheduled one.
const ringUnits = 4

// newRelationSum makes the sum of a number of relations, width floats each, for batches of batch positives.
// shared is the number of shared parameters.
func newRelationSum(relations, width, shared, batch, workers int) *relationSum {
	units := min(ringUnits*workers, (batch+positiveUnit-1)/positiveUnit)
	r := &relationSum{
		gradient: make([]float32, relations*width), width: width,
		ring: make([]float32, units*positiveUnit*width), ready: make([]bool, units),
	}
	r.shared, r.sharing = make([]float32, shared), make([][]float32, units)
	for i := range r.sharing {
		r.sharing[i] = make([]float32, shared)
	}
	r.advanced.L = &r.lock
	return r
}

// begin starts a step.
func (r *relationSum) begin() {
	clear(r.gradient)
	clear(r.shared)
	r.next = 0
}

// reserve returns where the gradients of a unit go: width floats per positive, and zeros to which those by shared
// parameters are added. It waits until that slot is free; the worker of unit next never waits.
func (r *relationSum) reserve(unit int) (relations, shared []float32) {
	r.lock.Lock()
	for unit-r.next >= len(r.ready) {
		r.advanced.Wait()
	}
	r.lock.Unlock()
	shared = r.sharing[unit%len(r.ready)]
	clear(shared)
	return r.slot(unit), shared
}

func (r *relationSum) slot(unit int) []float32 {
	size := positiveUnit * r.width
	return r.ring[unit%len(r.ready)*size:][:size]
}

// add marks the gradients of a unit as computed, and adds those of unit next and of the computed units that follow it.
// The argument add is the kernel, positives is the batch.
func (r *relationSum) add(unit int, positives []kg.Triple, add func(g, x []float32)) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.ready[unit%len(r.ready)] = true
	for ; r.ready[r.next%len(r.ready)]; r.next++ {
		r.ready[r.next%len(r.ready)] = false
		from, rows := r.next*positiveUnit, r.slot(r.next)
		for i, x := range positives[from:min(from+positiveUnit, len(positives))] {
			add(r.row(x.Relation), rows[i*r.width:][:r.width])
		}
		if len(r.shared) > 0 {
			add(r.shared, r.sharing[r.next%len(r.ready)])
		}
	}
	r.advanced.Broadcast()
}

// row returns the sum of one relation.
func (r *relationSum) row(relation int32) []float32 {
	return r.gradient[int(relation)*r.width:][:r.width]
}

// sharedUnit is the number of shared parameters per unit of work.
const sharedUnit = 256 * simd.Lanes

// updateRelations is the second sweep over relations, and then over shared parameters.
func (t *Trainer) updateRelations(worker int) {
	m, b := t.model, &t.batch
	mean, square := &t.moment[0], &t.moment[1]
	for {
		r, _, ok := b.take(relationUnit, m.relations+(len(m.shared)+sharedUnit-1)/sharedUnit)
		if !ok {
			return
		}
		if r >= m.relations {
			from := (r - m.relations) * sharedUnit
			to := min(from+sharedUnit, len(m.shared))
			m.kernels.Adam(m.shared[from:to], mean.shared[from:to], square.shared[from:to], b.relations.shared[from:to],
				t.window.currentStep(), 0)
			continue
		}
		gradient, raw := b.relations.row(int32(r)), m.rawRow(int32(r))
		m.rotation.rawGradient(gradient, raw, m.turnRow(int32(r)))
		at, width := r*b.relations.width, b.relations.width
		m.kernels.Adam(raw, mean.phase[at:][:width], square.phase[at:][:width], gradient, t.window.currentStep(),
			2*width)
		m.rotation.prepare(m.turnRow(int32(r)), raw)
	}
}
