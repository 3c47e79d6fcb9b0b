package eval

import (
	"context"
	"fmt"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/kg"
)

// NegativeSettings are how facts are ranked among given negatives. The zero value can be used.
type NegativeSettings struct {
	Threads  int // 0: all cores; never changes a number
	Progress func(done, total int)
}

// NegativeScores are the ranks of facts among given negatives.
type NegativeScores struct {
	Head RankScores `json:"head"`
	Tail RankScores `json:"tail"`
	Both RankScores `json:"both"`

	Negatives [2]int `json:"negatives"` // of all facts, by side
}

// RankNegatives ranks the answer of each query of the facts among the negatives that it is given, and among no other
// entity: the protocol of the Open Graph Benchmark (Hu et al. 2020). negatives are by side and fact. Where negatives
// have the answer's score, the rank is the mean of the best and the worst place among them, as in OGB's evaluator. An
// entity without a score, whose value is NaN, is below all that have one and tied with the others.
func RankNegatives(ctx context.Context, m Model, g *kg.Graph, facts []kg.Triple, negatives [2][][]int32,
	s NegativeSettings) (*NegativeScores, error) {
	if err := sameGraph(m, g); err != nil {
		return nil, err
	}
	var all [2]rankTally
	scores := &NegativeScores{}
	for side, lists := range negatives {
		if len(lists) != len(facts) {
			return nil, fmt.Errorf("eval: %d lists of negatives of %s queries for %d facts", len(lists), kg.Side(side),
				len(facts))
		}
		for _, list := range lists {
			scores.Negatives[side] += len(list)
		}
		rank2, done := make([]int32, len(facts)), 0
		err := parallel.Ordered(ctx, s.Threads, len(facts), func() func(int) struct{} {
			values, asked := make([]float32, m.Entities()), []int32(nil)
			return func(i int) (none struct{}) {
				q := facts[i].Query(kg.Side(side))
				asked = append(append(asked[:0], facts[i].Answer(q.Side)), lists[i]...)
				m.DistancesAt(q, asked, values)
				m.Values(sphere.CriterionMargin, q, values, values)
				rank2[i] = rankAmong(values, asked[0], lists[i])
				return
			}
		}, func(int, struct{}) {
			if done++; s.Progress != nil {
				s.Progress(side*len(facts)+done, 2*len(facts))
			}
		})
		if err != nil {
			return nil, err
		}
		for _, r := range rank2 {
			all[side].add(r)
		}
	}
	scores.Head, scores.Tail = all[kg.HeadSide].scores(), all[kg.TailSide].scores()
	scores.Both = all[0].plus(all[1]).scores()
	return scores, nil
}

// rankAmong returns twice the rank of an answer among negatives: smaller values are better, NaN is the worst.
func rankAmong(values []float32, answer int32, negatives []int32) int32 {
	own, rank2 := values[answer], int32(2)
	for _, e := range negatives {
		v := values[e]
		switch {
		case v < own || own != own && v == v: // better
			rank2 += 2
		case v == own || own != own && v != v: // tied
			rank2++
		}
	}
	return rank2
}
