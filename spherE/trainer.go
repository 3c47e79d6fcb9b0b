package sphere

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/table"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Trainer trains one model, epoch by epoch. A step is two sweeps: train_step.go draws the positives and computes the
// coefficient of every candidate; train_update.go sums gradients by entity and applies Adam at once, so there is no
// gradient table of entities. train_window.go decides when an entity is updated. A Trainer is not safe for concurrent
// use. Between calls its model may be read.
type Trainer struct {
	model    *Model
	settings Training
	sampler  *kg.Sampler
	digest   string // of the graph
	pool     *pool

	all    *oneVsAll  // with loss OneVsAll; then moment, batch and scratch are empty
	moment [2]moments // first and second
	step   uint64     // finished steps
	sum    float64    // of the losses of the current epoch's finished steps

	window  *window
	batch   batch
	scratch []scratch // per worker
	mark    func(worker int)
	sweep   [5]func(worker int)

	diverged *DivergedError // set when the loss was not finite: entities may then be at different steps
}

// moments are Adam's running means or Adagrad's sums, shaped like the parameters.
type moments struct{ center, radius, phase, shared []float32 }

// parameters returns the arrays that training changes.
func (m *Model) parameters() moments { return moments{m.center, m.radius, m.phase, m.shared} }

// EpochStats are the measurements of one epoch, or of the part of it that ran before an error.
type EpochStats struct {
	Epoch        int     // from 1
	Loss         float64 // mean over the finished steps; 0 before the first
	Steps        int     // finished steps of the epoch
	Seconds      float64 // of the steps of this call; less than the whole epoch if an earlier call was interrupted
	LearningRate float64 // of the last finished step; 0 before the first
}

// DivergedError is the error for a loss that became infinite or NaN. The last state that Save wrote is still good.
type DivergedError struct {
	Epoch, Step int // both from 1; Step within the epoch
	Loss        float64
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("the loss became %g at epoch %d, step %d: lower the learning rate", e.Loss, e.Epoch, e.Step)
}

// NewTrainer prepares the training of m on g. The model's parameters are trained in place.
func NewTrainer(m *Model, g *kg.Graph, t Training) (*Trainer, error) {
	t, err := t.On(g)
	if err != nil {
		return nil, err
	}
	if err := t.FitsModel(m.settings); err != nil {
		return nil, err
	}
	if m.entities != g.Entities.Len() || m.relations != g.Relations.Len() {
		return nil, fmt.Errorf("the model has %d entities and %d relations, graph %s has %d and %d",
			m.entities, m.relations, g.Name, g.Entities.Len(), g.Relations.Len())
	}
	if t.SIMD != "" {
		k, err := kernels(t.SIMD)
		if err != nil {
			return nil, err
		}
		m.use(k)
	}
	threads := t.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	trainer := &Trainer{model: m, settings: t, digest: g.Digest()}
	if t.Loss == OneVsAll {
		if trainer.all, err = newOneVsAll(m, g, t, m.newMoments(1), threads); err != nil {
			return nil, err
		}
		trainer.window, trainer.pool = &window{maxLength: 1}, newPool(threads)
		return trainer, nil
	}
	if trainer.sampler, err = kg.NewSampler(g, kg.Sampling(t.Sampling), t.Seed, t.Batch); err != nil {
		return nil, err
	}
	trainer.sampler = trainer.sampler.Typed(t.TypedNegatives)
	trainer.pool = newPool(threads)
	for i := range trainer.moment {
		trainer.moment[i] = m.newMoments(1 + i)
	}
	trainer.window = newWindow(m.entities, m.stride, t, threads)
	trainer.batch = newBatch(m, t, threads)
	trainer.scratch = make([]scratch, threads)
	for i := range trainer.scratch {
		trainer.scratch[i] = newScratch(m, t)
	}
	// Bind the methods once: a method value allocates.
	trainer.mark = trainer.markWindow
	trainer.sweep = [5]func(int){
		trainer.forward, trainer.countPulls, trainer.placePulls, trainer.updateEntities, trainer.updateRelations,
	}
	return trainer, nil
}

// newMoments returns moments of 0, with a place for table.Make.
func (m *Model) newMoments(place int) moments {
	return moments{
		center: table.Make(len(m.center), place), radius: make([]float32, len(m.radius)),
		phase: make([]float32, len(m.phase)), shared: make([]float32, len(m.shared)),
	}
}

// Model returns the model in training. It is unusable after a *DivergedError.
func (t *Trainer) Model() *Model { return t.model }

// Settings returns the settings of the training, with Steps settled.
func (t *Trainer) Settings() Training { return t.settings }

// Done returns the number of finished epochs.
func (t *Trainer) Done() int { return int(t.step / uint64(t.settings.Steps)) }

// Begun reports whether some steps of the next epoch are finished, but not all of them.
func (t *Trainer) Begun() bool { return t.step%uint64(t.settings.Steps) != 0 }

