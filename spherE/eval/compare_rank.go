package eval

import (
	"context"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/parallel"
)

// rankStatistics are the ranking metrics that a comparison has, by their keys. They do not depend on the cut.
var rankStatistics = [...]struct {
	key string
	of  func(*Ranking) float64
}{
	{"mrr", func(r *Ranking) float64 { return r.Both.MRR }},
	{"head_mrr", func(r *Ranking) float64 { return r.Head.MRR }},
	{"tail_mrr", func(r *Ranking) float64 { return r.Tail.MRR }},
	{"hits_1", func(r *Ranking) float64 { return r.Both.Hits1 }},
	{"hits_3", func(r *Ranking) float64 { return r.Both.Hits3 }},
	{"hits_10", func(r *Ranking) float64 { return r.Both.Hits10 }},
}

// compareRanks returns the differences of the ranking metrics, over the same resamples as those of the cuts. It
// returns none if one of the reports has no ranks.
func compareRanks(ctx context.Context, a, b *Report, s CompareSettings) ([]Difference, error) {
	if a.Ranking == nil || b.Ranking == nil || len(a.Records.Rank2) == 0 || len(b.Records.Rank2) == 0 {
		return nil, nil
	}
	rec := a.Records
	queries, heads := len(rec.Relation), rec.HeadQueries
	both := func(head, tail rankTally) RankScores { return head.plus(tail).scores() }
	if a.Sampled {
		both = bothSides
	}
	tallies := [2][]rankTally{a.Records.rankTallies(), b.Records.rankTallies()}
	var less [len(rankStatistics)][]float64
	for k := range less {
		less[k] = make([]float64, s.Resamples)
	}
	err := parallel.For(ctx, s.Threads, s.Resamples, func() func(int) {
		times := make([]int32, max(heads, queries-heads))
		return func(i int) {
			var of [2]Ranking // of a and b
			var sums [2][2]rankTally
			for side, r := range [2][2]int{{0, heads}, {heads, queries}} {
				drawTimes(times[:r[1]-r[0]], s.Seed, i, side)
				for q := r[0]; q < r[1]; q++ {
					if n := times[q-r[0]]; n > 0 {
						for run := range sums {
							sums[run][side] = sums[run][side].plus(tallies[run][q].times(n))
						}
					}
				}
			}
			for run, t := range sums {
				of[run] = Ranking{Head: t[0].scores(), Tail: t[1].scores(), Both: both(t[0], t[1])}
			}
			for k, statistic := range rankStatistics {
				less[k][i] = statistic.of(&of[0]) - statistic.of(&of[1])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	differences := make([]Difference, len(rankStatistics))
	for k, statistic := range rankStatistics {
		slices.Sort(less[k])
		x, y := statistic.of(a.Ranking), statistic.of(b.Ranking)
		differences[k] = Difference{Key: statistic.key, A: x, B: y, Difference: x - y,
			Interval: Interval{Low: percentile(less[k], 25), High: percentile(less[k], 975)}}
	}
	return differences, nil
}

// rankTallies returns the tally of every query.
func (r *Records) rankTallies() []rankTally {
	list, next := make([]rankTally, len(r.Triples)), 0
	for q, n := range r.Triples {
		for _, rank2 := range r.Rank2[next : next+int(n)] {
			list[q].add(rank2)
		}
		next += int(n)
	}
	return list
}

// times returns the tally of a group that counts n times.
func (t rankTally) times(n int32) rankTally {
	m := int64(n)
	return rankTally{triples: m * t.triples, rank2: m * t.rank2, hits1: m * t.hits1, hits3: m * t.hits3,
		hits10: m * t.hits10, reciprocal: float64(float64(n) * t.reciprocal)}
}
