package eval

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Facts gives a new fact one probability from both of its queries. Answer and New of Calibrated say two of it, one as
// an answer to the tail query and one as an answer to the head query. FitFacts fits it to validation answers of both
// sides: the probability that a new answer to a query is right, of a query that has an answer to be found.
//
// The logarithms of the two odds are weighted by relation. A curve then turns the sum into a probability: it is
// monotone, as in isotonic regression (Zadrozny and Elkan 2002), and ends where the evidence ends, so that no
// probability is above what validation answers gave.
type Facts struct {
	Weights []FactWeights `json:"weights"` // by relation
	Curve   []Step        `json:"curve"`   // of all relations, ascending
	Curves  [][]Step      `json:"curves"`  // by relation; empty where Curve stands for it
}

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

// Estimate is the probability of a fact, and the range in which the share of such facts lies that is right.
type Estimate struct {
	Probability float64 `json:"probability"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`

	// Odds order facts of the same probability: at the end of the curve are many.
	Odds float64 `json:"odds"`
}

// Of is the estimate of a fact by the logarithms of the odds of its two queries; those of an entity that is no answer
// are -Inf.
func (f *Facts) Of(relation int32, tail, head float64) Estimate {
	w := f.Weights[relation]
	z := w.sum(clampOdds(tail), clampOdds(head))
	curve := f.Curve
	if own := f.Curves[relation]; len(own) > 0 {
		curve = own
	}
	e := estimate(curve, z)
	e.Odds = z
	return e
}

func (w FactWeights) sum(tail, head float64) float64 {
	return w.Intercept + float64(w.Tail*tail) + float64(w.Head*head)
}

// clampOdds keeps logarithms of odds finite. Beyond these ends nobody can tell probabilities from 0 and 1.
func clampOdds(z float64) float64 { return max(leastOdds, min(-leastOdds, z)) }

// estimate reads a curve at z: on the line between the logarithms of the odds of two steps, beyond the last one its
// share, and below the first one as much below as z is.
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
	if i == 0 { // no answer so unlikely was measured
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
	if n := g.Relations.Len(); len(f.Weights) != n || len(f.Curves) != n {
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

// Odds is the logarithm of the odds of an entity of this value, -Inf where the value is not finite.
func (s Sigmoid) Odds(value float32) float64 {
	if value-value != 0 {
		return math.Inf(-1)
	}
	return s.base - float64(s.slope*float64(value))
}

// Sides gives the logarithms of odds by which Facts is fitted: of the queries of a model's graph, by New. It keeps the
// sigmoid of every query that it has seen. It is safe for concurrent use.
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

// Seen is the sigmoid of a query that Of was called with.
func (s *Sides) Seen(q kg.Query) (Sigmoid, bool) {
	x, ok := s.seen.Load(q)
	if !ok {
		return Sigmoid{}, false
	}
	return x.(Sigmoid), true
}

// Of is the sigmoid of a query from the values of all entities by CriterionMargin, NaN where one is no answer.
func (s *Sides) Of(q kg.Query, values []float32) Sigmoid {
	if x, ok := s.Seen(q); ok {
		return x
	}
	x := s.by(q, values)
	s.seen.Store(q, x)
	return x
}
