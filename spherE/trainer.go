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

// Trainer runs the training of one model, epoch by epoch. One step is two sweeps: step.go draws the positives and
// computes every candidate's coefficient, update.go sums gradients by entity and applies Adam at once, so entities
// have no gradient table; window.go says when. A Trainer is not safe for concurrent use; between calls its model may be
// read.
type Trainer struct {
	model    *Model
	settings Training
	sampler  *kg.Sampler
	digest   string // of the graph
	crew     *crew

	moment [2]moments // first and second
	step   uint64     // finished steps
	sum    float64    // of the losses of the current epoch's finished steps

	window  *window
	batch   batch
	scratch []scratch // per worker
	look    func(worker int)
	sweep   [5]func(worker int)

	diverged *DivergedError // the loss was no number: entities may be at different steps
}

// moments are Adam's running means, shaped like the parameters.
type moments struct{ center, radius, phase []float32 }

// EpochStats are what one epoch measured, or the part of it that ran before an error.
type EpochStats struct {
	Epoch   int     // from 1
	Loss    float64 // mean over the finished steps; 0 before the first
	Steps   int     // finished steps of the epoch
	Seconds float64 // of the steps run by this call; less than the epoch took when it was interrupted
}

// DivergedError tells where the loss became infinite or NaN. The last state that Save wrote is still good.
type DivergedError struct {
	Epoch, Step int // both from 1; Step within the epoch
	Loss        float64
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("the loss became %g at epoch %d, step %d: lower train.learning_rate", e.Loss, e.Epoch, e.Step)
}

// NewTrainer prepares the training of m on g. The model's parameters are trained in place.
func NewTrainer(m *Model, g *kg.Graph, t Training) (*Trainer, error) {
	t = t.Defaults()
	if err := t.Validate(g); err != nil {
		return nil, err
	}
	if m.entities != g.Entities.Len() || m.relations != g.Relations.Len() {
		return nil, fmt.Errorf("the model has %d entities and %d relations, graph %s has %d and %d",
			m.entities, m.relations, g.Name, g.Entities.Len(), g.Relations.Len())
	}
	sampler, err := kg.NewSampler(g, kg.Sampling(t.Sampling), t.Seed)
	if err != nil {
		return nil, err
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
	trainer := &Trainer{model: m, settings: t, sampler: sampler, digest: g.Digest(), crew: newCrew(threads)}
	for i := range trainer.moment {
		trainer.moment[i] = moments{
			center: table.Make(len(m.center), 1+i), radius: make([]float32, len(m.radius)), phase: make([]float32, len(m.phase)),
		}
	}
	trainer.window = newWindow(m.entities, m.stride, t, threads)
	trainer.batch = newBatch(m, t, threads)
	trainer.scratch = make([]scratch, threads)
	for i := range trainer.scratch {
		trainer.scratch[i] = newScratch(m, t)
	}
	// Bound once: a method value allocates.
	trainer.look = trainer.drawAhead
	trainer.sweep = [5]func(int){trainer.forward, trainer.count, trainer.place, trainer.updateEntities, trainer.updateRelations}
	return trainer, nil
}

// Model returns the model in training; after a *DivergedError it is of no use.
func (t *Trainer) Model() *Model { return t.model }

// Settings returns how the model is trained, with every default filled in.
func (t *Trainer) Settings() Training { return t.settings }

// SIMD returns the name of the kernels in use.
func (t *Trainer) SIMD() string { return t.model.kernels.Name }

// Done returns the number of finished epochs.
func (t *Trainer) Done() int { return int(t.step / uint64(t.settings.Steps)) }

// Close ends the worker goroutines. The model stays usable.
func (t *Trainer) Close() { t.crew.close() }

// Epoch runs the rest of the current epoch. When ctx ends it stops between two steps, after about half a second of
// them at most, and returns ctx's error; a later call, or a trainer resumed from what Save wrote, goes on from there with the same bits.
// A loss that is no number stops it with a *DivergedError; training cannot go on then, Save refuses the state, and the
// model is that of no step: some of its entities may be ahead of others.
func (t *Trainer) Epoch(ctx context.Context) (EpochStats, error) {
	start := time.Now()
	steps := uint64(t.settings.Steps)
	epoch := int(t.step/steps) + 1
	stats := func() EpochStats {
		s := EpochStats{Epoch: epoch, Steps: int(t.step - uint64(epoch-1)*steps), Seconds: time.Since(start).Seconds()}
		if s.Steps > 0 {
			s.Loss = t.sum / float64(s.Steps)
		}
		return s
	}
	for {
		if t.diverged != nil {
			return t.stopped(stats())
		}
		if err := ctx.Err(); err != nil {
			return stats(), err
		}
		t.open()
		begin := time.Now()
		for ; t.window.at < t.window.length; t.window.at++ {
			loss := t.run()
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				t.diverged = &DivergedError{Epoch: epoch, Step: int(t.step%steps) + 1, Loss: loss}
				return t.stopped(stats())
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

// stopped is what Epoch returns after a divergence.
func (t *Trainer) stopped(s EpochStats) (EpochStats, error) {
	e := *t.diverged
	return s, &e
}

// run makes one step of an open window and returns its loss; a loss that is no finite number leaves the parameters as they are.
func (t *Trainer) run() float64 {
	b := &t.batch
	b.next.Store(0)
	b.relations.begin()
	t.crew.run(t.sweep[0])
	loss := b.mean()
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss
	}
	t.crew.run(t.sweep[1])
	b.allot()
	t.crew.run(t.sweep[2])
	b.next.Store(0)
	t.crew.run(t.sweep[3])
	b.next.Store(0)
	t.crew.run(t.sweep[4])
	return loss
}

// adam returns the constants of step number n, from 1.
func (t *Trainer) adam(n uint64) simd.Adam {
	s := t.settings
	return simd.Adam{
		Beta1: float32(s.Beta1), OneMinusBeta1: float32(1 - s.Beta1),
		Beta2: float32(s.Beta2), OneMinusBeta2: float32(1 - s.Beta2),
		Rate:        float32(s.LearningRate / (1 - exact.Power(s.Beta1, n))),
		InverseRoot: float32(1 / math.Sqrt(1-exact.Power(s.Beta2, n))),
		Epsilon:     float32(s.AdamEpsilon),
	}
}
