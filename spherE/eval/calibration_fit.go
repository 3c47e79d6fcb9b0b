package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/logistic"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// CalibrateSettings say how probabilities are fitted. The zero value uses all cores and 10 pseudo-answers.
type CalibrateSettings struct {
	// Pseudo is how strongly a relation's weights are pulled to the side's, in right answers: the penalty on a
	// difference counts as much as the evidence of this many right answers of the side. 0 means 10.
	Pseudo  float64
	Threads int // 0: all cores; never changes a number
	Sample  int // of validation queries, as in Settings

	// Progress is called on the goroutine that called Calibrate, after every block of queries.
	Progress func(done, total int)
}

// Calibrated is what Calibrate finds on the validation queries.
type Calibrated struct {
	// Answer is the probability that an entity is an answer, known or not. New is the probability that an entity that
	// is not known is an answer. Both assume that the query has an answer to be found, as the queries of a split have.
	Answer Calibration `json:"answer"`
	New    Calibration `json:"new"`

	// Promise is the precision and recall of thresholds on probabilities. It is fitted on every other validation query
	// and measured on the rest.
	Promise Promise `json:"promise"`
}

// LeastCalibrated is the least number of validation facts with which probabilities were measured to give better sets
// than thresholds do; docs/measured.md has the numbers.
const LeastCalibrated = 10

// Calibrate fits probabilities to the validation queries. The answers in training are known, those in training or
// validation are right. No test triple is used. Wrong entities are weighted: the closest ones of every query count once
// each, and an even sample of the others stands for all of them. The weights are fitted by Newton's method, first those
// of a side, then those of every relation with a penalty that pulls them to the side's.
func Calibrate(ctx context.Context, m Model, g *kg.Graph, s CalibrateSettings) (*Calibrated, error) {
	if s.Pseudo == 0 {
		s.Pseudo = defaultPseudo
	}
	if !(s.Pseudo > 0 && s.Pseudo <= math.MaxFloat32) || s.Threads < 0 || s.Sample < 0 {
		return nil, fmt.Errorf("eval: cannot calibrate with %g pseudo-answers, %d threads and a sample of %d queries",
			s.Pseudo, s.Threads, s.Sample)
	}
	if len(g.Valid) == 0 {
		return nil, fmt.Errorf("eval: graph %q has no valid triples to calibrate on", g.Name)
	}
	if err := sameGraph(m, g); err != nil {
		return nil, err
	}
	counts, err := kernels()
	if err != nil {
		return nil, err
	}
	c := &calibrating{m: m, counts: counts, settings: s}
	queries := sample(distinct(g.Valid, g.Index(kg.Train, kg.Valid), g.Index(kg.Train)), s.Sample)
	if err := c.gather(ctx, queries); err != nil {
		return nil, err
	}
	all := func(*evidence) bool { return true }
	half := func(rest int) func(*evidence) bool { return func(e *evidence) bool { return e.place%2 == rest } }
	var out Calibrated
	if out.Answer, err = c.fit(ctx, all, anyAnswer); err != nil {
		return nil, err
	}
	if out.New, err = c.fit(ctx, all, newAnswer); err != nil {
		return nil, err
	}
	if out.Promise.Calibration, err = c.fit(ctx, half(0), newAnswer); err != nil {
		return nil, err
	}
	out.Promise.Fitted = c.measure(&out.Promise.Calibration, half(0))
	out.Promise.Measured = c.measure(&out.Promise.Calibration, half(1))
	out.Promise.Coverage = c.cover(&out.Promise.Calibration, half(1))
	return &out, nil
}

// Check refuses probabilities of another graph.
func (c *Calibrated) Check(g *kg.Graph) error {
	for _, by := range []*Calibration{&c.Answer, &c.New, &c.Promise.Calibration} {
		if _, err := by.Sigmoids(g); err != nil {
			return err
		}
	}
	for _, cut := range []Promised{{millionths: 5e5}, {millionths: 5e5, ofRecall: true}} {
		if _, err := cut.By(c).Limits(g); err != nil {
			return err
		}
	}
	return c.Promise.Coverage.check(g)
}

// calibrating is one call of Calibrate.
type calibrating struct {
	m        Model
	counts   *simd.Counts
	settings CalibrateSettings
	evidence [2][]evidence // by side, in the order of queries
	spans    [2][][2]int   // of evidence that shares a relation
}

