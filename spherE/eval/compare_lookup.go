package eval

import (
	"context"
	"fmt"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Worth compares, for one side, the union F1 of lookup alone with that of lookup and a model's answers.
type Worth struct {
	Side       kg.Side
	Cut        string
	Lookup     float64  // of the known answers
	With       float64  // of the known answers and the cut's set
	Difference Interval // 95 %, of With - Lookup, paired over distinct queries
}

// ExpectedUnion and ExpectedNovel are the cuts of greatest expected union F1 and novel F1, two of ExpectedNames.
const (
	ExpectedUnion = expectedPrefix + "union"
	ExpectedNovel = expectedPrefix + "novel"
)

// Verdicts of Worth.
const (
	Adds    = "adds"
	Lowers  = "lowers"
	Unclear = "no clear difference"
)

// Verdict is Adds or Lowers where 0 lies outside the interval, else Unclear.
func (w Worth) Verdict() string {
	switch {
	case w.Difference.Low > 0:
		return Adds
	case w.Difference.High < 0:
		return Lowers
	}
	return Unclear
}

// String is one sentence.
func (w Worth) String() string {
	return fmt.Sprintf("%ss: lookup alone has union F1 %.3f, with the answers of %s %.3f (difference %+.3f to %+.3f): %s",
		w.Side, w.Lookup, w.Cut, w.With, w.Difference.Low, w.Difference.High, w.Verdict())
}

// WorthOf compares a cut of a report, which needs records, with lookup; heads come first. A side without a union F1 has
// no entry.
func WorthOf(ctx context.Context, r *Report, cut string, s CompareSettings) ([]Worth, error) {
	s.CutA, s.CutB = cut, LookupName
	c, err := Compare(ctx, r, r, s)
	if err != nil {
		return nil, err
	}
	var all []Worth
	for _, d := range c.Differences {
		for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			if d.Key == side.String()+"_union_f1" {
				all = append(all, Worth{Side: side, Cut: c.CutA, Lookup: d.B, With: d.A, Difference: d.Interval})
			}
		}
	}
	return all, nil
}
