package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/logistic"
	"github.com/spherelab/spherelab/spherE/internal/order"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// FactSettings are how Facts is fitted. The zero value uses all cores and all sampled queries.
type FactSettings struct {
	Threads int // 0: all cores; never changes a number
	// Half chooses the queries to fit on: 1 those of even places, 2 those of odd places, 0 all.
	Half int
	// Sample is how many queries of a side are asked on average, 0 for as many as the evidence needs. Each relation and
	// side has one or more, and an equal share unless it has fewer. The other queries of what these return come on top.
	Sample   int
	Progress func(done, total int) // queries; called on the goroutine of FitFacts
}

// How much evidence is used. Every candidate costs a row of distances of its other query. So a relation and side has
// few queries, and a query few candidates; weights make up for both.
const (
	factQueries    = 1000 // of a relation and side at most
	factCandidates = 24   // of a query that count once, and as many that stand for its others
	factRows       = 4e9  // distances at most
	rightsOfStep   = 30   // right answers of a step of a curve
	ownCurve       = 4    // steps at least where a relation has a curve of its own
	factFeatures   = 3
)

// candidate is a new answer that is returned to a query.
type candidate struct {
	triple kg.Triple
	side   kg.Side
	tail   float64 // logarithm of odds as a tail
	head   float64
	n      float64 // how many it stands for
	right  float64 // 1 or 0
}

// FitFacts fits the probabilities of facts to what cut expected-novel returns to validation queries of both sides. by
// must have been fitted on the same graph. No test triple is used.
func FitFacts(ctx context.Context, m Model, g *kg.Graph, by *Calibrated, s FactSettings) (*Facts, error) {
	if len(g.Valid) == 0 {
		return nil, fmt.Errorf("eval: graph %q has no valid triples to fit facts on", g.Name)
	}
	if s.Sample < 0 {
		return nil, fmt.Errorf("eval: the sample must not be negative, got %d", s.Sample)
	}
	queries := distinct(g.Valid, g.Index(kg.Train, kg.Valid), g.Index(kg.Train))
	returned, err := Expected{objective: novel}.By(by).Limits(g)
	if err != nil {
		return nil, err
	}
	list, err := factEvidence(ctx, m, g, by, queries, s, returned)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.triple.Relation, b.triple.Relation) })
	relations := g.Relations.Len()
	out := &Facts{Curves: make([][]Step, relations), Least: leastReturned(list, relations)}
	center := fitWeights([]float64{0, .5, .5}, list, nil, nil)
	out.Weights = slices.Repeat([]FactWeights{{center[0], center[1], center[2]}}, relations)
	prior := logistic.New(factFeatures)
	rights := addCandidates(prior, center, list)
	for j, row := range prior.Curve {
		for k := range row {
			row[k] = float64(row[k] * (defaultPseudo / max(1, rights)))
		}
		row[j] += leastRidge
	}
	spans := make([][2]int, relations)
	for i, c := range list {
		if span := &spans[c.triple.Relation]; span[1] == 0 {
			*span = [2]int{i, i + 1}
		} else {
			span[1] = i + 1
		}
	}
	for r, span := range spans {
		if of := list[span[0]:span[1]]; slices.ContainsFunc(of, func(c candidate) bool { return c.right > 0 }) {
			w := fitWeights(center, of, center, prior.Curve)
			out.Weights[r] = FactWeights{w[0], w[1], w[2]}
		}
	}
	out.Curve = curveOf(out, list)
	for r, span := range spans {
		if own := curveOf(out, list[span[0]:span[1]]); len(own) >= ownCurve {
			out.Curves[r] = own
		}
	}
	return out, nil
}

// leastReturned are the least odds of the candidates by relation and side.
func leastReturned(list []candidate, relations int) []LeastOdds {
	none := LeastOdds{math.Inf(1), math.Inf(1)}
	of, all := slices.Repeat([]LeastOdds{none}, relations), none
	for _, c := range list {
		for _, l := range []*LeastOdds{&of[c.triple.Relation], &all} {
			if c.side == kg.TailSide {
				l.Tail = min(l.Tail, c.tail)
			} else {
				l.Head = min(l.Head, c.head)
			}
		}
	}
	for i := range of {
		l := &of[i]
		if l.Tail == none.Tail {
			l.Tail = clampOdds(all.Tail)
		}
		if l.Head == none.Head {
			l.Head = clampOdds(all.Head)
		}
	}
	return of
}

