package eval

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Facts assigns a new fact one probability from both of its queries. Calibrated alone has two for it: one as an answer
// to the tail query, one as an answer to the head query. FitFacts fits it to validation answers of both sides: the
// probability that a new answer to a query is right, of a query that has an answer to be found.
//
// The logarithms of the two odds are weighted by relation. A curve then turns the sum into a probability: it is
// monotone, as in isotonic regression (Zadrozny and Elkan 2002), and ends where the evidence ends, so that no
// probability is above what validation answers gave. The evidence is about answers that were returned and says nothing
// about other entities. Below the least odds that were returned, the odds of a fact fall as those of its queries do.
type Facts struct {
	Weights []FactWeights `json:"weights"` // by relation
	Least   []LeastOdds   `json:"least"`   // by relation
	Curve   []Step        `json:"curve"`   // of all relations, ascending
	Curves  [][]Step      `json:"curves"`  // by relation; empty if Curve stands for it
}

// LeastOdds are the least logarithms of odds of answers that tail queries and head queries returned; those of all
// relations where a side of the relation returned none.
type LeastOdds struct {
	Tail float64 `json:"tail"`
	Head float64 `json:"head"`
}

// short is how far both logarithms of odds of a fact are below the least that were returned, 0 where one is not.
func (l LeastOdds) short(tail, head float64) float64 { return max(0, min(l.Tail-tail, l.Head-head)) }

// FactWeights weigh the logarithms of the odds of the two queries; Tail and Head are at least 0.
type FactWeights struct {
	Intercept float64 `json:"intercept"`
	Tail      float64 `json:"tail"`
	Head      float64 `json:"head"`
}

// Step is a group of neighbouring validation answers by their weighted logarithm of odds.
type Step struct {
	Odds  float64 `json:"odds"`  // mean of the weighted logarithms
	Share float64 `json:"share"` // that is right, of one answer more of which half is right: never 0 or 1
	Low   float64 `json:"low"`   // 95 % interval of the share (Wilson 1927)
	High  float64 `json:"high"`
	Count int     `json:"count"` // answers
}

// Estimate is the probability of a fact, with an interval of the share of such facts that is right.
type Estimate struct {
	Probability float64 `json:"probability"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`

	// Odds order facts of the same probability. There are many at the end of the curve.
	Odds float64 `json:"odds"`
}

// Of returns the estimate of a fact, given the logarithms of the odds of its two queries. Those of an entity that is
// not an answer are -Inf.
func (f *Facts) Of(relation int32, tail, head float64) Estimate {
	tail, head = clampOdds(tail), clampOdds(head)
	z, short := f.Weights[relation].sum(tail, head), f.Least[relation].short(tail, head)
	curve := f.Curve
	if own := f.Curves[relation]; len(own) > 0 {
		curve = own
	}
	e := estimate(curve, z)
	e.Odds = z - short
	if short > 0 {
		e.Probability, e.Low, e.High = share(logit(e.Probability)-short), 0, share(logit(e.High)-short)
	}
	return e
}

func (w FactWeights) sum(tail, head float64) float64 {
	return w.Intercept + float64(w.Tail*tail) + float64(w.Head*head)
}

// clampOdds keeps logarithms of odds finite. Beyond these ends probabilities cannot be distinguished from 0 and 1.
func clampOdds(z float64) float64 { return max(leastOdds, min(-leastOdds, z)) }

// estimate reads a curve at z. Between two steps it interpolates the logarithms of the odds linearly. Beyond the last
// step it is that step's share. Below the first step it is as far below as z is.
func estimate(curve []Step, z float64) Estimate {
	if len(curve) == 0 {
		_, p := exact.Logistic(z)
		return Estimate{Probability: p, Low: 0, High: 1}
	}
	i, _ := slices.BinarySearchFunc(curve, z, func(s Step, z float64) int {
		if s.Odds < z {
			return -1
		}
		return 1
	})
	between := func(of func(Step) float64) float64 {
		switch {
		case i == 0:
			return share(logit(of(curve[0])) - (curve[0].Odds - z))
		case i == len(curve):
			return of(curve[i-1])
		}
		a, b := curve[i-1], curve[i]
		t := (z - a.Odds) / (b.Odds - a.Odds)
		return share(float64((1-t)*logit(of(a))) + float64(t*logit(of(b))))
	}
	e := Estimate{
		Probability: between(func(s Step) float64 { return s.Share }),
		Low:         between(func(s Step) float64 { return s.Low }),
		High:        between(func(s Step) float64 { return s.High }),
	}
	if i == 0 { // no answer as unlikely as this was measured
		e.Low = 0
	}
	return e
}

// leastShare keeps logarithms of odds of shares finite.
const leastShare = 1e-6

func logit(p float64) float64 {
	p = max(leastShare, min(1-leastShare, p))
	return exact.Log(p) - exact.Log(1-p)
}

func share(z float64) float64 {
	_, p := exact.Logistic(z)
	return p
}

// Check refuses probabilities of another graph.
func (f *Facts) Check(g *kg.Graph) error {
	if n := g.Relations.Len(); len(f.Weights) != n || len(f.Least) != n || len(f.Curves) != n {
		return fmt.Errorf("eval: probabilities of facts of %d relations do not fit graph %q, which has %d",
			len(f.Weights), g.Name, n)
	}
	for _, curve := range append([][]Step{f.Curve}, f.Curves...) {
		for i, s := range curve {
			if i > 0 && !(s.Odds > curve[i-1].Odds) || !(s.Low <= s.Share && s.Share <= s.High) {
				return fmt.Errorf("eval: probabilities of facts of graph %q are damaged", g.Name)
			}
		}
	}
	return nil
}

// Odds returns the logarithm of the odds of an entity of this value, -Inf if the value is not finite.
func (s Sigmoid) Odds(value float32) float64 {
	if value-value != 0 {
		return math.Inf(-1)
	}
	return s.base - float64(s.slope*float64(value))
}

// Sides returns the logarithms of odds by which Facts is fitted: of the queries of a model's graph, by New. It keeps
// the sigmoid of every query that it has seen. It is safe for concurrent use.
type Sides struct {
	by   func(q kg.Query, values []float32) Sigmoid
	seen sync.Map // kg.Query to Sigmoid
}

// Sides prepares the two sides of facts. The error says that the calibration is of another graph.
func (c *Calibration) Sides(g *kg.Graph) (*Sides, error) {
	by, err := c.Sigmoids(g)
	if err != nil {
		return nil, err
	}
	return &Sides{by: by}, nil
}

// Seen returns the sigmoid of a query that Of was called with.
func (s *Sides) Seen(q kg.Query) (Sigmoid, bool) {
	x, ok := s.seen.Load(q)
	if !ok {
		return Sigmoid{}, false
	}
	return x.(Sigmoid), true
}

// Of returns the sigmoid of a query, given the values of all entities by CriterionMargin. The value of an entity that
// is not an answer is NaN.
func (s *Sides) Of(q kg.Query, values []float32) Sigmoid {
	if x, ok := s.Seen(q); ok {
		return x
	}
	x := s.by(q, values)
	s.seen.Store(q, x)
	return x
}
