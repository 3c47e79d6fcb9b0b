package stack

import (
	"context"
	"errors"
	"fmt"

	"github.com/spherelab/spherelab/spherE/internal/logistic"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Settings are how a stack is fitted. The zero value uses all cores.
type Settings struct {
	Threads int // 0: all cores; never changes a number

	// Sample is the number of distinct validation queries of each side that are observed, drawn evenly, as
	// eval.Settings has it. 0, or more than there are, means all.
	Sample int

	// Progress is called on the goroutine that called Fit, with the number of validation queries whose features are
	// done.
	Progress func(done, total int)

	// WithTrees fits boosted trees on top of the weights. Growing is called as Progress is, with the number of trees
	// that are done.
	WithTrees bool
	Growing   func(done, total int)

	// WithClasses lets trees see how typical entities are of the asked side, see kg.Typicality.
	WithClasses bool

	// WithoutCounts fits as if every count of training facts were 0, so that its weight is 0 and no tree splits by it.
	WithoutCounts bool

	// DropItself leaves the asked entity out of the candidates of relations whose training facts lead from no entity to
	// itself, as eval.DropItself does.
	DropItself bool
}

// Fit stacks models of a graph. The observations are the candidates of the validation queries, or of a sample of them,
// that training does not hold. Those of validation are right, and no test fact is used. Wrong candidates are weighted:
// the closest ones of every model count once each, and an even sample of the others stands for all of them. Each side
// has its own weights. They maximize the likelihood with a small penalty on the distance from weights that add up
// reciprocal ranks.
func Fit(ctx context.Context, models []Model, g *kg.Graph, o Settings) (*Stack, error) {
	if o.Threads < 0 {
		return nil, fmt.Errorf("stack: threads must not be negative, got %d", o.Threads)
	}
	if o.Sample < 0 {
		return nil, fmt.Errorf("stack: the sample must not be negative, got %d", o.Sample)
	}
	if len(g.Valid) == 0 {
		return nil, errors.New("stack: graph " + g.Name + " has no validation facts to fit weights on")
	}
	s, err := prepare(models, g, o)
	if err != nil {
		return nil, err
	}
	f := &fit{Stack: s, settings: o, truth: g.Index(kg.Train, kg.Valid), loops: g.Loops()}
	if err := f.gather(ctx); err != nil {
		return nil, err
	}
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		for _, to := range []struct {
			weights *Weights
			without int
		}{{&s.fitted.All, -1}, {&s.fitted.Halves[0], 0}, {&s.fitted.Halves[1], 1}} {
			if *to.weights.side(side), err = f.weights(ctx, side, to.without); err != nil {
				return nil, err
			}
		}
	}
	if o.WithTrees {
		return s, f.grow(ctx)
	}
	return s, nil
}

// The max number of wrong candidates of a query that count once for each model, and of those that stand for the others.
const nearWrong = 64

// Penalties on the squares of differences of weights, halved. That of the intercept is smaller: answers are rare.
const (
	ridge          = .1
	interceptRidge = 1e-3
)

// fit is one call of Fit.
type fit struct {
	*Stack
	settings Settings
	truth    *kg.Index // training and validation
	loops    []bool    // by relation: a training fact leads from an entity to itself
	blocks   []evidence
}

// evidence are the observations of one block of validation queries, in their order.
type evidence struct {
	x    []float32 // observations x features
	each []observation
	near nearby // with trees
}

// observation is what is known about one candidate besides its features.
type observation struct {
	side    kg.Side
	half    int8
	isRight bool
	weight  float32
}

// gather collects the evidence of the validation queries, or of a sample of them.
func (f *fit) gather(ctx context.Context) error {
	all := sample(queries(f.graph.Valid), f.settings.Sample)
	total := len(all)
	return parallel.Ordered(ctx, f.settings.Threads, (total+block-1)/block, func() func(int) evidence {
		w := gatherer{row: newRow(f.Stack), fit: f, close: make([]bool, f.Entities())}
		return func(b int) (found evidence) {
			lo := b * block
			w.each(all[lo:min(lo+block, total)], func(_ int, q kg.Query) { w.add(&found, int8(f.half[q])) })
			return found
		}
	}, func(b int, found evidence) {
		f.blocks = append(f.blocks, found)
		if f.settings.Progress != nil {
			f.settings.Progress(min((b+1)*block, total), total)
		}
	})
}

