package rule

import (
	"cmp"
	"context"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Limits for choosing ways by validation queries.
const (
	triedFacts = 1000 // drawn queries that are tried, per side
	ownFacts   = 50   // tried facts that a relation needs to have its own way
)

// defaultWay is the way of a graph without validation facts.
var defaultWay = Way{Hierarchy: true, Power: 2, Answers: 1}

// ways returns all ways that are tried. Of equally good ones the first is chosen.
func (n *neighbours) ways() []Way {
	var all []Way
	for _, usesHierarchy := range []bool{true, false} {
		if usesHierarchy && n.traits[1] == nil {
			continue
		}
		for _, p := range powers {
			for _, answers := range []float64{0, .1, 1, 10} {
				all = append(all, Way{usesHierarchy, p, answers})
			}
		}
	}
	return all
}

// trial is a validation fact as a query.
type trial struct {
	kg.Query
	answer int32
}

// fitVoting chooses the way to vote of each side by the MRR of a sample of the validation facts. It also chooses the
// way of each relation that has enough of them.
func fitVoting(ctx context.Context, g *kg.Graph, s Settings) (*Voting, error) {
	n := newNeighbours(g, Voting{})
	voting := &Voting{}
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		ways, err := n.fitSide(ctx, side, s)
		if err != nil {
			return nil, err
		}
		if side == kg.HeadSide {
			voting.Head = ways
		} else {
			voting.Tail = ways
		}
	}
	return voting, nil
}

func (n *neighbours) fitSide(ctx context.Context, side kg.Side, s Settings) ([]Way, error) {
	trials := drawTrials(n.graph, side, triedFacts)
	tried, relations := n.ways(), n.graph.Relations.Len()
	ways := make([]Way, relations)
	if len(trials) == 0 {
		for r := range ways {
			ways[r] = defaultWay
			ways[r].Hierarchy = n.traits[1] != nil
		}
		return ways, nil
	}
	truth := n.graph.Index(kg.Train, kg.Valid)
	whole, facts := make([]float64, len(tried)), make([]int, relations)
	byRelation := make([][]float64, relations)
	err := parallel.Ordered(ctx, s.Threads, len(trials), func() func(int) []float64 {
		b, dst := n.spare.Get().(*ballot), make([]float32, n.graph.Entities.Len())
		return func(i int) []float64 {
			found := make([]float64, len(tried))
			var seen sight
			for k, w := range tried {
				if k == 0 || tried[k-1].Hierarchy != w.Hierarchy {
					seen = n.look(b, trials[i].Query, w.Hierarchy)
				}
				n.vote(b, trials[i].Query, &seen, w, dst)
				found[k] = reciprocalRank(dst, trials[i].answer, truth.Answers(trials[i].Query))
			}
			return found
		}
	}, func(i int, found []float64) {
		r := trials[i].Relation
		if byRelation[r] == nil {
			byRelation[r] = make([]float64, len(tried))
		}
		facts[r]++
		for k, x := range found {
			whole[k] += x
			byRelation[r][k] += x
		}
		if s.Progress != nil {
			s.Progress((int(side)*len(trials))+i+1, 2*len(trials))
		}
	})
	if err != nil {
		return nil, err
	}
	for r := range ways {
		ways[r] = tried[best(whole)]
		if facts[r] >= ownFacts {
			ways[r] = tried[best(byRelation[r])]
		}
	}
	return ways, nil
}

// best returns the first index of the greatest number.
func best(of []float64) int {
	at := 0
	for i, x := range of {
		if x > of[at] {
			at = i
		}
	}
	return at
}

// drawTrials returns at most limit validation facts, sorted. They are a function of the graph alone. Each relation gets
// an even share, or all of its facts. The rest of its share goes to the others. The facts of a relation are drawn
// evenly.
func drawTrials(g *kg.Graph, side kg.Side, limit int) []trial {
	total := len(g.Valid)
	if total == 0 {
		return nil
	}
	order := draw.NewPermutation(0, uint64(side), uint32(total))
	all, nth := make([]trial, total), make([]int, total) // how many facts of its relation are before it
	count := make([]int, g.Relations.Len())
	for i := range all {
		t := g.Valid[order.At(uint32(i))]
		all[i], nth[i] = trial{t.Query(side), t.Answer(side)}, count[t.Relation]
		count[t.Relation]++
	}
	places := make([]int, total)
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(nth[a], nth[b]) })
	var drawn []trial
	for _, i := range places[:min(limit, total)] {
		drawn = append(drawn, all[i])
	}
	slices.SortFunc(drawn, func(a, b trial) int {
		return cmp.Or(cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Known, b.Known),
			cmp.Compare(a.answer, b.answer))
	})
	return drawn
}

// reciprocalRank returns 1 over the filtered rank of an answer: the mean of the best and the worst place among equals.
func reciprocalRank(scores []float32, answer int32, truth []int32) float64 {
	own, before, equal := scores[answer], 0, 0
	for e, x := range scores {
		switch {
		case x > own && !kg.Contains(truth, int32(e)):
			before++
		case x == own && int32(e) != answer && !kg.Contains(truth, int32(e)):
			equal++
		}
	}
	return 1 / (1 + float64(before) + float64(float64(equal)/2))
}
