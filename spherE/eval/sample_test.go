package eval

import (
	"bytes"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestSampleIsPartOfAll compares a sampled evaluation with the evaluation of all queries: it counts the same for the
// queries that it answers, and its means are those of these queries' triples.
func TestSampleIsPartOfAll(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := newRand(seed)
		f := randomFacts(r, 12+r.IntN(14), 1+r.IntN(6), 10)
		g := f.graph(t)
		m := &fake{g: g, levels: 11, gamma: 3, salt: seed}
		all := mustRun(t, m, g, Settings{KeepRecords: true})
		n := 1 + r.IntN(8)
		part := mustRun(t, m, g, Settings{KeepRecords: true, Sample: n, Threads: 2, Block: 3})
		got := [2]int{part.HeadQueries, part.TailQueries}
		want := [2]int{min(n, all.HeadQueries), min(n, all.TailQueries)}
		if got != want {
			t.Fatalf("seed %d: %d queries are answered, want %d", seed, got, want)
		}
		if !part.Sampled || part.HeadOf != all.HeadQueries || part.TailOf != all.TailQueries {
			t.Fatalf("seed %d: the sample is of %d and %d queries (%v), want %d and %d", seed, part.HeadOf,
				part.TailOf, part.Sampled, all.HeadQueries, all.TailQueries)
		}
		for c := range part.Records.Cuts {
			var f1, triples [2]float64
			of, from := part.Records, all.Records
			for i := range of.Relation {
				at := -1
				for k := range from.Relation {
					if from.side(k) == of.side(i) && from.Relation[k] == of.Relation[i] &&
						from.Given[k] == of.Given[i] {
						at = k
					}
				}
				if at < 0 {
					t.Fatalf("seed %d: a query of the sample is none of all", seed)
				}
				a, b := &of.Cuts[c], &from.Cuts[c]
				if a.Size[i] != b.Size[at] || a.Hits[i] != b.Hits[at] || a.Own[i] != b.Own[at] {
					t.Fatalf("seed %d: %s counts differ for a query of the sample", seed, a.Name)
				}
				f1[of.side(i)] += b.sumF1(from, at)
				triples[of.side(i)] += float64(from.Triples[at])
			}
			for side, s := range []Scores{part.Cuts[c].Head, part.Cuts[c].Tail} {
				if !near(s.F1, f1[side]/triples[side]) || float64(s.Triples) != triples[side] {
					t.Errorf("seed %d: %s has F1 %v over %d triples, want %v over %v", seed, part.Cuts[c].Name, s.F1,
						s.Triples, f1[side]/triples[side], triples[side])
				}
			}
		}
	}
}