// Close stops the worker goroutines. The model stays usable.
func (t *Trainer) Close() { t.pool.close() }

// Epoch runs the rest of the current epoch. When ctx ends, Epoch stops between two steps, usually within half a second,
// and returns the error of ctx. A later call, or a trainer resumed from what Save wrote, continues from there with the
// same bits. A loss that is not finite stops Epoch with a *DivergedError. Training cannot continue then: Save refuses
// the state, because some entities may be ahead of others.
func (t *Trainer) Epoch(ctx context.Context) (EpochStats, error) {
	start := time.Now()
	steps := uint64(t.settings.Steps)
	epoch := int(t.step/steps) + 1
	stats := func() EpochStats {
		s := EpochStats{Epoch: epoch, Steps: int(t.step - uint64(epoch-1)*steps), Seconds: time.Since(start).Seconds()}
		if s.Steps > 0 {
			s.Loss = t.sum / float64(s.Steps)
			_, s.LearningRate = t.settings.stage(t.step - 1)
		}
		return s
	}
	defer t.model.sumRadii()
	for {
		if t.diverged != nil {
			return t.endDiverged(stats())
		}
		if err := ctx.Err(); err != nil {
			return stats(), err
		}
		t.openWindow()
		begin := time.Now()
		for ; t.window.finished < t.window.length; t.window.finished++ {
			loss := t.runStep()
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				t.diverged = &DivergedError{Epoch: epoch, Step: int(t.step%steps) + 1, Loss: loss}
				return t.endDiverged(stats())
			}
			t.sum += loss
			t.step++
		}
		t.window.step = time.Since(begin) / time.Duration(t.window.length)
		if t.step%steps == 0 {
			s := stats()
			t.sum = 0
			return s, nil
		}
	}
}

// endDiverged returns what Epoch returns after a divergence.
func (t *Trainer) endDiverged(s EpochStats) (EpochStats, error) {
	e := *t.diverged
	return s, &e
}

// runStep runs one step of an open window and returns its loss. If the loss is not finite the parameters do not change;
// the regularizer is then not part of it.
func (t *Trainer) runStep() float64 {
	if t.all != nil {
		return t.all.step(t.step, t.pool)
	}
	b := &t.batch
	b.side = t.sampler.Side(t.step)
	t.weigh()
	b.next.Store(0)
	b.relations.begin()
	t.pool.run(t.sweep[0])
	loss := b.mean()
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss
	}
	t.pool.run(t.sweep[1])
	b.assignStarts()
	t.pool.run(t.sweep[2])
	b.next.Store(0)
	t.pool.run(t.sweep[3])
	b.next.Store(0)
	t.pool.run(t.sweep[4])
	if t.settings.Regularizer > 0 {
		sum := 0.0
		for _, x := range b.size {
			sum += x
		}
		loss += float64(t.settings.Regularizer / float64(t.model.entities) * sum)
	}
	return loss
}

// weigh sets the share of every positive in the loss if positives are weighted: w_i / (2 sum w).
func (t *Trainer) weigh() {
	b := &t.batch
	if b.share == nil {
		return
	}
	t.sampler.Positives(t.step, 0, b.positive)
	sum := 0.0
	for i, x := range b.positive {
		b.share[i] = t.sampler.Weight(x)
		sum += b.share[i]
	}
	for i, w := range b.share {
		b.share[i] = w / (2 * sum)
	}
}

// stage returns the step at which Adam was started last before step, both counted from 0, and the learning rate.
func (t Training) stage(step uint64) (start uint64, rate float64) {
	rate = t.LearningRate
	for drop := uint64(t.WarmUp); drop > 0 && step >= drop; drop *= 2 {
		start, rate = drop, rate/10
	}
	return start, rate
}

// nextStart returns the first step after step, counted from 0, at which Adam restarts; 0 if there is none.
func (t Training) nextStart(step uint64) uint64 {
	drop := uint64(t.WarmUp)
	for drop > 0 && drop <= step {
		drop *= 2
	}
	return drop
}

// restart sets Adam's moments to 0 if it restarts at this step.
func (t *Trainer) restart() {
	start, _ := t.settings.stage(t.step)
	if start == 0 || start != t.step {
		return
	}
	for _, m := range t.moment {
		clear(m.center)
		clear(m.radius)
		clear(m.phase)
		clear(m.shared)
	}
}

// adam returns the constants of step n, counted from 1.
func (t *Trainer) adam(n uint64) simd.Adam {
	s := t.settings
	start, rate := s.stage(n - 1)
	n -= start
	return simd.Adam{
		Beta1: float32(s.Beta1), OneMinusBeta1: float32(1 - s.Beta1),
		Beta2: float32(s.Beta2), OneMinusBeta2: float32(1 - s.Beta2),
		Rate:        float32(rate / (1 - exact.Power(s.Beta1, n))),
		InverseRoot: float32(1 / math.Sqrt(1-exact.Power(s.Beta2, n))),
		Epsilon:     float32(s.AdamEpsilon),
	}
}
