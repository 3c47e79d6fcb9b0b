package eval

import (
	"context"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
)

// The triples of a split share their queries (FB15k-237's 20,466 test triples have 9,113 distinct head queries), so
// they are not independent. Distinct queries are resampled instead. A resample draws as many head queries as there are,
// with replacement, and as many tail queries. Each comes with all its triples, and the metrics are averages over the
// drawn triples. All cuts see the same draws, so differences between them are paired.

// statistic is a metric with an interval.
type statistic struct {
	key string
	of  func(*Result) float64
}

// statistics are the metrics that get an interval.
var statistics = [...]statistic{
	{"head_f1", func(r *Result) float64 { return r.Head.F1 }},
	{"tail_f1", func(r *Result) float64 { return r.Tail.F1 }},
	{"head_rr", func(r *Result) float64 { return r.Head.RR }},
	{"tail_rr", func(r *Result) float64 { return r.Tail.RR }},
	{nnF1, func(r *Result) float64 { return r.NNF1 }},
	{"head_novel_f1", func(r *Result) float64 { return r.Head.NovelF1 }},
	{"tail_novel_f1", func(r *Result) float64 { return r.Tail.NovelF1 }},
	{"head_union_f1", func(r *Result) float64 { return r.Head.UnionF1 }},
	{"tail_union_f1", func(r *Result) float64 { return r.Tail.UnionF1 }},
}

// Places in statistics; where there are two, that of the head.
const (
	f1Statistic    = 0
	rrStatistic    = 2
	nnStatistic    = 4
	novelStatistic = 5
	unionStatistic = 7
)

// LaterInterval reports whether a metric is novel F1 or union F1. Reports of earlier versions have intervals of F1 and
// RR only.
func LaterInterval(metric string) bool {
	return slices.ContainsFunc(statistics[novelStatistic:], func(s statistic) bool { return s.key == metric })
}

// has reports whether statistic k is defined for a cut.
func (c *CutRecord) has(k int) bool { return !c.PerTriple || k < novelStatistic }

// source is one cut of one evaluation.
type source struct {
	rec *Records
	cut int
}

// isTied reports whether the cut is under protocol tie. Its n-to-n F1 averages over all triples.
func (s source) isTied() bool { return s.rec.Cuts[s.cut].Tied2 != nil }

// resampled holds the statistics of every resample: value[s][k][b] for source s, statistic k, resample b. A resample
// without n-to-n triples on a side has no n-to-n F1. A resample whose answers are all known on a side has no novel F1.
// In both cases defined[k][b] is false for all sources.
type resampled struct {
	value   [][len(statistics)][]float64
	defined [len(statistics)][]bool
}

// resample computes the statistics of all sources for every resample. The sources must have the same queries.
func resample(ctx context.Context, sources []source, resamples int, seed uint64, threads int) (*resampled, error) {
	rec, n := sources[0].rec, len(sources)
	queries := len(rec.Relation)
	// For query q and source s: weighted[q*n+s] is the F1 times the triples, own[q*n+s] the triples whose answer is
	// retrieved, an integer but under protocol tie.
	weighted, own := make([]float64, queries*n), make([]float64, queries*n)
	novel, union := make([]float64, queries*n), make([]float64, queries*n) // as weighted
	for s, src := range sources {
		c := &src.rec.Cuts[src.cut]
		for q := range queries {
			triples := float64(rec.Triples[q])
			weighted[q*n+s] = c.sumF1(rec, q)
			own[q*n+s] = c.sumRR(rec, q)
			novel[q*n+s] = float64(triples * novelF1(rec, c, q))
			union[q*n+s] = float64(triples * unionF1(rec, c, q))
		}
	}
	heads := rec.HeadQueries
	ranges := [2][2]int{{0, heads}, {heads, queries}}

	out := &resampled{value: make([][len(statistics)][]float64, n)}
	for k := range statistics {
		out.defined[k] = make([]bool, resamples)
		for s := range n {
			out.value[s][k] = make([]float64, resamples)
		}
	}
	one := func(b int, times []int32, sums *sums) {
		var nn [2]int64
		for side, r := range ranges {
			lo, hi := r[0], r[1]
			drawTimes(times[:hi-lo], seed, b, side)
			sums.clear()
			for q := lo; q < hi; q++ {
				if times[q-lo] > 0 {
					sums.add(rec, q, int64(times[q-lo]), weighted[q*n:(q+1)*n], own[q*n:(q+1)*n])
					sums.addNovel(rec, q, int64(times[q-lo]), novel[q*n:(q+1)*n], union[q*n:(q+1)*n])
				}
			}
			total := float64(sums.triples)
			nn[side] = sums.nnTriples
			out.defined[f1Statistic+side][b] = sums.triples > 0
			out.defined[rrStatistic+side][b] = sums.triples > 0
			out.defined[novelStatistic+side][b] = sums.novelTriples > 0
			out.defined[unionStatistic+side][b] = sums.triples > 0
			for s := range n {
				if sums.triples > 0 {
					out.value[s][f1Statistic+side][b] = sums.f1[s] / total
					out.value[s][rrStatistic+side][b] = sums.own[s] / total
					out.value[s][unionStatistic+side][b] = sums.union[s] / total
				}
				if sums.novelTriples > 0 {
					out.value[s][novelStatistic+side][b] = sums.novel[s] / float64(sums.novelTriples)
				}
				nnF1, nnTriples := sums.nnF1[s], sums.nnTriples
				if sources[s].isTied() {
					nnF1, nnTriples = sums.f1[s], sums.triples
				}
				if nnTriples > 0 {
					// Converted, because the compiler could fuse the halving with an addition.
					out.value[s][nnStatistic][b] += float64(nnF1 / float64(nnTriples) / 2)
				}
			}
		}
		out.defined[nnStatistic][b] = nn[0] > 0 && nn[1] > 0
	}

	err := parallel.For(ctx, threads, resamples, func() func(int) {
		times, sums := make([]int32, max(heads, queries-heads)), newSums(n)
		return func(b int) { one(b, times, sums) }
	})
	return out, err
}