// TestSidesOfASampleCountHalf: over both sides, ranking metrics of a sample are the means of its sides, although one
// has more triples. So are those of a comparison and of its resamples.
func TestSidesOfASampleCountHalf(t *testing.T) {
	t.Parallel()
	unequal := 0
	for seed := range uint64(8) {
		g := randomFacts(newRand(600+seed), 20, 3, 10).graph(t)
		var reports [2]*Report
		for i := range reports {
			m := &fake{g: g, levels: uint64(5 + 3*i), gamma: 3, salt: seed + uint64(7*i)}
			reports[i] = mustRun(t, m, g, Settings{Cuts: defaultCut, KeepRecords: true, Sample: 6})
			r := reports[i].Ranking
			if r.Head.Triples != r.Tail.Triples {
				unequal++
			}
			for _, x := range [][3]float64{{r.Both.MRR, r.Head.MRR, r.Tail.MRR}, {r.Both.MR, r.Head.MR, r.Tail.MR},
				{r.Both.Hits1, r.Head.Hits1, r.Tail.Hits1}, {r.Both.Hits3, r.Head.Hits3, r.Tail.Hits3},
				{r.Both.Hits10, r.Head.Hits10, r.Tail.Hits10}} {
				if !near(x[0], (x[1]+x[2])/2) {
					t.Errorf("seed %d: %v of both sides, %v and %v of each", seed, x[0], x[1], x[2])
				}
			}
			if r.Both.Triples != r.Head.Triples+r.Tail.Triples {
				t.Errorf("seed %d: %+v", seed, r.Both)
			}
		}
		const n = 30
		c, err := Compare(t.Context(), reports[0], reports[1], CompareSettings{Resamples: n, Seed: seed})
		expect.NoError(t, err)
		var less []float64
		for b := range n {
			var mrr [2]float64
			for i, r := range reports {
				next, sum, count := 0, [2]float64{}, [2]float64{}
				for q, triples := range r.Records.Triples {
					side, lo, total := r.Records.side(q), 0, r.Records.HeadQueries
					if side == int(kg.TailSide) {
						lo, total = total, len(r.Records.Triples)-total
					}
					times := make([]int32, total)
					drawTimes(times, seed, b, side)
					for _, rank2 := range r.Records.Rank2[next : next+int(triples)] {
						sum[side] += float64(times[q-lo]) * 2 / float64(rank2)
						count[side] += float64(times[q-lo])
					}
					next += int(triples)
				}
				mrr[i] = (sum[0]/count[0] + sum[1]/count[1]) / 2
			}
			less = append(less, mrr[0]-mrr[1])
		}
		low, high := bounds(less)
		for _, d := range c.Differences {
			if d.Key == "mrr" && (!near(d.Interval.Low, low) || !near(d.Interval.High, high) ||
				d.A != reports[0].Ranking.Both.MRR) {
				t.Errorf("seed %d: %+v, want [%v, %v]", seed, d, low, high)
			}
		}
	}
	if unequal == 0 {
		t.Error("each sample has as many triples on both sides; draw other graphs")
	}
}

// TestSampleOfAllIsAll holds that a sample as large as the split changes no byte of the report, of thresholds and of
// probabilities, and that a smaller one does.
func TestSampleOfAllIsAll(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(3), 30, 4, 60)
	g := f.graph(t)
	m := &fake{g: g, levels: 1 << 20, gamma: 3, salt: 5}
	measure := func(n int) []byte {
		report := mustRun(t, m, g, Settings{Sample: n, Resamples: 20})
		thresholds, err := Fit(t.Context(), m, g, FitSettings{Sample: n})
		expect.NoError(t, err)
		by, err := Calibrate(t.Context(), m, g, CalibrateSettings{Sample: n})
		expect.NoError(t, err)
		return slices.Concat(mustJSON(t, report), mustJSON(t, thresholds), mustJSON(t, by))
	}
	want := measure(0)
	if !bytes.Equal(measure(1_000_000), want) {
		t.Error("a sample of more queries than there are differs from all of them")
	}
	if bytes.Equal(measure(5), want) {
		t.Error("a sample of 5 queries a side does not differ from all of them")
	}
}

// TestSampleIsEven holds that every query is drawn about as often as the others, over graphs that differ in size.
func TestSampleIsEven(t *testing.T) {
	t.Parallel()
	var halves [2]int
	for n := 40; n < 140; n++ {
		all := make([]query, 2*n)
		for i := range all {
			all[i].Query = kg.Query{Side: kg.HeadSide, Known: int32(i)}
			if i >= n {
				all[i].Side = kg.TailSide
			}
		}
		drawn := sample(all, 10)
		if len(drawn) != 20 || !slices.IsSortedFunc(drawn, func(a, b query) int { return int(a.Known - b.Known) }) {
			t.Fatalf("%d queries are drawn of 2 times %d, or out of order", len(drawn), n)
		}
		for _, q := range drawn {
			halves[2*(int(q.Known)%n)/n]++
		}
	}
	// 2000 draws; the number in one half has a standard deviation below 23.
	if d := halves[0] - halves[1]; d < -180 || d > 180 {
		t.Errorf("the halves of the queries are drawn %v times", halves)
	}
}
