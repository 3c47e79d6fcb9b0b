package eval

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/internal/rank"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Run evaluates m. See the function Run.
func (e *Evaluator) Run(ctx context.Context, m Model) (*Report, error) {
	if err := sameGraph(m, e.graph); err != nil {
		return nil, err
	}
	plan := e.plan.of(m)
	p := newPass(e, m, plan)
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	r, err := e.report(ctx, p.rec, plan.cuts[0].name)
	if err != nil {
		return nil, err
	}
	r.Reliability = p.reliability
	return r, e.measureDistractors(ctx, m, plan, r)
}

// sameGraph refuses a model of another graph.
func sameGraph(m Model, g *kg.Graph) error {
	for _, n := range []struct {
		what         string
		model, graph int
	}{
		{"entities", m.Entities(), g.Entities.Len()},
		{"relations", m.Relations(), g.Relations.Len()},
	} {
		if n.model != n.graph {
			return fmt.Errorf("eval: the model has %d %s and graph %q has %d; it was trained on another graph",
				n.model, n.what, g.Name, n.graph)
		}
	}
	return nil
}

// pass is one run of a model over all queries.
type pass struct {
	*Evaluator
	m     Model
	rec   *Records
	top   int // see plan
	steps []*step
	ranks []int // start of each query's ranks in rec.Rank2

	reliability *ReliabilityBySide // nil without probabilities
}

// step is what is done with the values of one criterion.
type step struct {
	criterion sphere.Criterion
	counts    []func(r *row) count
	records   []*CutRecord // parallel to counts
	ranks     bool         // rank the split's own answers too
	judges    bool         // judge the probabilities too
	nan       atomic.Int64 // values that were NaN
}

// newPass groups cuts by criterion, so that the values of a criterion are computed once.
func newPass(e *Evaluator, m Model, plan plan) *pass {
	p := &pass{Evaluator: e, m: m, rec: e.records(plan.cuts), top: plan.top, ranks: make([]int, len(e.queries)+1)}
	for i, c := range plan.cuts {
		s := p.stepOf(c.criterion)
		s.counts, s.records = append(s.counts, c.count), append(s.records, &p.rec.Cuts[i])
	}
	if p.rec.Rank2 != nil {
		p.stepOf(sphere.CriterionMargin).ranks = true
	}
	if e.probability != nil {
		p.stepOf(sphere.CriterionMargin).judges = true
		sums := newReliabilityBySide()
		p.reliability = &sums
	}
	for i, q := range e.queries {
		p.ranks[i+1] = p.ranks[i] + len(q.own)
	}
	return p
}

// stepOf returns the step of a criterion, a new one if there is none yet.
func (p *pass) stepOf(c sphere.Criterion) *step {
	if i := slices.IndexFunc(p.steps, func(s *step) bool { return s.criterion == c }); i >= 0 {
		return p.steps[i]
	}
	s := &step{criterion: c}
	p.steps = append(p.steps, s)
	return s
}

// run answers all queries. Each worker writes to its own places, so no count depends on which worker took which block.
func (p *pass) run(ctx context.Context) error {
	block, total := p.settings.Block, len(p.queries)
	err := parallel.Ordered(ctx, p.settings.Threads, (total+block-1)/block, func() func(int) []judged {
		w := worker{pass: p, row: row{counts: p.counts, values: make([]float32, p.m.Entities()), top: p.top}}
		if p.probability != nil {
			w.judge = judge{p.probability, newReliability()}
		}
		distances := newDistances(p.m, min(block, total))
		return func(b int) []judged {
			lo, hi := b*block, min((b+1)*block, total)
			w.judged = nil
			distances.each(p.queries[lo:hi], func(i int, dist []float32) { w.answer(lo+i, dist) })
			return w.judged
		}
	}, func(b int, found []judged) {
		if p.reliability != nil {
			p.reliability.merge(found)
		}
		if p.settings.Progress != nil {
			p.settings.Progress(min((b+1)*block, total), total)
		}
	})
	for _, s := range p.steps {
		for _, r := range s.records {
			r.NaN = s.nan.Load()
		}
		if s.ranks {
			p.rec.RankNaN = s.nan.Load()
		}
	}
	return err
}

// worker is one goroutine of a pass.
type worker struct {
	*pass
	row    row
	judge  judge
	judged []judged // of the block
}

// answer does all steps for query i.
func (w *worker) answer(i int, dist []float32) {
	for _, s := range w.steps {
		w.step(s, i, dist)
	}
}

func (w *worker) step(s *step, i int, dist []float32) {
	r, q := &w.row, w.queries[i]
	if s.criterion == noValues {
		r.set(q, 0)
	} else {
		r.set(q, w.m.Values(s.criterion, q.Query, dist, r.values))
	}
	for k, count := range s.counts {
		s.records[k].set(i, count(r))
	}
	if s.criterion == noValues {
		return
	}
	s.nan.Add(int64(r.nans() - countDropped(w.m, q.Query)))
	if s.ranks {
		rank.Answers(w.counts, q.own, q.truth, r.values, r.nans(), w.rec.Rank2[w.ranks[i]:w.ranks[i+1]])
	}
	if s.judges {
		w.judged = append(w.judged, w.judge.of(q, r.values))
	}
}