// evidence are finite values of one query: known answers, then new ones, then wrong entities that count once, then
// wrong ones that stand for rest each.
type evidence struct {
	place    int // of the query
	relation int32
	values   []float32
	known    int // end of the known answers in values
	right    int // end of the right answers
	near     int // end of what counts once
	lost     int // right new answers without a finite value
	rest     float64
	count    float64 // ln(1 + training answers)
	crowd    float64
}

// The right answers that a calibration is fitted to.
const (
	anyAnswer = iota
	newAnswer
)

// nearWrong bounds the number of wrong entities of a query that count once, and of those that stand for the others.
const nearWrong = 128

func (c *calibrating) gather(ctx context.Context, queries []query) error {
	total := len(queries)
	n := c.m.Entities()
	return parallel.Ordered(ctx, c.settings.Threads, (total+fitBlock-1)/fitBlock, func() func(int) []evidence {
		w := gatherer{calibrating: c, distances: newDistances(c.m, min(fitBlock, total)), values: make([]float32, n)}
		return func(b int) (found []evidence) {
			lo, hi := b*fitBlock, min((b+1)*fitBlock, total)
			w.distances.each(queries[lo:hi], func(i int, dist []float32) {
				q := queries[lo+i]
				c.m.Values(sphere.CriterionMargin, q.Query, dist, w.values)
				found = append(found, w.evidence(lo+i, q))
			})
			return found
		}
	}, func(b int, found []evidence) {
		for i, e := range found {
			side := 0
			if queries[b*fitBlock+i].Side == kg.TailSide {
				side = 1
			}
			list := c.evidence[side]
			if last := len(list) - 1; last < 0 || list[last].relation != e.relation {
				c.spans[side] = append(c.spans[side], [2]int{last + 1, last + 1})
			}
			c.evidence[side] = append(list, e)
			c.spans[side][len(c.spans[side])-1][1]++
		}
		if c.settings.Progress != nil {
			c.settings.Progress(min((b+1)*fitBlock, total), total)
		}
	})
}

// gatherer is one goroutine of gather.
type gatherer struct {
	*calibrating
	distances distances
	values    []float32
	crowded   crowded
	selection selection
}

func (w *gatherer) evidence(place int, q query) evidence {
	e := evidence{place: place, relation: q.Relation, count: exact.Log(float64(1 + len(q.known)))}
	e.crowd = float64(w.crowded.of(w.counts, w.values, q.known))
	for _, a := range q.known {
		e.add(w.values[a])
	}
	e.known = len(e.values)
	for _, a := range q.truth {
		if !kg.Contains(q.known, a) {
			before := len(e.values)
			if e.add(w.values[a]); len(e.values) == before {
				e.lost++
			}
		}
	}
	e.right = len(e.values)
	nearest := w.selection.smallest(w.counts, w.values, nearWrong+len(q.truth))
	var last scored
	for _, x := range nearest {
		if len(e.values)-e.right < nearWrong && !kg.Contains(q.truth, x.entity) {
			e.add(x.value)
			last = x
		}
	}
	e.near = len(e.values)
	if e.near == e.right {
		return e
	}
	far := func(a int) bool {
		v := w.values[a]
		return last.before(scored{v, int32(a)}) && v <= math.MaxFloat32 && !kg.Contains(q.truth, int32(a))
	}
	rest := 0
	for a := range w.values {
		if far(a) {
			rest++
		}
	}
	every, seen := max(1, rest/nearWrong), place
	for a := range w.values {
		if far(a) {
			if seen++; seen%every == 0 {
				e.add(w.values[a])
			}
		}
	}
	if sampled := len(e.values) - e.near; sampled > 0 {
		e.rest = float64(rest) / float64(sampled)
	}
	return e
}

func (e *evidence) add(value float32) {
	if value-value == 0 {
		e.values = append(e.values, value)
	}
}

// each calls do with every value that a calibration is fitted to, its weight, and 1 for a right answer or 0 for a wrong
// one.
func (e *evidence) each(about int, do func(value float32, n, right float64)) {
	from := 0
	if about == newAnswer {
		from = e.known
	}
	for i := from; i < len(e.values); i++ {
		switch v := e.values[i]; {
		case i < e.right:
			do(v, 1, 1)
		case i < e.near:
			do(v, 1, 0)
		default:
			do(v, e.rest, 0)
		}
	}
}