// gatherer is one goroutine of gather.
type gatherer struct {
	*row
	fit   *fit
	close []bool // by entity: counts once
}

// add adds the candidates of the row's query.
func (w *gatherer) add(to *evidence, half int8) {
	truth := w.fit.truth.Answers(w.query)
	observe := func(e int32, right bool, weight float32) {
		for _, x := range w.features(e) {
			to.x = append(to.x, float32(x))
		}
		to.each = append(to.each, observation{w.query.Side, half, right, weight})
	}
	for _, a := range truth {
		if !w.known[a] && w.candidate(a) {
			observe(a, true, 1)
		}
	}
	for _, sorted := range w.sorted {
		for i, found := 0, 0; i < len(sorted) && found < nearWrong; i++ {
			if e := int32(uint32(sorted[i])); w.candidate(e) && !kg.Contains(truth, e) {
				w.close[e] = true
				found++
			}
		}
	}
	if w.fit.settings.WithTrees {
		to.near.add(w, truth, half)
	}
	far := 0
	for e := range w.close {
		if w.far(int32(e), truth) {
			far++
		}
	}
	every, seen, sampled := max(1, far/nearWrong), 0, 0
	if far > 0 {
		sampled = (far + every - 1) / every
	}
	for e := range w.close {
		switch {
		case w.close[e]:
			w.close[e] = false
			observe(int32(e), false, 1)
		case w.far(int32(e), truth):
			if seen%every == 0 {
				observe(int32(e), false, float32(far)/float32(sampled))
			}
			seen++
		}
	}
}

func (w *gatherer) far(e int32, truth []int32) bool {
	return !w.close[e] && w.candidate(e) && !kg.Contains(truth, e)
}

// candidate reports whether an entity can be observed as an answer to the row's query.
func (w *gatherer) candidate(e int32) bool { return w.finite(e) && !w.dropped(e) }

// dropped reports whether an entity is the asked one and stays out of the fit.
func (w *gatherer) dropped(e int32) bool {
	return w.fit.settings.DropItself && e == w.query.Known && !w.fit.loops[w.query.Relation]
}

// finite reports whether every model has a finite value of an entity.
func (w *row) finite(e int32) bool {
	for _, values := range w.values {
		if v := values[e]; v-v != 0 {
			return false
		}
	}
	return true
}

// weights returns the weights of a side with the greatest likelihood on the validation queries. without is the half
// that is left out, -1 for none.
func (f *fit) weights(ctx context.Context, side kg.Side, without int) ([]float64, error) {
	n := featureCount(len(f.models))
	center, penalty := make([]float64, n), logistic.Lower(n)
	for j, row := range penalty {
		row[j] = ridge
	}
	penalty[0][0] = interceptRidge
	for k := range f.models {
		center[1+perModel*k+perModel-1] = 1 // of 1/rank
	}
	var err error
	w := logistic.Newton(center, nil, func(at []float64) *logistic.Sums {
		sum := logistic.New(n)
		if err != nil {
			return sum
		}
		err = parallel.Ordered(ctx, f.settings.Threads, len(f.blocks), func() func(int) *logistic.Sums {
			x := make([]float64, n)
			return func(b int) *logistic.Sums { return f.blocks[b].sums(at, x, side, without) }
		}, func(_ int, s *logistic.Sums) { sum.Merge(s) })
		sum.Pull(at, center, penalty)
		return sum
	})
	return w, err
}

// sums are those of the regression over a block; x is a buffer.
func (e *evidence) sums(at, x []float64, side kg.Side, without int) *logistic.Sums {
	s := logistic.New(len(at))
	for i, o := range e.each {
		if o.side != side || int(o.half) == without {
			continue
		}
		for j, v := range e.x[i*len(at):][:len(at)] {
			x[j] = float64(v)
		}
		right := 0.0
		if o.isRight {
			right = 1
		}
		s.Add(at, x, float64(o.weight), right)
	}
	return s
}
