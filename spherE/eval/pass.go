package eval

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Run evaluates m. See Run.
func (e *Evaluator) Run(ctx context.Context, m Model) (*Report, error) {
	if m.Entities() != e.graph.Entities.Len() {
		return nil, fmt.Errorf("eval: the model has %d entities and graph %q has %d; it was trained on another graph",
			m.Entities(), e.graph.Name, e.graph.Entities.Len())
	}
	if m.Relations() != e.graph.Relations.Len() {
		return nil, fmt.Errorf("eval: the model has %d relations and graph %q has %d; it was trained on another graph",
			m.Relations(), e.graph.Name, e.graph.Relations.Len())
	}
	criteria := e.criteria(m)
	rec := e.records(criteria, e.topL)
	p := &pass{e: e, m: m, rec: rec, criteria: criteria}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	return e.report(ctx, rec, string(criteria[0]))
}

// criteria are the distinct criteria to measure, the primary one first.
func (e *Evaluator) criteria(m Model) []sphere.Criterion {
	primary := e.settings.Primary
	if primary == "" {
		primary = sphere.CriterionMargin
		if d, ok := m.(interface{ DefaultCriterion() sphere.Criterion }); ok {
			primary = d.DefaultCriterion()
		}
	}
	list := []sphere.Criterion{primary}
	for _, c := range e.settings.Further {
		if c != "" && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// records returns records with everything filled in that needs no model.
func (e *Evaluator) records(criteria []sphere.Criterion, topL []int) *Records {
	n := len(e.questions)
	r := &Records{
		Relation: make([]int32, n),
		Known:    make([]int32, n),
		Triples:  make([]int32, n),
		Truth:    make([]int32, n),
		Old:      make([]int32, n),
		NN:       make([]bool, n),
	}
	for _, c := range criteria {
		r.Cuts = append(r.Cuts, newCutRecord(string(c), n))
	}
	for _, l := range topL {
		r.Cuts = append(r.Cuts, newCutRecord(fmt.Sprintf("top-%d", l), n))
	}
	if len(criteria) > 0 {
		for _, name := range e.extra.names() {
			r.Cuts = append(r.Cuts, newCutRecord(name, n))
		}
	}
	for _, l := range e.lookups {
		r.Cuts = append(r.Cuts, newCutRecord(l.name, n))
	}
	lookups := r.Cuts[len(r.Cuts)-len(e.lookups):]
	for i, q := range e.questions {
		if q.query.Side == kg.HeadSide {
			r.HeadQueries++
		}
		r.Relation[i], r.Known[i] = q.query.Relation, q.query.Known
		r.Triples[i], r.Truth[i], r.Old[i] = int32(len(q.own)), int32(len(q.truth)), int32(len(q.known))
		r.NN[i] = e.category[q.query.Relation] == kg.NToN
		for k, l := range e.lookups {
			lookups[k].set(i, countLookup(q, l.answers.Answers(q.query)))
		}
	}
	if len(criteria) > 0 && !e.settings.SkipRanking {
		r.Rank2 = make([]int32, 2*e.triples)
	}
	return r
}

// countLookup counts the row that returns the listed answers, a subset of the known ones.
func countLookup(q question, answers []int32) count {
	c := count{size: int32(len(answers))}
	for _, a := range answers {
		if kg.Contains(q.truth, a) {
			c.hits++
		}
		if kg.Contains(q.known, a) {
			c.old++
		}
	}
	for _, a := range q.own {
		if kg.Contains(answers, a) {
			c.own++
		}
	}
	return c
}

// pass is one run of a model over all queries.
type pass struct {
	e        *Evaluator
	m        Model
	rec      *Records
	criteria []sphere.Criterion
	ranks    []int          // start of each query's ranks in rec.Rank2
	cutNaN   []atomic.Int64 // per criterion
	rankNaN  atomic.Int64
	extraNaN atomic.Int64
}

// run answers all queries. Workers take blocks in order from a counter and write to places of their own, so
// nothing that is counted depends on which worker took which block.
func (p *pass) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx) // stops the workers, too, when Progress panics
	defer cancel()
	questions, block := p.e.questions, p.e.settings.Block
	total := len(questions)
	blocks := (total + block - 1) / block
	workers := p.e.settings.Threads
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, blocks)

	p.cutNaN = make([]atomic.Int64, len(p.criteria))
	p.ranks = make([]int, total+1)
	for i, q := range questions {
		p.ranks[i+1] = p.ranks[i] + len(q.own)
	}

	var next atomic.Int64
	finished := make(chan int, blocks) // queries of a finished block; never blocks a worker
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			w := p.worker()
			for ctx.Err() == nil {
				b := int(next.Add(1)) - 1
				if b >= blocks {
					return
				}
				lo, hi := b*block, min((b+1)*block, total)
				w.answer(lo, hi)
				finished <- hi - lo
			}
		})
	}
	go func() { group.Wait(); close(finished) }()

	done := 0
	for n := range finished {
		done += n
		if p.e.settings.Progress != nil {
			p.e.settings.Progress(done, total)
		}
	}
	if done < total {
		return ctx.Err()
	}
	for i := range p.criteria {
		p.rec.Cuts[i].NaN = p.cutNaN[i].Load()
	}
	for i := range p.e.topL {
		p.rec.Cuts[len(p.criteria)+i].NaN = p.rankNaN.Load()
	}
	for i := range p.e.extra.names() {
		p.rec.Cuts[len(p.criteria)+len(p.e.topL)+i].NaN = p.extraNaN.Load()
	}
	p.rec.RankNaN = p.rankNaN.Load()
	return nil
}