// rights is the number of right answers that a calibration is fitted to.
func (e *evidence) rights(about int) int {
	if about == newAnswer {
		return e.right - e.known
	}
	return e.right
}

// sums are those of a regression at w over the chosen evidence of a span.
func (c *calibrating) sums(list []evidence, chosen func(*evidence) bool, about int, w []float64) *logistic.Sums {
	l, x := logistic.New(features), make([]float64, features)
	for i := range list {
		if e := &list[i]; chosen(e) && e.rights(about) > 0 {
			x[0], x[2], x[3] = 1, e.count, e.crowd
			e.each(about, func(v float32, n, right float64) {
				x[1] = -float64(v)
				l.Add(w, x, n, right)
			})
		}
	}
	return l
}

// fit fits the weights of all relations on chosen evidence.
func (c *calibrating) fit(ctx context.Context, chosen func(*evidence) bool, about int) (out Calibration, err error) {
	for side, by := range []*[]Logit{&out.Head, &out.Tail} {
		list, spans := c.evidence[side], c.spans[side]
		rights := make([]int, len(spans))
		for i, span := range spans {
			for j := span[0]; j < span[1]; j++ {
				if chosen(&list[j]) {
					rights[i] += list[j].rights(about)
				}
			}
		}
		all := 0
		for _, n := range rights {
			all += n
		}
		zero, ridge := make([]float64, features), logistic.Lower(features)
		for j := range ridge {
			ridge[j][j] = leastRidge
		}
		whole := func(at []float64) *logistic.Sums {
			sum := logistic.New(features)
			err = parallel.Ordered(ctx, c.settings.Threads, len(spans), func() func(int) *logistic.Sums {
				return func(i int) *logistic.Sums { return c.sums(list[spans[i][0]:spans[i][1]], chosen, about, at) }
			}, func(_ int, l *logistic.Sums) { sum.Merge(l) })
			sum.Pull(at, zero, ridge)
			return sum
		}
		if all == 0 { // without a right answer nothing is likely: sets are empty
			*by = slices.Repeat([]Logit{{Intercept: 2 * leastOdds}}, c.m.Relations())
			continue
		}
		center := positive([]float64{leastOdds / 2, 0, 0, 0}, whole)
		if err != nil {
			return out, err
		}
		*by = slices.Repeat([]Logit{logitOf(center)}, c.m.Relations())
		prior := whole(center).Curve
		for j := range prior {
			for k := range prior[j] {
				prior[j][k] = float64(prior[j][k] * (c.settings.Pseudo / float64(all)))
			}
		}
		err = parallel.Ordered(ctx, c.settings.Threads, len(spans), func() func(int) []float64 {
			return func(i int) []float64 {
				if rights[i] == 0 {
					return center
				}
				return positive(center, func(at []float64) *logistic.Sums {
					l := c.sums(list[spans[i][0]:spans[i][1]], chosen, about, at)
					l.Pull(at, center, prior)
					return l
				})
			}
		}, func(i int, w []float64) { (*by)[list[spans[i][0]].relation] = logitOf(w) })
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// leastRidge keeps a side's weights finite where a feature separates right from wrong.
const leastRidge = 1e-3

// positive is Newton's method with a weight of the value that is not negative. It is 0 if values carry no information.
func positive(start []float64, sums func(at []float64) *logistic.Sums) []float64 {
	w := logistic.Newton(start, nil, sums)
	if w[1] < 0 {
		start = slices.Clone(start)
		start[1] = 0
		w = logistic.Newton(start, []bool{true, false, true, true}, sums)
	}
	return w
}

// crowded finds the crowd of a query among its finite values. It belongs to one worker.
type crowded struct{ selection selection }

func (c *crowded) of(counts *simd.Counts, values []float32, known []int32) float32 {
	place, crowd := 0, float32(0)
	for _, x := range c.selection.smallest(counts, values, crowdPlace+len(known)) {
		if x.value-x.value != 0 || kg.Contains(known, x.entity) {
			continue
		}
		crowd = x.value
		if place++; place == crowdPlace {
			break
		}
	}
	return crowd
}