func addCandidates(sum *logistic.Sums, at []float64, list []candidate) (rights float64) {
	for i := range list {
		c := &list[i]
		sum.Add(at, []float64{1, c.tail, c.head}, c.n, c.right)
		rights += float64(c.n * c.right)
	}
	return rights
}

// fitWeights fits the weights of both sides, neither below 0, with a penalty that pulls them to a center.
func fitWeights(start []float64, list []candidate, center []float64, penalty [][]float64) []float64 {
	if center == nil {
		center, penalty = []float64{0, 0, 0}, logistic.Lower(factFeatures)
		for j := range penalty {
			penalty[j][j] = leastRidge
		}
	}
	sums := func(at []float64) *logistic.Sums {
		sum := logistic.New(factFeatures)
		addCandidates(sum, at, list)
		sum.Pull(at, center, penalty)
		return sum
	}
	free := []bool{true, true, true}
	w := logistic.Newton(start, nil, sums)
	for w[1] < 0 || w[2] < 0 {
		start = slices.Clone(start)
		for j := 1; j < factFeatures; j++ {
			if w[j] < 0 {
				start[j], free[j] = 0, false
			}
		}
		w = logistic.Newton(start, free, sums)
	}
	return w
}

// curveOf is a monotone curve through groups of candidates, each with rightsOfStep right ones or more.
func curveOf(f *Facts, list []candidate) []Step {
	type at struct {
		z float64
		c *candidate
	}
	points := make([]at, len(list))
	for i := range list {
		c := &list[i]
		points[i] = at{f.Weights[c.triple.Relation].sum(c.tail, c.head), c}
	}
	slices.SortStableFunc(points, func(a, b at) int { return cmp.Compare(b.z, a.z) })
	var groups []pool // the likeliest first
	var g pool
	for i, p := range points {
		g.add(p.z, p.c.n, p.c.right)
		if g.rights >= rightsOfStep && i+1 < len(points) && points[i+1].z != p.z {
			groups, g = append(groups, g), pool{}
		}
	}
	if g.count > 0 {
		if len(groups) > 0 && g.rights < rightsOfStep {
			groups[len(groups)-1].merge(g)
		} else {
			groups = append(groups, g)
		}
	}
	// pool adjacent violators: a likelier group has no smaller share
	var pooled []pool
	for _, next := range groups {
		for len(pooled) > 0 && pooled[len(pooled)-1].share() <= next.share() {
			last := pooled[len(pooled)-1]
			last.merge(next)
			next, pooled = last, pooled[:len(pooled)-1]
		}
		pooled = append(pooled, next)
	}
	slices.Reverse(pooled)
	var curve []Step
	for _, g := range pooled {
		s := g.step()
		if n := len(curve); n > 0 && s.Odds <= curve[n-1].Odds {
			continue // of the same mean: they cannot be distinguished
		}
		curve = append(curve, s)
	}
	return curve
}

// pool are neighbours on a curve.
type pool struct {
	count                    int
	rights                   int
	weight, squares, hit, at float64
}

func (g *pool) add(z, n, right float64) {
	g.count++
	if right > 0 {
		g.rights++
	}
	g.weight, g.squares = g.weight+n, g.squares+float64(n*n)
	g.hit, g.at = g.hit+float64(n*right), g.at+float64(n*z)
}

func (g *pool) merge(o pool) {
	g.count, g.rights = g.count+o.count, g.rights+o.rights
	g.weight, g.squares = g.weight+o.weight, g.squares+o.squares
	g.hit, g.at = g.hit+o.hit, g.at+o.at
}

// effective is how many candidates of equal weight would carry as much evidence (Kish 1965).
func (g *pool) effective() float64 { return float64(g.weight*g.weight) / g.squares }

func (g *pool) share() float64 {
	n := g.effective()
	return (float64(n*g.hit)/g.weight + .5) / (n + 1)
}

