package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// What thresholds are fitted for: the mean over validation triples of F1, NovelF1 or UnionF1, see Scores.
const (
	plain = iota
	novel
	union
	objectives
)

var objectiveNames = [objectives]string{"f1", "novel", "union"}

// FittedNames are the names of the cuts that Fit gives: by relation and side, then by side alone.
func FittedNames() []string {
	var names []string
	for _, prefix := range []string{"fitted-", "fitted-side-"} {
		for _, o := range objectiveNames {
			names = append(names, prefix+o)
		}
	}
	return names
}

// FitSettings say how thresholds are fitted. The zero value uses all cores and 10 pseudo-queries.
type FitSettings struct {
	// Pseudo is the weight of the side's threshold in a relation's, in queries: with n distinct validation queries of
	// its own the relation gets (n*own + Pseudo*side)/(n + Pseudo). 0: 10; negative: none.
	Pseudo  float64
	Threads int // 0: all cores; never changes a number
	// Progress is called on the goroutine that called Fit with the number of distinct queries answered so far; each is
	// answered twice.
	Progress func(done, total int)
}

const defaultPseudo = 10

// Fit finds the thresholds on the values of CriterionMargin that serve the validation triples best, for each of
// FittedNames. Known is what the training triples hold, the ground truth is training and validation: nothing of the
// test triples enters. A set grows with its threshold and can only gain where a right answer enters, so the values of
// right answers are tried, and a threshold that retrieves nothing; of equally good ones the smallest is taken. A
// relation and side without validation queries gets the side's threshold.
func Fit(ctx context.Context, m Model, g *kg.Graph, s FitSettings) ([]sphere.Thresholds, error) {
	switch {
	case s.Pseudo == 0:
		s.Pseudo = defaultPseudo
	case s.Pseudo < 0:
		s.Pseudo = 0
	}
	if !(s.Pseudo <= math.MaxFloat32) || s.Threads < 0 {
		return nil, fmt.Errorf("eval: cannot fit with %g pseudo-queries and %d threads", s.Pseudo, s.Threads)
	}
	e, err := New(g, Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}, SkipTopL: true, SkipRanking: true})
	if err != nil {
		return nil, err
	}
	if m.Entities() != g.Entities.Len() || m.Relations() != g.Relations.Len() {
		return nil, errors.New("eval: the model was trained on another graph than the one to fit on")
	}
	f := &fit{e: e, m: m, settings: s}
	f.group()
	if err := f.gather(ctx); err != nil {
		return nil, err
	}
	f.choose()
	if err := f.measure(ctx); err != nil {
		return nil, err
	}
	return f.thresholds(), nil
}

// fit is one fitting of all thresholds: gather collects the values of right answers, choose makes thresholds to try of
// them, measure sums the objectives up at each.
type fit struct {
	e        *Evaluator
	m        Model
	settings FitSettings
	groups   []group
	units    []unit
	side     [2]sideFit
	answered int
}

// group are the queries of one side and relation.
type group struct {
	side     int
	relation int32
	lo, hi   int // questions
	novel    int // of them with an answer that is not known
	values   []float32
	least    float32 // of all values
	ladder   ladder
	own      []int32 // positions of the group's thresholds in the ladder
	shared   []int32 // positions of the side's
	sum      *curve
	best     [objectives]float32
}

type sideFit struct {
	least     float32
	threshold []float32
	sum       *curve // at threshold
	best      [objectives]float32
}

// unit are the questions [lo, hi) of a group that a worker takes at a time. Sums are made per unit and then in the
// order of units, so that neither threads nor settings change a bit.
type unit struct{ group, lo, hi int }

const unitQueries = 32

func (f *fit) group() {
	questions := f.e.questions
	for lo := 0; lo < len(questions); {
		q := questions[lo].query
		hi := lo
		g := group{relation: q.Relation, lo: lo, least: math.MaxFloat32}
		if q.Side == kg.TailSide {
			g.side = 1
		}
		for ; hi < len(questions) && questions[hi].query.Side == q.Side && questions[hi].query.Relation == q.Relation; hi++ {
			if len(questions[hi].truth) > len(questions[hi].known) {
				g.novel++
			}
		}
		g.hi = hi
		for at := lo; at < hi; at += unitQueries {
			f.units = append(f.units, unit{len(f.groups), at, min(at+unitQueries, hi)})
		}
		f.groups = append(f.groups, g)
		lo = hi
	}
}

// each calls work for all units on several goroutines, each with buffers of its own, and hands the results to merge in
// the order of units, one at a time.
func each[R any](ctx context.Context, f *fit, work func(b *fitBuffer, u unit) R, merge func(u unit, r R)) error {
	ctx, cancel := context.WithCancel(ctx)
	workers := f.settings.Threads
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	// A channel of one per unit: no worker waits for another's unit.
	results := make([]chan R, len(f.units))
	for i := range results {
		results[i] = make(chan R, 1)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, len(f.units)) {
		group.Go(func() {
			b := newFitBuffer(f.m.Entities())
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(f.units) {
					return
				}
				results[i] <- work(b, f.units[i])
			}
		})
	}
	defer func() { // also when Progress panics
		cancel()
		group.Wait()
	}()
	for i, u := range f.units {
		select {
		case r := <-results[i]:
			merge(u, r)
		case <-ctx.Done():
			return ctx.Err()
		}
		f.answered += u.hi - u.lo
		if f.settings.Progress != nil {
			f.settings.Progress(f.answered, 2*len(f.e.questions))
		}
	}
	return nil
}

// fitBuffer is one goroutine's memory.
type fitBuffer struct {
	queries []kg.Query
	dist    []float32 // unitQueries x entities
	values  []float32
	steps   steps
}

