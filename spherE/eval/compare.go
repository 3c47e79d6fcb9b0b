package eval

import (
	"context"
	"errors"
	"fmt"
)

// CompareSettings are what Compare compares. The zero value compares the primary cuts with 1000 resamples.
type CompareSettings struct {
	CutA, CutB string // names of cuts; "": the primary one of its report
	Resamples  int    // 0: 1000
	Seed       uint64
	Threads    int // 0: all cores; never changes a number
}

// Comparison compares two cuts on the same queries, in pairs.
type Comparison struct {
	CutA        string       `json:"cut_a"`
	CutB        string       `json:"cut_b"`
	Resamples   int          `json:"resamples"`
	Differences []Difference `json:"differences"` // of the statistics that are defined

	// Of a sample, the distinct queries of each side that both answered; 0 if it was all of the split.
	HeadSample int `json:"head_sample,omitempty"`
	TailSample int `json:"tail_sample,omitempty"`
}

// SampleText says that a comparison is of a sample; "" if it is not.
func (c *Comparison) SampleText() string {
	if c.HeadSample+c.TailSample == 0 {
		return ""
	}
	return fmt.Sprintf("Both answered the same sample: %d head queries and %d tail queries.", c.HeadSample, c.TailSample)
}

// Difference is the difference of one metric between two cuts.
type Difference struct {
	Key        string   `json:"key"`
	A          float64  `json:"a"`
	B          float64  `json:"b"`
	Difference float64  `json:"difference"` // A - B
	Interval   Interval `json:"interval"`   // 95 %, of the difference; both sides are resampled together
}

// Clear reports whether 0 lies outside the interval.
func (d Difference) Clear() bool { return d.Interval.Low > 0 || d.Interval.High < 0 }

// Compare compares a cut of a with a cut of b, which may be the same report. Both reports need records (KeepRecords) of
// the same split of the same graph. Distinct queries are resampled, the same ones for both sides, so the intervals are
// those of paired differences. If both reports have ranks, the differences of MRR and Hits come last.
func Compare(ctx context.Context, a, b *Report, s CompareSettings) (*Comparison, error) {
	if a.Records == nil || b.Records == nil {
		return nil, errors.New("eval: a comparison needs the records of both reports; evaluate with KeepRecords")
	}
	if a.Split != b.Split || !a.Records.sameQueries(b.Records) {
		return nil, fmt.Errorf("eval: the reports are not about the same queries (%s %s and %s %s); "+
			"evaluate both runs on one graph and split",
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
	sources := []source{{a.Records, indexA}, {b.Records, indexB}}
	r, err := resample(ctx, sources, s.Resamples, s.Seed, s.Threads)
	if err != nil {
		return nil, err
	}
	c := &Comparison{CutA: cutA.Name, CutB: cutB.Name, Resamples: s.Resamples}
	if a.Sampled {
		c.HeadSample, c.TailSample = a.HeadQueries, a.TailQueries
	}
	for k, statistic := range statistics {
		if !a.Records.Cuts[indexA].has(k) || !b.Records.Cuts[indexB].has(k) {
			continue
		}
		v := r.defined95(k, func(i int) float64 { return r.value[0][k][i] - r.value[1][k][i] })
		if v == nil {
			continue
		}
		x, y := statistic.of(cutA), statistic.of(cutB)
		c.Differences = append(c.Differences, Difference{Key: statistic.key, A: x, B: y, Difference: x - y,
			Interval: *v})
	}
	ranks, err := compareRanks(ctx, a, b, s)
	if err != nil {
		return nil, err
	}
	c.Differences = append(c.Differences, ranks...)
	return c, nil
}

// recordedCut returns the result of the named cut, "" being the primary one, and its place in the report and its
// records.
func (r *Report) recordedCut(name string) (*Result, int, error) {
	if name == "" {
		name = r.Primary
	}
	var names []string
	for i := range r.Cuts {
		if r.Cuts[i].Name == name && i < len(r.Records.Cuts) && r.Records.Cuts[i].Name == name {
			return &r.Cuts[i], i, nil
		}
		names = append(names, r.Cuts[i].Name)
	}
	return nil, 0, fmt.Errorf("eval: no cut %q in the report; it has %q", name, names)
}
