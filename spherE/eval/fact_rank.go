package eval

import (
	"context"
	"errors"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/internal/rank"
	"github.com/spherelab/spherelab/spherE/kg"
)

// FactRanks are the filtered ranks of facts that no split of a graph holds.
type FactRanks struct {
	facts []kg.Triple
	rank2 [2][]int32 // by side, parallel to facts: twice the realistic rank; nil for a side that was not asked
}

// FactRankSettings are how facts are ranked. The zero value can be used.
type FactRankSettings struct {
	Sides    []kg.Side   // nil: both
	Others   []kg.Triple // further right answers, which do not count in ranks either
	Threads  int         // 0: all cores; never changes a number
	Progress func(done, total int)
}

// RankFacts ranks the answers of facts among all entities, as Run does for a split. The right answers that do not count
// are those of all splits, of the facts and of s.Others. Each fact may be there once.
func RankFacts(ctx context.Context, m Model, g *kg.Graph, facts []kg.Triple, s FactRankSettings) (*FactRanks, error) {
	if err := sameGraph(m, g); err != nil {
		return nil, err
	}
	counts, err := kernels()
	if err != nil {
		return nil, err
	}
	truth := g.IndexWith(slices.Concat(facts, s.Others))
	queries := slices.DeleteFunc(distinct(facts, truth, truth), func(q query) bool {
		return s.Sides != nil && !slices.Contains(s.Sides, q.Side)
	})
	starts, places := make([]int, len(queries)+1), make(map[kg.Query]int, len(queries))
	for i, q := range queries {
		starts[i+1], places[q.Query] = starts[i]+len(q.own), i
	}
	all := make([]int32, starts[len(queries)])
	total := len(queries)
	err = parallel.Ordered(ctx, s.Threads, (total+defaultBlock-1)/defaultBlock, func() func(int) struct{} {
		row := row{counts: counts, values: make([]float32, m.Entities())}
		distances := newDistances(m, min(defaultBlock, total))
		return func(b int) (none struct{}) {
			lo := b * defaultBlock
			distances.each(queries[lo:min(lo+defaultBlock, total)], func(i int, dist []float32) {
				q := queries[lo+i]
				row.set(q, m.Values(sphere.CriterionMargin, q.Query, dist, row.values))
				rank.Answers(counts, q.own, q.truth, row.values, row.nans(), all[starts[lo+i]:starts[lo+i+1]])
			})
			return none
		}
	}, func(b int, _ struct{}) {
		if s.Progress != nil {
			s.Progress(min((b+1)*defaultBlock, total), total)
		}
	})
	if err != nil {
		return nil, err
	}
	r := &FactRanks{facts: facts}
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		if s.Sides != nil && !slices.Contains(s.Sides, side) {
			continue
		}
		r.rank2[side] = make([]int32, len(facts))
		for k, t := range facts {
			i := places[t.Query(side)]
			at, _ := slices.BinarySearch(queries[i].own, t.Answer(side))
			r.rank2[side][k] = all[starts[i]+at]
		}
	}
	return r, nil
}

// FactScores are the ranking metrics of facts on one side, or over both.
type FactScores struct {
	Side string `json:"side"` // "head", "tail" or "both"
	RankScores
	Queries  int         `json:"queries"`            // distinct
	Interval *Interval   `json:"interval,omitempty"` // 95 %, of the MRR; nil without resamples
	Against  *Difference `json:"against,omitempty"`  // of the MRR, paired
}

// Scores returns the metrics by side, and over both if both were asked. The intervals are from resamples of the
// distinct queries, 0 for none. against has the ranks of another model for the same facts, in the same order; nil if
// there is none.
func (r *FactRanks) Scores(against *FactRanks, resamples int, seed uint64) ([]FactScores, error) {
	if against != nil && len(against.facts) != len(r.facts) {
		return nil, errors.New("eval: ranks of different facts cannot be compared")
	}
	var list []FactScores
	var both rankTally
	groups, tallies := [2][]factGroup{}, [2]rankTally{}
	for side, ranks := range r.rank2 {
		if ranks == nil {
			continue
		}
		var other []int32
		if against != nil {
			if other = against.rank2[side]; other == nil {
				return nil, errors.New("eval: ranks of different sides cannot be compared")
			}
		}
		groups[side] = r.group(kg.Side(side), other)
		for _, rank2 := range ranks {
			tallies[side].add(rank2)
		}
		both = both.plus(tallies[side])
		only := [2][]factGroup{}
		only[side] = groups[side]
		list = append(list, factScores(kg.Side(side).String(), tallies[side], only, against != nil, resamples, seed))
	}
	if len(list) > 1 {
		list = append(list, factScores("both", both, groups, against != nil, resamples, seed))
	}
	return list, nil
}

// factGroup is a distinct query: its facts, and the sums of their reciprocal ranks by two models.
type factGroup struct{ facts, own, other float64 }

// group returns the distinct queries of a side in the order of the facts.
func (r *FactRanks) group(side kg.Side, other []int32) (groups []factGroup) {
	places := map[kg.Query]int{}
	for k, t := range r.facts {
		q := t.Query(side)
		if _, ok := places[q]; !ok {
			places[q] = len(groups)
			groups = append(groups, factGroup{})
		}
		group := &groups[places[q]]
		group.facts++
		group.own += 2 / float64(r.rank2[side][k])
		if other != nil {
			group.other += 2 / float64(other[k])
		}
	}
	return groups
}

// factScores returns the metrics of the queries of some sides.
func factScores(
	name string, tally rankTally, groups [2][]factGroup, isPaired bool, resamples int, seed uint64,
) FactScores {
	s := FactScores{Side: name, RankScores: tally.scores(), Queries: len(groups[0]) + len(groups[1])}
	own, other := make([]float64, resamples), make([]float64, resamples)
	for b := range resamples {
		var sum factGroup
		for side, of := range groups {
			times := make([]int32, len(of))
			drawTimes(times, seed, b, side)
			for k, n := range times {
				sum.facts += float64(float64(n) * of[k].facts)
				sum.own += float64(float64(n) * of[k].own)
				sum.other += float64(float64(n) * of[k].other)
			}
		}
		own[b] = sum.own / sum.facts
		other[b] = own[b] - sum.other/sum.facts
	}
	if isPaired {
		var sum factGroup
		for _, of := range groups {
			for _, g := range of {
				sum.facts, sum.other = sum.facts+g.facts, sum.other+g.other
			}
		}
		mean := sum.other / sum.facts
		s.Against = &Difference{Key: name + "_mrr", A: s.MRR, B: mean, Difference: s.MRR - mean}
	}
	if resamples > 0 {
		slices.Sort(own)
		slices.Sort(other)
		s.Interval = &Interval{Low: percentile(own, 25), High: percentile(own, 975)}
		if isPaired {
			s.Against.Interval = Interval{Low: percentile(other, 25), High: percentile(other, 975)}
		}
	}
	return s
}
