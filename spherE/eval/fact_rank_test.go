package eval

import (
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/kg"
)

// naiveRank is the rank of a fact's answer on a side, by a look at every entity: the other facts by name do not count,
// nor does the asked entity where no training fact of the relation is a loop.
func naiveRank(m Model, g *kg.Graph, all, train [][3]string, x kg.Triple, side kg.Side) float64 {
	q, n := x.Query(side), m.Entities()
	values := make([]float32, n)
	m.Distances([]kg.Query{q}, values)
	m.Values(sphere.CriterionMargin, q, values, values)
	relation := g.Relations.Name(x.Relation)
	loop := slices.ContainsFunc(train, func(f [3]string) bool { return f[1] == relation && f[0] == f[2] })
	rank, own := 1.0, values[x.Answer(side)]
	for e := range int32(n) {
		fact := [3]string{g.Entities.Name(x.Head), relation, g.Entities.Name(e)}
		if side == kg.HeadSide {
			fact = [3]string{g.Entities.Name(e), relation, g.Entities.Name(x.Tail)}
		}
		switch {
		case member(all, fact) || e == q.Known && !loop:
		case values[e] < own || x.Head == x.Tail && !loop: // the answer itself was left out, and is behind all
			rank++
		case values[e] == own:
			rank += .5
		}
	}
	return rank
}

// naiveRanks has the reciprocal ranks of the facts of each query, by model and side, and the order of queries.
type naiveRanks struct {
	ranks [2][2]map[kg.Query][]float64
	order [2][]kg.Query
}

// numbers returns the two means, their difference, and the bounds of the first and of the difference, over resamples
// that draw one query after the other.
func (w *naiveRanks) numbers(sides []kg.Side, resamples int, seed uint64) []float64 {
	mean := func(i int, queries [2][]kg.Query) float64 {
		sum, n := 0.0, 0.0
		for _, side := range sides {
			for _, q := range queries[side] {
				for _, x := range w.ranks[i][side][q] {
					sum, n = sum+x, n+1
				}
			}
		}
		return sum / n
	}
	var own, difference []float64
	for b := range resamples {
		var drawn [2][]kg.Query
		for _, side := range sides {
			stream := draw.New(seed, draw.Bootstrap, uint64(b), uint32(side))
			for range w.order[side] {
				drawn[side] = append(drawn[side], w.order[side][stream.Uint32n(uint32(len(w.order[side])))])
			}
		}
		own = append(own, mean(0, drawn))
		difference = append(difference, mean(0, drawn)-mean(1, drawn))
	}
	slices.Sort(own)
	slices.Sort(difference)
	a, b := mean(0, w.order), mean(1, w.order)
	return []float64{a, b, a - b, percentile(own, 25), percentile(own, 975), percentile(difference, 25),
		percentile(difference, 975)}
}

// TestFactRanksMatchTwin: ranks, means and paired intervals of facts that no split holds are those of a twin that looks
// at every entity and resamples queries one by one. Threads change nothing.
func TestFactRanksMatchTwin(t *testing.T) {
	t.Parallel()
	const resamples, seed = 30, 11
	ties, filtered, loops := 0, 0, 0
	for k := range uint64(8) {
		f := randomFacts(newRand(300+k), 14, 5, 0)
		hidden := append(slices.Clone(f.test[5:]), [3]string{"e03", "r0", "e03"}, [3]string{"e01", "r4", "e05"})
		f.test = f.test[:5]
		g := f.graph(t)
		file, err := kg.New("file", hidden, nil, nil)
		expect.NoError(t, err)
		translated, err := g.Translate(file)
		expect.NoError(t, err)
		facts, others := translated.Facts[2:], translated.Facts[:2]
		all := slices.Concat(f.train, f.valid, f.test, hidden)
		models := [2]Model{&fake{g: g, levels: 9, gamma: 3, salt: k},
			&fake{g: g, levels: 1 << 40, gamma: 3, salt: 50 + k, open: true}}
		var ranks [2]*FactRanks
		var twin naiveRanks
		for i, m := range models {
			ranks[i], err = RankFacts(t.Context(), DropItself(m, g), g, facts,
				FactRankSettings{Others: others, Threads: 1 + i})
			expect.NoError(t, err)
			for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
				twin.ranks[i][side] = map[kg.Query][]float64{}
				for at, x := range facts {
					rank := naiveRank(m, g, all, f.train, x, side)
					if got := float64(ranks[i].rank2[side][at]) / 2; got != rank {
						t.Fatalf("seed %d, %v %v: rank %g, the twin's is %g", k, x, side, got, rank)
					}
					if rank != math.Floor(rank) {
						ties++
					}
					if naiveRank(m, g, nil, f.train, x, side) != rank {
						filtered++
					}
					if x.Head == x.Tail {
						loops++
					}
					q := x.Query(side)
					if i == 0 && twin.ranks[0][side][q] == nil {
						twin.order[side] = append(twin.order[side], q)
					}
					twin.ranks[i][side][q] = append(twin.ranks[i][side][q], 1/rank)
				}
			}
		}
		scores, err := ranks[0].Scores(ranks[1], resamples, seed)
		expect.NoError(t, err)
		for at, sides := range [][]kg.Side{{kg.HeadSide}, {kg.TailSide}, {kg.HeadSide, kg.TailSide}} {
			numbers := twin.numbers(sides, resamples, seed)
			s := scores[at]
			got := []float64{s.MRR, s.Against.B, s.Against.Difference, s.Interval.Low, s.Interval.High,
				s.Against.Interval.Low, s.Against.Interval.High}
			for j := range got {
				if math.Abs(got[j]-numbers[j]) > 1e-12 {
					t.Errorf("seed %d, %s, number %d: %g, the twin's is %g", k, s.Side, j, got[j], numbers[j])
				}
			}
		}
		one, err := RankFacts(t.Context(), DropItself(models[0], g), g, facts,
			FactRankSettings{Others: others, Sides: []kg.Side{kg.TailSide}, Threads: 3})
		expect.NoError(t, err)
		tails, err := one.Scores(nil, 0, 0)
		expect.NoError(t, err)
		if want := scores[1].RankScores; len(tails) != 1 || tails[0].RankScores != want || tails[0].Interval != nil {
			t.Errorf("seed %d: tails alone are %+v, with heads %+v", k, tails, want)
		}
		if _, err := ranks[0].Scores(one, 1, 0); err == nil {
			t.Error("tails were compared with both sides")
		}
	}
	if ties == 0 || filtered == 0 || loops == 0 {
		t.Errorf("%d ties, %d filtered ranks, %d loops", ties, filtered, loops)
	}
}
