package eval

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Expected is the cut that gives every query the set of greatest expected F1, NovelF1 or UnionF1 under calibrated
// probabilities: "expected-f1", "expected-novel", "expected-union". The set has all values up to a limit of the query,
// so known answers of smaller values are in it.
type Expected struct {
	objective  int
	calibrated *Calibrated // nil where only the name is known
}

const expectedPrefix = "expected-"

// ExpectedCuts are the cuts by expected F1, NovelF1 and UnionF1.
func ExpectedCuts(c *Calibrated) []Cut {
	var cuts []Cut
	for o := range objectives {
		cuts = append(cuts, Expected{o, c})
	}
	return cuts
}

// ExpectedNames are the names of ExpectedCuts.
func ExpectedNames() []string {
	var names []string
	for _, c := range ExpectedCuts(nil) {
		names = append(names, c.Name())
	}
	return names
}

func parseExpected(name string) (Cut, bool) {
	of, found := strings.CutPrefix(name, expectedPrefix)
	o := slices.Index(objectiveNames[:], of)
	return Expected{objective: o}, found && o >= 0
}

func (c Expected) Name() string { return expectedPrefix + objectiveNames[c.objective] }
func (c Expected) Kind() Kind   { return KindExpected }
func (c Expected) Rank() int    { return c.objective }

// By is the cut with probabilities.
func (c Expected) By(by *Calibrated) Limited { return Expected{c.objective, by} }

func (c Expected) prepare(p *plan) (prepared, error) { return prepareLimited(c, p) }

// Limit returns the greatest value of a query's set. It takes the query's known answers, ascending, and the values of
// all entities. An entity whose value is NaN is not an answer. Limit is safe for concurrent use.
type Limit func(q kg.Query, known []int32, values []float32) float32

// Limited is a cut whose limit is chosen for each query by calibrated probabilities: Expected or Promised.
type Limited interface {
	Cut
	// By returns the cut with probabilities. Limits returns an error without them, or on another graph.
	By(*Calibrated) Limited
	Limits(g *kg.Graph) (Limit, error)
}

func prepareLimited(c Limited, p *plan) (prepared, error) {
	limit, err := c.Limits(p.graph)
	if err != nil {
		return prepared{}, err
	}
	return prepared{name: c.Name(), criterion: sphere.CriterionMargin, count: func(r *row) count {
		return r.within(limit(r.Query, r.known, r.values))
	}}, nil
}

// Limits returns a Limit that computes each query's set on demand.
func (c Expected) Limits(g *kg.Graph) (Limit, error) {
	if c.calibrated == nil {
		return nil, notCalibrated(c, g)
	}
	by := &c.calibrated.New
	if c.objective == plain {
		by = &c.calibrated.Answer
	}
	chosen, err := chooseLimit(c, by, g)
	if err != nil {
		return nil, err
	}
	return func(q kg.Query, known []int32, values []float32) float32 {
		if c.objective == plain {
			known = nil
		}
		return chosen(q, values, func(w *choice, s Sigmoid) int {
			w.candidates(s, values, known)
			if c.objective == union {
				return w.best(len(known))
			}
			return w.best(0)
		})
	}, nil
}

func notCalibrated(c Cut, g *kg.Graph) error {
	return fmt.Errorf("eval: cut %q needs probabilities that are fitted on graph %q, which has %d relations", c.Name(),
		g.Name, g.Relations.Len())
}

// chooseLimit returns a Limit that calls size with a choice and the query's sigmoid, and turns the size of the set into
// a limit.
func chooseLimit(c Cut, by *Calibration, g *kg.Graph) (
	func(q kg.Query, values []float32, size func(*choice, Sigmoid) int) float32, error,
) {
	sigmoid, err := by.Sigmoids(g)
	if err != nil {
		return nil, notCalibrated(c, g)
	}
	counts, err := kernels()
	if err != nil {
		return nil, err
	}
	pool := sync.Pool{New: func() any { return &choice{counts: counts} }}
	return func(q kg.Query, values []float32, size func(*choice, Sigmoid) int) float32 {
		w := pool.Get().(*choice)
		defer pool.Put(w)
		return w.limit(size(w, sigmoid(q, values)))
	}, nil
}

// Sigmoids returns a function that gives a query's probabilities from the values of all entities. It is safe for
// concurrent use. The error says that the calibration is of another graph.
func (c *Calibration) Sigmoids(g *kg.Graph) (func(q kg.Query, values []float32) Sigmoid, error) {
	of, err := c.OfSets(g)
	if err != nil {
		return nil, err
	}
	train := g.Index(kg.Train)
	return func(q kg.Query, values []float32) Sigmoid { return of(q, train.Answers(q), values) }, nil
}

// OfSets is Sigmoids for what a relation leads to from a set: known are the known answers, ascending, and the entity
// of q does not count.
func (c *Calibration) OfSets(g *kg.Graph) (func(q kg.Query, known []int32, values []float32) Sigmoid, error) {
	if n := g.Relations.Len(); len(c.Head) != n || len(c.Tail) != n {
		return nil, fmt.Errorf("eval: probabilities of %d relations do not fit graph %q, which has %d", len(c.Head),
			g.Name, n)
	}
	counts, err := kernels()
	if err != nil {
		return nil, err
	}
	pool := sync.Pool{New: func() any { return new(crowded) }}
	return func(q kg.Query, known []int32, values []float32) Sigmoid {
		w := pool.Get().(*crowded)
		defer pool.Put(w)
		return c.of(q).of(len(known), w.of(counts, values, known))
	}, nil
}
