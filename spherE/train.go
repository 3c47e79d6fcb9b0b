package sphere

import (
	"context"
	"errors"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/internal/rank"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Options are what Train does. The zero value trains a model of spheres in the plane with what is good for most graphs;
// Options.On returns the values that stand for zeros.
type Options struct {
	Settings Settings // of the model
	Training Training // Training.Seed decides all draws

	Every    int     // epochs from one validation to the next; 0: 10, negative: no validations
	Patience int     // validations without a better one that end the training; 0: 5, with OneVsAll 2; negative: never
	MinGain  float64 // a validation that is better by more than this is better

	// Validate measures the model; more is better. It may use all of package eval. nil: MRR on g.Valid, filtered by
	// training and validation facts. Runs are also filtered by test facts, so their values are higher.
	Validate func(ctx context.Context, m *Model) (float64, error)
	// Progress is called after every epoch, on the goroutine of Train. It may be nil.
	Progress func(Progress)
}

// Progress is the state of a training after an epoch.
type Progress struct {
	EpochStats
	Epochs    int     // Training.Epochs: the last one unless the training ends early
	Validated bool    // this epoch was validated
	Value     float64 // of its validation
	Best      int     // epoch of the best validation so far; 0 before the first
}

// Trained is what Train returns.
type Trained struct {
	Model   *Model  // with the parameters of epoch Best, or of the last one without validations
	Options Options // with the values that stood for zeros
	Epochs  int     // that were trained
	Best    int     // epoch of the best validation, whose parameters the model has; 0 without validations
	Value   float64 // of that validation
}

// Train trains a new model on g: it validates now and then, ends when validations get no better, and returns the model
// of the best one. It needs no files and no database. For a program of its own around the epochs, see Loop; to save
// and resume a training, Trainer.
//
// Errors are *SettingError, *DivergedError, those of Validate, and that of ctx when it ends first. With the last one
// Train also returns what was trained so far, if at least an epoch was; otherwise its result is nil.
func Train(ctx context.Context, g *kg.Graph, o Options) (*Trained, error) {
	o = o.On(g)
	m, err := New(o.Settings, g, o.Training.Seed)
	if err != nil {
		return nil, err
	}
	t, err := NewTrainer(m, g, o.Training)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	o.Settings, o.Training = m.Settings(), t.Settings()
	var told Progress
	var best moments
	stop := &EarlyStop{Patience: o.Patience, MinGain: o.MinGain}
	l := Loop{Every: max(0, o.Every), Last: o.Training.Epochs, Stop: stop}
	l.Trained = func(stats EpochStats) error {
		told = Progress{EpochStats: stats, Epochs: o.Training.Epochs}
		return nil
	}
	if o.Every > 0 {
		validate := o.Validate
		if validate == nil {
			validate = mrrOn(g, m.kernels, o.Training.Threads)
		}
		l.Validate = func(ctx context.Context, _ int) (float64, error) {
			value, err := validate(ctx, m)
			told.Validated, told.Value = true, value
			return value, err
		}
		l.Improved = func(int) error {
			best.copyFrom(m.parameters())
			return nil
		}
	}
	l.Ended = func(int) error {
		if told.Best = stop.Epoch; o.Progress != nil {
			o.Progress(told)
		}
		return nil
	}
	err = l.Run(ctx, t)
	if err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err()) || t.Done() == 0) {
		return nil, err
	}
	if stop.Epoch > 0 {
		m.set(best)
	}
	return &Trained{Model: m, Options: o, Epochs: t.Done(), Best: stop.Epoch, Value: stop.Best}, err
}

// copyFrom makes p a copy of q.
func (p *moments) copyFrom(q moments) {
	p.center = append(p.center[:0], q.center...)
	p.radius = append(p.radius[:0], q.radius...)
	p.phase = append(p.phase[:0], q.phase...)
	p.shared = append(p.shared[:0], q.shared...)
}

// set sets the parameters.
func (m *Model) set(p moments) {
	copy(m.center, p.center)
	copy(m.radius, p.radius)
	copy(m.phase, p.phase)
	copy(m.shared, p.shared)
	m.prepareAll()
}

// mrrOn returns what measures a model's MRR on the validation triples of a graph, over the head and the tail query of
// every triple: filtered by training and validation, with realistic ranks, as package eval does. Its settings are
// eval.Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}}.
func mrrOn(g *kg.Graph, k *simd.Kernels, threads int) func(context.Context, *Model) (float64, error) {
	var queries []kg.Query
	for q := range g.Index(kg.Valid).All() {
		queries = append(queries, q)
	}
	return func(ctx context.Context, m *Model) (float64, error) {
		own, truth := g.Index(kg.Valid), g.Index(kg.Train, kg.Valid)
		var sum [2]float64 // by side
		ranked := 0
		err := parallel.Ordered(ctx, threads, (len(queries)+queryBlock-1)/queryBlock, func() func(int) [][]int32 {
			dist := make([]float32, queryBlock*m.entities)
			return func(block int) (ranks [][]int32) {
				part := queries[block*queryBlock : min((block+1)*queryBlock, len(queries))]
				m.Distances(part, dist)
				for i, q := range part {
					values := dist[i*m.entities:][:m.entities]
					m.Values(CriterionMargin, q, values, values)
					_, nan := k.Within(values, 0)
					rank2 := slices.Clone(own.Answers(q))
					rank.Answers(&k.Counts, own.Answers(q), truth.Answers(q), values, int32(nan), rank2)
					ranks = append(ranks, rank2)
				}
				return ranks
			}
		}, func(block int, ranks [][]int32) {
			for i, list := range ranks {
				for _, rank2 := range list {
					sum[queries[block*queryBlock+i].Side] += 2 / float64(rank2)
				}
				ranked += len(list)
			}
		})
		return (sum[kg.HeadSide] + sum[kg.TailSide]) / float64(ranked), err
	}
}
