package eval

import (
	"fmt"

	sphere "github.com/spherelab/spherelab/spherE"
)

// Tie is a cut under protocol tie: the evaluation of the authors' code for HousE and for SpherE in more than three
// dimensions, run without its filter. The code's loader puts the asked answer in place of every other true answer
// of the query. So all n true answers have the value of the asked one, and nothing distinguishes them. With a, the
// entities that are not answers and come before the asked one (the filtered realistic rank less 1), and w, the entities
// in the set that are not answers, a triple has
//
//   - under a top-l cut: RR min(max(l-a, 0), n) / n, and F1 2 min(max(l-a, 0), n) / (l+n). The places in the set are
//     shared out evenly among the tied answers.
//   - under a criterion: RR as under protocol clean, and F1 2n / (2n+w) if the asked answer is in the set, else 0. So
//     F1 is at most RR, and falls with it.
//
// NNF1 of this protocol is the mean of head and tail F1 over all triples, not over those of n-to-n relations. The
// paper's rows of these models are such means. The paper does not say that it was evaluated in this way; it follows
// from its numbers.
type Tie struct{ Of Cut } // a Top or a Criterion

const tiePrefix = "tie-"

func parseTie(name string) (Cut, bool) {
	c, ok := parseInner(name, tiePrefix)
	return Tie{c}, ok
}

func (c Tie) Name() string { return tiePrefix + c.Of.Name() }
func (c Tie) Kind() Kind   { return KindTie }
func (c Tie) Rank() int    { return int(c.Of.Kind())<<20 + c.Of.Rank() }

func (c Tie) prepare(p *plan) (prepared, error) {
	inner, err := c.Of.prepare(p)
	if err != nil {
		return prepared{}, err
	}
	switch of := c.Of.(type) {
	case Top:
		return prepared{name: c.Name(), criterion: sphere.CriterionMargin, perTriple: true, isTied: true,
			count: func(r *row) count { return r.tiedBest(int(of)) }}, nil
	case Criterion:
		return prepared{name: c.Name(), criterion: inner.criterion, perTriple: true, grows: true, isTied: true,
			count: func(r *row) count { return r.tiedWithin(r.threshold) }}, nil
	}
	return prepared{}, fmt.Errorf("eval: protocol tie has no cut %s", c.Of.Name())
}

// tiedBest counts, over the triples of the query, the tied answers among the best l entities.
func (r *row) tiedBest(l int) count {
	size, tied2 := min(l, len(r.values)), 2*int32(len(r.truth))
	c := count{size: int32(size)}
	for _, rank2 := range r.ranks() {
		before2 := rank2 - 2 // twice the entities that are not answers and come before
		c.tied2 += int64(min(max(2*int32(size)-before2, 0), tied2))
	}
	return c
}

// tiedWithin counts the wrong entities within a threshold, and over the triples whose own answer is within it, all
// tied answers.
func (r *row) tiedWithin(threshold float32) count {
	c := r.within(threshold)
	own := c.of[ownAnswers]
	return count{size: c.size - c.of[trueAnswers], of: [3]int32{ownAnswers: own},
		tied2: 2 * int64(own) * int64(len(r.truth))}
}

// tiedSums are sums over the triples of a query under protocol tie. Recall is the retrieve rate: of n tied answers,
// each is the asked one equally often.
type tiedSums struct {
	f1, precision, rr float64
	size              int64
}

func (c *CutRecord) tiedSums(r *Records, i int) tiedSums {
	tied2, truth, size := float64(c.Tied2[i]), float64(r.Truth[i]), float64(c.Size[i])
	triples, own := int64(r.Triples[i]), int64(c.Own[i])
	s := tiedSums{rr: tied2 / (2 * truth)}
	if c.Grows {
		s.f1 = float64(float64(own) * (float64(2*truth) / (float64(2*truth) + size)))
		s.precision = float64(float64(own) * (truth / (truth + size)))
		s.size = triples*int64(c.Size[i]) + own*int64(r.Truth[i])
		return s
	}
	s.f1 = tied2 / (size + truth)
	s.precision = tied2 / (2 * size)
	s.size = triples * int64(c.Size[i])
	return s
}