func (g *pool) step() Step {
	s := Step{Odds: g.at / g.weight, Share: g.share(), Count: g.count}
	s.Low, s.High = wilson(s.Share, g.effective())
	return s
}

// factEvidence are the new answers that a cut returns to sampled queries, with the logarithms of the odds of both
// sides.
func factEvidence(
	ctx context.Context, m Model, g *kg.Graph, by *Calibrated, queries []query, s FactSettings, returned Limit,
) ([]candidate, error) {
	sides, err := by.New.Sides(g)
	if err != nil {
		return nil, err
	}
	counts, err := kernels()
	if err != nil {
		return nil, err
	}
	w := &factWork{m: m, counts: counts, sides: sides, returned: returned, settings: s}
	asked, weights := factSample(queries, m.Entities(), s)
	var list []candidate
	err = w.rows(ctx, asked, func(i int, values []float32) []candidate {
		return w.candidates(asked[i], weights[i], values)
	}, func(found []candidate) { list = append(list, found...) })
	if err != nil {
		return nil, err
	}
	// the other query of each
	at := map[kg.Query][]int{}
	for i, c := range list {
		q := c.triple.Query(other(c.side))
		at[q] = append(at[q], i)
	}
	var others []query
	for q := range at {
		others = append(others, query{Query: q})
	}
	slices.SortFunc(others, func(a, b query) int {
		return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Known, b.Known))
	})
	err = w.rows(ctx, others, func(i int, values []float32) []candidate {
		q := others[i].Query
		sigmoid := sides.Of(q, values)
		for _, j := range at[q] {
			list[j].set(q.Side, sigmoid.Odds(values[list[j].triple.Answer(q.Side)]))
		}
		return nil
	}, func([]candidate) {})
	return list, err
}

func (c *candidate) set(side kg.Side, odds float64) {
	if odds = clampOdds(odds); side == kg.TailSide {
		c.tail = odds
	} else {
		c.head = odds
	}
}

func other(side kg.Side) kg.Side {
	if side == kg.TailSide {
		return kg.HeadSide
	}
	return kg.TailSide
}

// factWork is one call of factEvidence.
type factWork struct {
	m        Model
	counts   *simd.Counts
	sides    *Sides
	returned Limit
	settings FactSettings
}

// rows calls of with the values of each query, on several goroutines, and merges what it returns in the order of
// queries.
func (w *factWork) rows(
	ctx context.Context, queries []query, of func(i int, values []float32) []candidate, merge func([]candidate),
) error {
	total := len(queries)
	return parallel.Ordered(ctx, w.settings.Threads, (total+fitBlock-1)/fitBlock, func() func(int) []candidate {
		d, values := newDistances(w.m, min(fitBlock, total)), make([]float32, w.m.Entities())
		return func(b int) (found []candidate) {
			lo, hi := b*fitBlock, min((b+1)*fitBlock, total)
			d.each(queries[lo:hi], func(i int, dist []float32) {
				w.m.Values(sphere.CriterionMargin, queries[lo+i].Query, dist, values)
				found = append(found, of(lo+i, values)...)
			})
			return found
		}
	}, func(b int, found []candidate) {
		merge(found)
		if w.settings.Progress != nil {
			w.settings.Progress(min((b+1)*fitBlock, total), total)
		}
	})
}

// candidates are the new answers that are returned to a query: the best ones each once, and of the others an even part.
func (w *factWork) candidates(q query, weight float64, values []float32) (list []candidate) {
	s := w.sides.Of(q.Query, values)
	reach := w.returned(q.Query, q.known, values)
	keys := newWithin(w.counts, nil, values, reach, q.known)
	every := max(1, (len(keys)-1)/factCandidates) // of the others
	for place, k := range keys {
		e, n := order.Entity(k), weight
		if place >= factCandidates {
			if (place-factCandidates)%every != 0 {
				continue
			}
			n *= float64(every)
		}
		c := candidate{triple: q.Triple(e), side: q.Side, n: n}
		if kg.Contains(q.truth, e) {
			c.right = 1
		}
		c.set(q.Side, s.Odds(values[e]))
		list = append(list, c)
	}
	return list
}
