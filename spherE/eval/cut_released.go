package eval

import (
	"fmt"

	sphere "github.com/spherelab/spherelab/spherE"
)

// Released is a cut under protocol released: the evaluation of the authors' code for HousE and for SpherE in more than
// three dimensions. For every triple of the split, that code subtracts 10,000 from the value of the query's other true
// answers. A ranking by the largest value then has them last, and a threshold that keeps small values always keeps
// them. So numbers of this protocol cannot be compared with those of protocol clean:
//
//   - a top-l cut loses all true answers but the triple's own. F1 falls.
//   - a criterion retrieves all true answers but the triple's own, whatever the model says. F1 rises.
//
// The set of a triple depends on the triple, not on its query alone, and the known answers are always in it or never.
// So there is no novel-answer F1, no union F1 and no average over queries.
type Released struct{ Of Cut } // a Top or a Criterion

const releasedPrefix = "released-"

func parseReleased(name string) (Cut, bool) {
	c, ok := parseInner(name, releasedPrefix)
	return Released{c}, ok
}

func (c Released) Name() string { return releasedPrefix + c.Of.Name() }
func (c Released) Kind() Kind   { return KindReleased }
func (c Released) Rank() int    { return int(c.Of.Kind())<<20 + c.Of.Rank() }

func (c Released) prepare(p *plan) (prepared, error) {
	inner, err := c.Of.prepare(p)
	if err != nil {
		return prepared{}, err
	}
	switch of := c.Of.(type) {
	case Top:
		return prepared{name: c.Name(), criterion: sphere.CriterionMargin, perTriple: true,
			count: func(r *row) count { return r.countReleased(int(of)) }}, nil
	case Criterion:
		return prepared{name: c.Name(), criterion: inner.criterion, perTriple: true, grows: true,
			count: func(r *row) count { return r.countLeaked(r.threshold) }}, nil
	}
	return prepared{}, fmt.Errorf("eval: protocol released has no cut %s", c.Of.Name())
}

// countReleased counts, of the set of l entities without the query's other true answers, what it holds without the
// triple's own answer, and for how many triples that is in it.
func (r *row) countReleased(l int) count {
	c := count{size: int32(min(l, len(r.values)))}
	// If there are fewer than l other entities, the true answers that were put last are in the set after all.
	others := len(r.truth) - 1
	c.of[trueAnswers] = int32(max(0, int(c.size)-(len(r.values)-others)))
	for _, rank2 := range r.ranks() {
		if rank2 <= int32(2*l) {
			c.of[ownAnswers]++
		}
	}
	return c
}

// countLeaked counts the set of values within a threshold, united with the query's other true answers.
func (r *row) countLeaked(threshold float32) count {
	c := r.within(threshold)
	others := int32(len(r.truth)) - 1
	return count{size: others + c.size - c.of[trueAnswers], of: [3]int32{
		trueAnswers: others, ownAnswers: c.of[ownAnswers],
	}}
}
