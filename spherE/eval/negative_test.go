package eval_test

import (
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestNegatives compares ranks among given negatives with ranks that are counted in float64, as OGB's evaluator counts
// them: scores have ties and are missing, heads differ from tails, and lists differ in length.
func TestNegatives(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	n := g.Entities.Len()
	score := func(q kg.Query, e int) float64 {
		if (e+int(q.Known))%11 == 0 {
			return math.NaN()
		}
		return float64((e*7+int(q.Known)*3+int(q.Relation)*5+int(q.Side)*2)%13) / 4
	}
	m := sphere.NewScored("tied", g, func(q kg.Query, dst []float32) {
		for e := range dst {
			dst[e] = float32(score(q, e))
		}
	})
	facts := g.Split(kg.Test)
	var lists [2][][]int32
	var want [2]struct{ mrr, hits1, hits3, hits10 float64 }
	ties, missing, given := 0, 0, [2]int{}
	for side := range lists {
		for i, f := range facts {
			q := f.Query(kg.Side(side))
			var list []int32
			for k := range 9 + 5*side + i%4 {
				if e := int32((i*31 + k*17 + side) % n); e != f.Answer(q.Side) && !slices.Contains(list, e) {
					list = append(list, e)
				}
			}
			lists[side] = append(lists[side], list)
			given[side] += len(list)
			own, above, atLeast := score(q, int(f.Answer(q.Side))), 0., 0.
			for _, e := range list {
				s := score(q, int(e))
				switch {
				case math.IsNaN(own) && math.IsNaN(s):
					missing++
					atLeast++
				case s > own, math.IsNaN(own):
					above++
					atLeast++
				case s == own:
					ties++
					atLeast++
				}
			}
			rank := .5*(above+atLeast) + 1
			w := &want[side]
			w.mrr += 1 / rank / float64(len(facts))
			for limit, share := range map[float64]*float64{1: &w.hits1, 3: &w.hits3, 10: &w.hits10} {
				if rank <= limit {
					*share += 1 / float64(len(facts))
				}
			}
		}
	}
	if ties == 0 || missing == 0 || want[0] == want[1] {
		t.Fatalf("%d ties, %d missing scores: the fixture shows nothing", ties, missing)
	}
	for _, threads := range []int{1, 3} {
		got, err := eval.RankNegatives(t.Context(), m, g, facts, lists, eval.NegativeSettings{Threads: threads})
		expect.NoError(t, err)
		for side, s := range []eval.RankScores{got.Head, got.Tail} {
			w := want[side]
			for _, x := range [][2]float64{{s.MRR, w.mrr}, {s.Hits1, w.hits1}, {s.Hits3, w.hits3},
				{s.Hits10, w.hits10}} {
				if math.Abs(x[0]-x[1]) > 1e-12 {
					t.Errorf("side %d: %+v, want %+v", side, s, w)
				}
			}
		}
		both := (want[0].mrr + want[1].mrr) / 2
		if math.Abs(got.Both.MRR-both) > 1e-12 || got.Both.Triples != 2*len(facts) || got.Negatives != given {
			t.Errorf("both sides: %+v, want MRR %v; %v negatives, want %v", got.Both, both, got.Negatives, given)
		}
	}
}
