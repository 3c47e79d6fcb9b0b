package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/internal/simd"
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

// FitSettings are how thresholds are fitted. The zero value uses all cores and 10 pseudo-queries.
type FitSettings struct {
	// Pseudo is the weight of the side's threshold in a relation's, in queries: with n distinct validation queries of
	// its own the relation gets (n*own + Pseudo*side)/(n + Pseudo). 0: 10; negative: none.
	Pseudo  float64
	Threads int // 0: all cores; never changes a number
	Sample  int // of validation queries, as in Settings

	// Progress is called on the goroutine that called Fit, after every block of queries, with the number of queries
	// whose distances to all entities are done.
	Progress func(done, total int)
}

const defaultPseudo = 10

// Fit finds the thresholds on the values of CriterionMargin that serve the validation triples best, for each of
// FittedNames. The known answers are those of the training triples, the ground truth is training and validation. No
// test triple is used. A set grows with its threshold and improves only when a right answer joins it. So Fit tries the
// values of right answers, and a threshold that retrieves nothing. Of equally good thresholds the smallest is taken. A
// relation and side without validation queries gets the side's threshold.
func Fit(ctx context.Context, m Model, g *kg.Graph, s FitSettings) ([]sphere.Thresholds, error) {
	switch {
	case s.Pseudo == 0:
		s.Pseudo = defaultPseudo
	case s.Pseudo < 0:
		s.Pseudo = 0
	}
	if !(s.Pseudo <= math.MaxFloat32) || s.Threads < 0 || s.Sample < 0 {
		return nil, fmt.Errorf("eval: cannot fit with %g pseudo-queries, %d threads and a sample of %d queries",
			s.Pseudo, s.Threads, s.Sample)
	}
	if len(g.Valid) == 0 {
		return nil, fmt.Errorf("eval: graph %q has no valid triples to fit on", g.Name)
	}
	if err := sameGraph(m, g); err != nil {
		return nil, err
	}
	counts, err := kernels()
	if err != nil {
		return nil, err
	}
	queries := sample(distinct(g.Valid, g.Index(kg.Train, kg.Valid), g.Index(kg.Train)), s.Sample)
	f := &fit{m: m, counts: counts, settings: s, queries: queries}
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

// fit is one fitting of all thresholds: gather collects the values of right answers, which takes the distances of these
// alone; choose makes candidates of them; measure sums the objectives at each candidate in one pass over all distances.
type fit struct {
	m        Model
	counts   *simd.Counts
	settings FitSettings
	queries  []query
	groups   []group
	blocks   []block
	side     [2]sideFit
}

// group are the queries of one side and relation.
type group struct {
	side       int
	relation   int32
	lo, hi     int // queries
	novel      int // of them with an answer that is not known
	values     []float32
	least      float32 // of all values
	candidates candidates
	own        []int32 // positions of the group's own candidates, ascending
	shared     []int32 // positions of the side's
	sum        *curve
	best       [objectives]float32
}

type sideFit struct {
	least      float32
	candidates []float32 // nothing, then values
	sum        *curve    // at candidates
	best       [objectives]float32
}

// nothing is the placeholder among candidates for belowAll, as long as the values are not known.
var nothing = float32(math.Inf(-1))

// block are the queries [lo, hi) of a group that a worker takes at a time. Sums are made per block and then in the
// order of blocks, so that neither threads nor settings change a bit.
type block struct{ group, lo, hi int }

const fitBlock = 32

func (f *fit) group() {
	for lo := 0; lo < len(f.queries); {
		q := f.queries[lo]
		hi := lo
		g := group{relation: q.Relation, lo: lo, least: math.MaxFloat32}
		if q.Side == kg.TailSide {
			g.side = 1
		}
		for ; hi < len(f.queries) && f.queries[hi].Side == q.Side && f.queries[hi].Relation == q.Relation; hi++ {
			if len(f.queries[hi].truth) > len(f.queries[hi].known) {
				g.novel++
			}
		}
		g.hi = hi
		for at := lo; at < hi; at += fitBlock {
			f.blocks = append(f.blocks, block{len(f.groups), at, min(at+fitBlock, hi)})
		}
		f.groups = append(f.groups, g)
		lo = hi
	}
}

// overBlocks calls work for all blocks on several goroutines, each with buffers of its own, and hands the results to
// merge in the order of blocks, one at a time.
func overBlocks[R any](
	ctx context.Context, f *fit, work func(w *fitWorker, b block) R, merge func(b block, r R),
) error {
	return parallel.Ordered(ctx, f.settings.Threads, len(f.blocks), func() func(int) R {
		w := &fitWorker{fit: f, values: make([]float32, f.m.Entities())}
		return func(i int) R { return work(w, f.blocks[i]) }
	}, func(i int, r R) { merge(f.blocks[i], r) })
}

// fitWorker is one goroutine of a fit.
type fitWorker struct {
	*fit
	distances distances
	values    []float32
	gains     gains
	minima    [simd.Classes]float32
}

// answer calls each for every query of b with its row of values.
func (w *fitWorker) answer(b block, each func(q query, values []float32)) {
	if w.distances.m == nil {
		w.distances = newDistances(w.m, fitBlock)
	}
	queries := w.queries[b.lo:b.hi]
	w.distances.each(queries, func(i int, dist []float32) {
		w.m.Values(sphere.CriterionMargin, queries[i].Query, dist, w.values)
		each(queries[i], w.values)
	})
}

// gather collects the finite values of right answers.
func (f *fit) gather(ctx context.Context) error {
	return overBlocks(ctx, f, func(w *fitWorker, b block) (finite []float32) {
		for _, q := range w.queries[b.lo:b.hi] {
			w.m.DistancesAt(q.Query, q.truth, w.values)
			w.m.Values(sphere.CriterionMargin, q.Query, w.values, w.values)
			for _, a := range q.truth {
				if v := w.values[a]; v-v == 0 {
					finite = append(finite, v)
				}
			}
		}
		return finite
	}, func(b block, finite []float32) {
		g := &f.groups[b.group]
		g.values = append(g.values, finite...)
	})
}

// choose fixes the candidates: for a side those of all its relations, for a relation its own.
func (f *fit) choose() {
	var pooled [2][]float32
	for i := range f.side {
		f.side[i].least = math.MaxFloat32
	}
	for i := range f.groups {
		g := &f.groups[i]
		pooled[g.side] = append(pooled[g.side], g.values...)
		g.values = thin(g.values)
	}
	for i := range f.side {
		s := &f.side[i]
		s.candidates = slices.Concat([]float32{nothing}, thin(pooled[i]))
		s.sum = newCurve(len(s.candidates))
	}
	for i := range f.groups {
		g := &f.groups[i]
		own := slices.Concat([]float32{nothing}, g.values)
		shared := f.side[g.side].candidates
		all := slices.Concat(own, shared)
		slices.Sort(all)
		g.candidates = newCandidates(slices.Compact(all))
		g.own, g.shared = g.positions(own), g.positions(shared)
		g.values = nil
	}
}

// belowAll returns a threshold below least, the smallest value, so that it retrieves nothing.
func belowAll(least float32) float32 {
	if least == math.MaxFloat32 { // there are no finite values
		return -math.MaxFloat32
	}
	return below(least)
}

func (g *group) positions(threshold []float32) []int32 {
	at := make([]int32, len(threshold))
	for i, t := range threshold {
		k, _ := slices.BinarySearchFunc(g.candidates.threshold, t, cmp.Compare[float32])
		at[i] = int32(k)
	}
	return at
}

// measured is what a block adds: its sums, and the least of its finite values.
type measured struct {
	sum   *curve
	least float32
}

func (f *fit) measure(ctx context.Context) error {
	done := 0
	err := overBlocks(ctx, f, func(w *fitWorker, b block) measured {
		at := &f.groups[b.group].candidates
		out := measured{newCurve(len(at.threshold)), math.MaxFloat32}
		w.answer(b, func(q query, values []float32) {
			out.sum.addQuery(at, &w.gains, q, values)
			out.least = min(out.least, w.leastFinite(values))
		})
		return out
	}, func(b block, m measured) {
		g := &f.groups[b.group]
		g.least = min(g.least, m.least)
		if b.lo == g.lo {
			g.sum = m.sum
		} else {
			g.sum.add(m.sum)
		}
		if b.hi == g.hi {
			f.close(g)
		}
		if done += b.hi - b.lo; f.settings.Progress != nil {
			f.settings.Progress(done, len(f.queries))
		}
	})
	if err != nil {
		return err
	}
	for i := range f.side {
		s := &f.side[i]
		all := make([]int32, len(s.candidates))
		for k := range all {
			all[k] = int32(k)
		}
		s.candidates[0] = belowAll(s.least)
		for o := range s.best {
			s.best[o] = best(s.candidates, s.sum[o], all)
		}
	}
	return nil
}

// close finds the best thresholds of a group whose blocks are all measured, and hands its sums to the side.
func (f *fit) close(g *group) {
	side := &f.side[g.side]
	side.least = min(side.least, g.least)
	for o := range side.sum {
		for i, k := range g.shared {
			side.sum[o][i] += g.sum[o][k]
		}
	}
	g.candidates.threshold[0] = belowAll(g.least)
	for o := range g.best {
		g.best[o] = best(g.candidates.threshold, g.sum[o], g.own)
	}
	g.candidates, g.own, g.shared, g.sum = candidates{}, nil, nil, nil
}

// leastFinite returns the least of the finite values, MaxFloat32 if there are none.
func (w *fitWorker) leastFinite(values []float32) float32 {
	w.counts.Minima(w.minima[:], values)
	least := slices.Min(w.minima[:])
	if least > -math.MaxFloat32 {
		return min(least, math.MaxFloat32)
	}
	least = math.MaxFloat32
	for _, v := range values {
		if v < least && v > -math.MaxFloat32 {
			least = v
		}
	}
	return least
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
		bySide = append(bySide, sphere.Thresholds{Name: fittedBySide + name, Head: side[0], Tail: side[1]})
		for i := range f.groups {
			g := &f.groups[i]
			n := g.hi - g.lo
			if o == novel {
				n = g.novel
			}
			if n > 0 && g.least < math.MaxFloat32 {
				own[g.side][g.relation] = shrunk(float64(g.best[o]), float64(f.side[g.side].best[o]), float64(n),
					f.settings.Pseudo)
			}
		}
		byRelation = append(byRelation, sphere.Thresholds{Name: fittedByRelation + name, Head: own[0], Tail: own[1]})
	}
	return append(byRelation, bySide...)
}

// shrunk is the mean of a relation's threshold, found with n queries, and the side's, which counts as pseudo queries.
func shrunk(own, side, n, pseudo float64) float32 {
	return float32((float64(n*own) + float64(pseudo*side)) / (n + pseudo))
}
