package sphere

import (
	"sync/atomic"
	"time"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// windowSteps is the largest number of steps in a window.
const windowSteps = 16

// window is a sequence of steps whose draws are made twice: once before all of them, to learn which entities each step
// touches, and again in each step. Adam is dense, so an entity that a step does not touch moves too, by its moments
// alone. Its row is not read before the next step that touches it. The second sweep therefore applies all its Adam
// steps until then at once, while row and moments are in cache, instead of fetching them from memory in every step.
// Each number goes through the same operations in the same order, so windows change no bit. Between two windows every
// entity is up to date.
//
// Where a step touches nearly every entity, or rows are short, drawing twice costs more than it saves: a window is then
// one step.
type window struct {
	maxLength int           // max steps of a window; there are fewer at the end of an epoch
	step      time.Duration // mean time of a step of the last window
	length    int           // steps of this window
	finished  int           // finished steps of this window

	adam    [windowSteps]simd.Adam
	touched []uint32     // per entity, bit k: step k of this window touches it; nil if maxLength is 1
	buffer  []drawBuffer // per worker
	unit    atomic.Int64 // next unit of work of markWindow
}

// drawBuffer is the memory of a worker in markWindow.
type drawBuffer struct {
	positive []kg.Triple
	negative []kg.Negative
}

// drawFloats is the number of floats that need not be fetched from memory for one draw to pay; measured.
const drawFloats = 80

// windowTime bounds the time of every window but the first, because an interrupt waits for the end of a window.
const windowTime = 500 * time.Millisecond

func newWindow(entities, stride int, t Training, workers int) *window {
	if t.Regularizer > 0 { // every entity has a gradient in every step
		return &window{maxLength: 1}
	}
	draws := float64(t.Batch) * float64(t.Negatives+2)
	unnamed := float64(entities) * exact.Exp(-draws/float64(entities))
	if unnamed*float64(stride) < draws*drawFloats {
		return &window{maxLength: 1}
	}
	w := &window{maxLength: windowSteps, touched: make([]uint32, entities), buffer: make([]drawBuffer, workers)}
	for i := range w.buffer {
		w.buffer[i] = drawBuffer{make([]kg.Triple, positiveUnit), make([]kg.Negative, positiveUnit*t.Negatives)}
	}
	return w
}

// openWindow starts a window at the current step.
func (t *Trainer) openWindow() {
	w := t.window
	t.restart()
	left := t.settings.Steps - int(t.step%uint64(t.settings.Steps))
	if next := t.settings.nextStart(t.step); next > 0 {
		left = min(left, int(next-t.step))
	}
	w.finished, w.length = 0, min(w.maxLength, left)
	if w.step > 0 {
		w.length = min(w.length, max(1, int(windowTime/w.step)))
	}
	for k := range w.length {
		w.adam[k] = t.adam(t.step + uint64(k) + 1)
	}
	if w.length > 1 {
		clear(w.touched)
		w.unit.Store(0)
		t.pool.run(t.mark)
	}
}

// markWindow marks the entities that each step of the window touches.
func (t *Trainer) markWindow(worker int) {
	w, s := t.window, &t.window.buffer[worker]
	perStep := (t.settings.Batch + positiveUnit - 1) / positiveUnit
	for {
		unit := int(w.unit.Add(1)) - 1
		k, from := unit/perStep, unit%perStep*positiveUnit
		if k >= w.length {
			return
		}
		n := min(positiveUnit, t.settings.Batch-from)
		positive, negative := s.positive[:n], s.negative[:n*t.settings.Negatives]
		t.sampler.Draw(t.step+uint64(k), uint32(from), positive, negative)
		for _, x := range positive {
			atomic.OrUint32(&w.touched[x.Head], 1<<k)
			atomic.OrUint32(&w.touched[x.Tail], 1<<k)
		}
		for _, x := range negative {
			atomic.OrUint32(&w.touched[x.Entity], 1<<k)
		}
	}
}

// pendingSteps returns the steps that entity e takes now: none if it has taken the current one already, otherwise the
// current one and the following ones until one touches it.
func (w *window) pendingSteps(e int) (steps []simd.Adam) {
	if w.length == 1 {
		return w.adam[:1]
	}
	if w.finished > 0 && w.touched[e]>>w.finished&1 == 0 {
		return nil
	}
	end := w.finished + 1
	for end < w.length && w.touched[e]>>end&1 == 0 {
		end++
	}
	return w.adam[w.finished:end]
}

// prefetchDistance returns the distance from e to the row to prefetch while e is updated: that of the second next
// entity that moves in this step, or 0 if it is not near.
func (w *window) prefetchDistance(e int) int {
	const rows, near = 2, 64
	if w.finished == 0 {
		return rows
	}
	moving := 0
	for n := 1; n < near && e+n < len(w.touched); n++ {
		if moving += int(w.touched[e+n] >> w.finished & 1); moving == rows {
			return n
		}
	}
	return 0
}

// currentStep returns the constants of the current step.
func (w *window) currentStep() *simd.Adam { return &w.adam[w.finished] }