func newFitBuffer(entities int) *fitBuffer {
	return &fitBuffer{dist: make([]float32, unitQueries*entities), values: make([]float32, entities)}
}

// answer calls with for every question of u with its row of values.
func (f *fit) answer(b *fitBuffer, u unit, with func(q question, values []float32)) {
	b.queries = b.queries[:0]
	for _, q := range f.e.questions[u.lo:u.hi] {
		b.queries = append(b.queries, q.query)
	}
	n := f.m.Entities()
	f.m.Distances(b.queries, b.dist[:len(b.queries)*n])
	for i, q := range f.e.questions[u.lo:u.hi] {
		f.m.Values(sphere.CriterionMargin, q.query, b.dist[i*n:][:n], b.values)
		with(q, b.values)
	}
}

// gathered are the finite values of a unit's right answers, and the least of all.
type gathered struct {
	values []float32
	least  float32
}

func (f *fit) gather(ctx context.Context) error {
	return each(ctx, f, func(b *fitBuffer, u unit) gathered {
		out := gathered{least: math.MaxFloat32}
		f.answer(b, u, func(q question, values []float32) {
			for _, v := range values {
				if v < out.least && v > -math.MaxFloat32 {
					out.least = v
				}
			}
			for _, a := range q.truth {
				if v := values[a]; v-v == 0 {
					out.values = append(out.values, v)
				}
			}
		})
		return out
	}, func(u unit, r gathered) {
		g := &f.groups[u.group]
		g.values = append(g.values, r.values...)
		g.least = min(g.least, r.least)
	})
}

// choose fixes the thresholds to try: for a side those of all its relations, for a relation its own.
func (f *fit) choose() {
	var pooled [2][]float32
	for i := range f.side {
		f.side[i].least = math.MaxFloat32
	}
	for i := range f.groups {
		g := &f.groups[i]
		pooled[g.side] = append(pooled[g.side], g.values...)
		f.side[g.side].least = min(f.side[g.side].least, g.least)
		g.values = thin(g.values)
	}
	for i := range f.side {
		s := &f.side[i]
		s.threshold = slices.Concat([]float32{nothing(s.least)}, thin(pooled[i]))
		s.sum = newCurve(len(s.threshold))
	}
	for i := range f.groups {
		g := &f.groups[i]
		own := slices.Concat([]float32{nothing(g.least)}, g.values)
		shared := f.side[g.side].threshold
		all := slices.Concat(own, shared)
		slices.Sort(all)
		g.ladder = newLadder(slices.Compact(all))
		g.own, g.shared = g.positions(own), g.positions(shared)
		g.values = nil
	}
}

// nothing is a threshold that no value reaches, the least one being given.
func nothing(least float32) float32 {
	if least == math.MaxFloat32 { // there is no finite value
		return -math.MaxFloat32
	}
	return below(least)
}

func (g *group) positions(threshold []float32) []int32 {
	at := make([]int32, len(threshold))
	for i, t := range threshold {
		k, _ := slices.BinarySearchFunc(g.ladder.threshold, t, cmp.Compare[float32])
		at[i] = int32(k)
	}
	return at
}

func (f *fit) measure(ctx context.Context) error {
	err := each(ctx, f, func(b *fitBuffer, u unit) *curve {
		l := &f.groups[u.group].ladder
		c := newCurve(len(l.threshold))
		f.answer(b, u, func(q question, values []float32) { c.trace(l, &b.steps, q, values) })
		return c
	}, func(u unit, c *curve) {
		g := &f.groups[u.group]
		if u.lo == g.lo {
			g.sum = c
		} else {
			g.sum.add(c)
		}
		if u.hi < g.hi {
			return
		}
		side := f.side[g.side].sum
		for o := range side {
			for i, k := range g.shared {
				side[o][i] += g.sum[o][k]
			}
			g.best[o] = best(g.ladder.threshold, g.sum[o], g.own)
		}
		g.ladder, g.own, g.shared, g.sum = ladder{}, nil, nil, nil // no unit of it is left
	})
	if err != nil {
		return err
	}
	for i := range f.side {
		s := &f.side[i]
		all := make([]int32, len(s.threshold))
		for k := range all {
			all[k] = int32(k)
		}
		for o := range s.best {
			s.best[o] = best(s.threshold, s.sum[o], all)
		}
	}
	return nil
}

// thresholds shrinks the best threshold of every group to the side's.
func (f *fit) thresholds() []sphere.Thresholds {
	var byRelation, bySide []sphere.Thresholds
	for o, name := range objectiveNames {
		var side, own [2][]float32
		for i := range f.side {
			side[i] = slices.Repeat(f.side[i].best[o:o+1], f.m.Relations())
			own[i] = slices.Clone(side[i])
		}
		bySide = append(bySide, sphere.Thresholds{Name: "fitted-side-" + name, Head: side[0], Tail: side[1]})
		for i := range f.groups {
			g := &f.groups[i]
			n := g.hi - g.lo
			if o == novel {
				n = g.novel
			}
			if n > 0 && g.least < math.MaxFloat32 {
				own[g.side][g.relation] = shrunk(float64(g.best[o]), float64(f.side[g.side].best[o]), float64(n), f.settings.Pseudo)
			}
		}
		byRelation = append(byRelation, sphere.Thresholds{Name: "fitted-" + name, Head: own[0], Tail: own[1]})
	}
	return append(byRelation, bySide...)
}

// shrunk is the mean of a relation's threshold, found with n queries, and the side's, that counts as pseudo queries.
func shrunk(own, side, n, pseudo float64) float32 {
	return float32((float64(n*own) + float64(pseudo*side)) / (n + pseudo))
}