// drawTimes sets times[q] to how often resample b draws query q of a side.
func drawTimes(times []int32, seed uint64, b, side int) {
	clear(times)
	stream := draw.New(seed, draw.Bootstrap, uint64(b), uint32(side))
	for range times {
		times[stream.Uint32n(uint32(len(times)))]++
	}
}

// sums are the running sums of one side of one resample, per source.
type sums struct {
	triples, nnTriples, novelTriples int64

	own, f1, nnF1, novel, union []float64
}

func newSums(sources int) *sums {
	return &sums{own: make([]float64, sources), f1: make([]float64, sources), nnF1: make([]float64, sources),
		novel: make([]float64, sources), union: make([]float64, sources)}
}

func (s *sums) clear() {
	s.triples, s.nnTriples, s.novelTriples = 0, 0, 0
	clear(s.own)
	clear(s.f1)
	clear(s.nnF1)
	clear(s.novel)
	clear(s.union)
}

func (s *sums) add(rec *Records, q int, times int64, weighted, own []float64) {
	s.triples += times * int64(rec.Triples[q])
	for i, w := range weighted {
		s.f1[i] += float64(float64(times) * w)
		s.own[i] += float64(float64(times) * own[i])
	}
	if rec.NN[q] {
		s.nnTriples += times * int64(rec.Triples[q])
		for i, w := range weighted {
			s.nnF1[i] += float64(float64(times) * w)
		}
	}
}

// addNovel adds NovelF1 and UnionF1 to the sums.
func (s *sums) addNovel(rec *Records, q int, times int64, novel, union []float64) {
	if rec.Truth[q] > rec.Known[q] {
		s.novelTriples += times * int64(rec.Triples[q])
	}
	for i := range novel {
		s.novel[i] += float64(float64(times) * novel[i])
		s.union[i] += float64(float64(times) * union[i])
	}
}

// intervals returns the intervals of every cut.
func (e *Evaluator) intervals(ctx context.Context, rec *Records) ([]map[string]Interval, error) {
	sources := make([]source, len(rec.Cuts))
	for i := range sources {
		sources[i] = source{rec, i}
	}
	r, err := resample(ctx, sources, e.settings.Resamples, e.settings.Seed, e.settings.Threads)
	if err != nil {
		return nil, err
	}
	list := make([]map[string]Interval, len(sources))
	for s := range sources {
		list[s] = make(map[string]Interval, len(statistics))
		for k, statistic := range statistics {
			if !rec.Cuts[s].has(k) {
				continue
			}
			if v := r.defined95(k, func(b int) float64 { return r.value[s][k][b] }); v != nil {
				list[s][statistic.key] = *v
			}
		}
	}
	return list, nil
}

// defined95 is the percentile interval of f over the resamples in which statistic k is defined; nil if there are none.
func (r *resampled) defined95(k int, f func(b int) float64) *Interval {
	var values []float64
	for b, ok := range r.defined[k] {
		if ok {
			values = append(values, f(b))
		}
	}
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	return &Interval{Low: percentile(values, 25), High: percentile(values, 975)}
}

// MeanInterval is the 95 % percentile interval of the mean of values over resamples of them, drawn with replacement; of
// paired differences it is the interval of their mean. It needs a value and a resample.
func MeanInterval(values []float64, resamples int, seed uint64) Interval {
	means, times := make([]float64, resamples), make([]int32, len(values))
	for b := range means {
		drawTimes(times, seed, b, 0)
		for k, n := range times {
			means[b] += float64(float64(n) * values[k])
		}
		means[b] /= float64(len(values))
	}
	slices.Sort(means)
	return Interval{Low: percentile(means, 25), High: percentile(means, 975)}
}

// percentile interpolates linearly between the two ascending values around the rank (n-1)*p/1000.
func percentile(values []float64, p int) float64 {
	position := (len(values) - 1) * p
	i, rest := position/1000, position%1000
	if rest == 0 {
		return values[i]
	}
	step := float64((values[i+1] - values[i]) * (float64(rest) / 1000))
	return values[i] + step
}