// worker holds one goroutine's buffers.
type worker struct {
	*pass
	queries []kg.Query
	dist    []float32 // block x entities
	values  []float32 // entities
	selection
}

func (p *pass) worker() *worker {
	n, block := p.m.Entities(), min(p.e.settings.Block, len(p.e.questions))
	return &worker{pass: p, queries: make([]kg.Query, 0, block), dist: make([]float32, block*n), values: make([]float32, n)}
}

// answer answers queries [lo, hi).
func (w *worker) answer(lo, hi int) {
	w.queries = w.queries[:0]
	for _, q := range w.e.questions[lo:hi] {
		w.queries = append(w.queries, q.query)
	}
	n := w.m.Entities()
	w.m.Distances(w.queries, w.dist[:(hi-lo)*n])
	for i := lo; i < hi; i++ {
		w.cut(i, w.dist[(i-lo)*n:(i-lo+1)*n])
		w.countExtra(i, w.dist[(i-lo)*n:(i-lo+1)*n])
	}
}

// cut counts every cut of query i from its row of distances, and ranks its own answers.
func (w *worker) cut(i int, dist []float32) {
	q := w.e.questions[i]
	ranked := false
	for k, c := range w.criteria {
		limit := w.m.Values(c, q.query, dist, w.values)
		n := countWithin(q, w.values, limit)
		w.rec.Cuts[k].set(i, n)
		w.cutNaN[k].Add(int64(n.nan))
		if c == sphere.CriterionMargin {
			w.order(i, q, n.nan)
			ranked = true
		}
	}
	if !ranked && (len(w.e.topL) > 0 || w.rec.Rank2 != nil) {
		limit := w.m.Values(sphere.CriterionMargin, q.query, dist, w.values)
		_, nan := countValues(w.values, limit)
		w.order(i, q, nan)
	}
}

// order does what needs the ranking of all entities by the margin values in w.values, nan of which are NaN.
func (w *worker) order(i int, q question, nan int32) {
	w.rankNaN.Add(int64(nan))
	if w.rec.Rank2 != nil {
		rankAnswers(q, w.values, nan, w.rec.Rank2[w.ranks[i]:w.ranks[i+1]])
	}
	if len(w.e.topL) == 0 {
		return
	}
	best := w.smallest(w.values, w.e.topL[len(w.e.topL)-1])
	for k, l := range w.e.topL {
		w.rec.Cuts[len(w.criteria)+k].set(i, countTop(q, w.values, best[:min(l, len(best))]))
	}
}
