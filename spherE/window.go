package sphere

import (
	"sync/atomic"
	"time"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// windowSteps is how many steps a window has at most.
const windowSteps = 16

// window is a run of steps whose draws are made twice: once ahead of all of them, to learn which entities they name,
// and again by each step. Adam is dense, so an entity that a step does not name moves all the same, by its moments
// alone. Nobody looks at it before the next step that names it: the second sweep makes all its moves until then at
// once, while row and moments are in cache, instead of fetching them from memory for every step. Each number goes
// through the same operations in the same order, so no bit depends on windows. Between two windows every entity is
// where its last finished step leaves it.
//
// Where a step names nearly every entity, or rows are short, drawing twice would cost more than it saves: a window is
// then one step.
type window struct {
	most   int           // steps of a window; fewer at the end of an epoch
	step   time.Duration // of the steps of the last window, on average
	length int           // of this window
	at     int           // finished steps of it

	adam  [windowSteps]simd.Adam
	named []uint32     // per entity, bit k: step k of this window names it; nil where most is 1
	ahead []ahead      // per worker
	unit  atomic.Int64 // next unit of work of drawing ahead
}

// ahead is a worker's memory for drawing ahead.
type ahead struct {
	positive []kg.Triple
	negative []kg.Negative
}

// drawFloats is how many floats of a row that is left in memory make up for one draw; measured.
const drawFloats = 80

// windowTime bounds a window, but for the first: an interrupt waits for its end.
const windowTime = 500 * time.Millisecond

func newWindow(entities, stride int, t Training, workers int) *window {
	draws := float64(t.Batch) * float64(t.Negatives+2)
	unnamed := float64(entities) * exact.Exp(-draws/float64(entities))
	if unnamed*float64(stride) < draws*drawFloats {
		return &window{most: 1}
	}
	w := &window{most: windowSteps, named: make([]uint32, entities), ahead: make([]ahead, workers)}
	for i := range w.ahead {
		w.ahead[i] = ahead{make([]kg.Triple, positiveUnit), make([]kg.Negative, positiveUnit*t.Negatives)}
	}
	return w
}

// open begins a window at the current step.
func (t *Trainer) open() {
	w := t.window
	left := t.settings.Steps - int(t.step%uint64(t.settings.Steps))
	w.at, w.length = 0, min(w.most, left)
	if w.step > 0 {
		w.length = min(w.length, max(1, int(windowTime/w.step)))
	}
	for k := range w.length {
		w.adam[k] = t.adam(t.step + uint64(k) + 1)
	}
	if w.length > 1 {
		clear(w.named)
		w.unit.Store(0)
		t.crew.run(t.look)
	}
}

// drawAhead marks what the steps of the window name.
func (t *Trainer) drawAhead(worker int) {
	w, s := t.window, &t.window.ahead[worker]
	perStep := (t.settings.Batch + positiveUnit - 1) / positiveUnit
	for {
		unit := int(w.unit.Add(1)) - 1
		k, from := unit/perStep, unit%perStep*positiveUnit
		if k >= w.length {
			return
		}
		n := min(positiveUnit, t.settings.Batch-from)
		positive, negative := s.positive[:n], s.negative[:n*t.settings.Negatives]
		t.sampler.DrawAll(t.step+uint64(k), uint32(from), positive, negative)
		for _, x := range positive {
			atomic.OrUint32(&w.named[x.Head], 1<<k)
			atomic.OrUint32(&w.named[x.Tail], 1<<k)
		}
		for _, x := range negative {
			atomic.OrUint32(&w.named[x.Entity], 1<<k)
		}
	}
}

// moves returns which steps of the window entity e makes now, from the current one on: none where it has made this one
// before, otherwise this one and those that do not name it until one does.
func (w *window) moves(e int) (steps []simd.Adam) {
	if w.length == 1 {
		return w.adam[:1]
	}
	if w.at > 0 && w.named[e]>>w.at&1 == 0 {
		return nil
	}
	end := w.at + 1
	for end < w.length && w.named[e]>>end&1 == 0 {
		end++
	}
	return w.adam[w.at:end]
}

// next returns how many entities further on the next but one is that moves in this step, of those near e: the row to
// be asked for from memory while that of e is updated.
func (w *window) next(e int) int {
	const rows, near = 2, 64
	if w.at == 0 {
		return rows
	}
	moving := 0
	for n := 1; n < near && e+n < len(w.named); n++ {
		if moving += int(w.named[e+n] >> w.at & 1); moving == rows {
			return n
		}
	}
	return 0
}

// now returns the constants of the current step.
func (w *window) now() *simd.Adam { return &w.adam[w.at] }
