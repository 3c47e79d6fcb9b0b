package eval

import (
	"context"
	"errors"
	"fmt"
)

// CompareSettings say what Compare compares. The zero value compares the primary cuts with 1000 resamples.
type CompareSettings struct {
	CutA, CutB string // names of cuts; "": the primary one of its report
	Resamples  int    // 0: 1000
	Seed       uint64
	Threads    int // 0: all cores; never changes a number
}

// Comparison is the paired comparison of two cuts on the same queries.
type Comparison struct {
	CutA        string       `json:"cut_a"`
	CutB        string       `json:"cut_b"`
	Resamples   int          `json:"resamples"`
	Differences []Difference `json:"differences"` // of head_f1, tail_f1, head_rr, tail_rr, nn_f1, head_novel_f1, tail_novel_f1, head_union_f1, tail_union_f1 those that are defined
}

// Difference is that of one metric.
type Difference struct {
	Key        string   `json:"key"`
	A          float64  `json:"a"`
	B          float64  `json:"b"`
	Difference float64  `json:"difference"` // A - B
	Interval   Interval `json:"interval"`   // 95 %, of the difference, both sides resampled together
}

// Clear reports whether the interval of the difference leaves out 0.
func (d Difference) Clear() bool { return d.Interval.Low > 0 || d.Interval.High < 0 }

// Compare compares a cut of a with a cut of b, which may be the same report. Both must have been made with
// KeepRecords, on the same split of the same graph. Distinct queries are resampled, the same ones for both
// sides, so the intervals are of paired differences.
func Compare(ctx context.Context, a, b *Report, s CompareSettings) (*Comparison, error) {
	if a.Records == nil || b.Records == nil {
		return nil, errors.New("eval: a comparison needs the records of both reports; evaluate with KeepRecords")
	}
	if a.Split != b.Split || !a.Records.sameQueries(b.Records) {
		return nil, fmt.Errorf("eval: the reports are not about the same queries (%s %s and %s %s); evaluate both runs on one graph and split",
			a.Graph, a.Split, b.Graph, b.Split)
	}
	if s.Resamples == 0 {
		s.Resamples = 1000
	}
	if s.Resamples < 0 || s.Threads < 0 {
		return nil, errors.New("eval: resamples and threads must not be negative")
	}
	cutA, indexA, err := a.recordedCut(s.CutA)
	if err != nil {
		return nil, err
	}
	cutB, indexB, err := b.recordedCut(s.CutB)
	if err != nil {
		return nil, err
	}
	r, err := resample(ctx, []source{{a.Records, indexA}, {b.Records, indexB}}, statistics, s.Resamples, s.Seed, s.Threads)
	if err != nil {
		return nil, err
	}
	c := &Comparison{CutA: cutA.Name, CutB: cutB.Name, Resamples: s.Resamples}
	valueA, valueB := cutA.statistics(), cutB.statistics()
	for k, key := range intervalKeys {
		v := r.defined95(k, func(i int) float64 { return r.value[0][k][i] - r.value[1][k][i] })
		if v == nil {
			continue
		}
		c.Differences = append(c.Differences, Difference{
			Key: key, A: valueA[k], B: valueB[k], Difference: valueA[k] - valueB[k], Interval: *v,
		})
	}
	return c, nil
}

// recordedCut finds a cut and its records.
func (r *Report) recordedCut(name string) (*Cut, int, error) {
	if name == "" {
		name = r.Primary
	}
	cut, ok := r.Cut(name)
	index := r.Records.cut(name)
	if !ok || index < 0 {
		var names []string
		for _, c := range r.Cuts {
			names = append(names, c.Name)
		}
		return nil, 0, fmt.Errorf("eval: no cut %q in the report; it has %q", name, names)
	}
	return cut, index, nil
}

// statistics are the values of intervalKeys.
func (c *Cut) statistics() [statistics]float64 {
	return [statistics]float64{c.Head.F1, c.Tail.F1, c.Head.RR, c.Tail.RR, c.NNF1,
		c.Head.NovelF1, c.Tail.NovelF1, c.Head.UnionF1, c.Tail.UnionF1}
}
