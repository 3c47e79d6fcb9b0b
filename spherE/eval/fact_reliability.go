package eval

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/kg"
)

// FactReliability measures how far the probabilities of the answers that a cut returns to the queries of a split can be
// trusted.
type FactReliability struct {
	// OneSide is by the probability of the query alone, BothSides by that of Facts.
	OneSide   Returned `json:"one_side"`
	BothSides Returned `json:"both_sides"`
}

// Returned is the reliability of what is returned.
type Returned struct {
	ECE    float64 `json:"ece"`    // mean distance between mean probability and share over Bands
	Bands  []Band  `json:"bands"`  // about equally many answers each
	Likely []Band  `json:"likely"` // the same of the answers of probability .2 and more
}

const (
	returnedBands = 10
	likelyBands   = 5
	leastLikely   = .2
)

// MeasureFacts measures probabilities on what a cut returns to the queries of a split, sampled as FitFacts does. Known
// answers do not count. It returns ctx's error, or an error if the probabilities of the cut or of by are of another
// graph.
func MeasureFacts(
	ctx context.Context, m Model, g *kg.Graph, by *Calibrated, f *Facts, cut Limited, split kg.Split, s FactSettings,
) (FactReliability, error) {
	limit, err := cut.By(by).Limits(g)
	if err != nil {
		return FactReliability{}, err
	}
	known, truth := g.Index(kg.Train), g.Index(kg.Train, kg.Valid)
	if split == kg.Test {
		known, truth = truth, g.Index(kg.Train, kg.Valid, kg.Test)
	}
	list, err := factEvidence(ctx, m, g, by, distinct(g.Split(split), truth, known), s, limit)
	if err != nil {
		return FactReliability{}, err
	}
	one, both := make([]judgedFact, len(list)), make([]judgedFact, len(list))
	for i, c := range list {
		own := c.tail
		if c.side == kg.HeadSide {
			own = c.head
		}
		_, p := exact.Logistic(own)
		one[i] = judgedFact{p, c.n, c.right}
		both[i] = judgedFact{f.Of(c.triple.Relation, c.tail, c.head).Probability, c.n, c.right}
	}
	return FactReliability{returned(one), returned(both)}, nil
}

// judgedFact is a returned answer: its probability, how many it stands for, and 1 if it is right.
type judgedFact struct{ p, n, right float64 }

func returned(list []judgedFact) Returned {
	slices.SortStableFunc(list, func(a, b judgedFact) int { return cmp.Compare(a.p, b.p) })
	r := Returned{Bands: massBands(list, returnedBands)}
	all := 0.0
	for _, b := range r.Bands {
		all += b.Entities
		r.ECE += float64(b.Entities * math.Abs(b.Mean-b.Share))
	}
	if all > 0 {
		r.ECE /= all
	}
	likely, _ := slices.BinarySearchFunc(list, leastLikely, func(a judgedFact, p float64) int {
		return cmp.Compare(a.p, p)
	})
	r.Likely = massBands(list[likely:], likelyBands)
	return r
}

// massBands returns bands of about equally many answers, in ascending order. Equal probabilities share a band.
func massBands(list []judgedFact, bands int) (out []Band) {
	all := 0.0
	for _, x := range list {
		all += x.n
	}
	var b binned
	from, done := 0.0, 0.0
	for i, x := range list {
		if b.entities == 0 {
			from = x.p
		}
		b.entities, b.expected, b.right = b.entities+x.n, b.expected+float64(x.n*x.p), b.right+float64(x.n*x.right)
		isLast := i+1 == len(list)
		full := float64((done+b.entities)*float64(bands)) >= float64(all*float64(len(out)+1))
		if isLast || full && list[i+1].p > x.p {
			out, done, b = append(out, b.band(from, x.p)), done+b.entities, binned{}
		}
	}
	return out
}
