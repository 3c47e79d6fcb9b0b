package answer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Reliability is how far the probabilities of a run's answers can be trusted, and how well promised precisions and
// recalls were kept. It marshals to JSON and back.
type Reliability struct {
	RunID      string `json:"run_id"`
	RunName    string `json:"run_name"`
	Graph      string `json:"graph"`
	Checkpoint string `json:"checkpoint_digest"`
	Model      string `json:"model"`
	Variant    string `json:"variant"`

	// Sides are head and tail queries: of half of the validation facts, with probabilities fitted on the other half,
	// then of the test facts, if there are any, with those of the run.
	Sides     []SideReliability `json:"sides"`
	Promises  []KeptPromise     `json:"promises"`
	Coverages []KeptCoverage    `json:"coverages,omitempty"`

	// Facts is the reliability of the new answers that the cut Returned returns: to queries of the test facts or, if
	// there are none, of half of the validation facts, by what was fitted on the other half.
	Facts    eval.FactReliability `json:"facts"`
	Returned string               `json:"returned"`
	Split    string               `json:"returned_split"`
}

// SideReliability is the reliability of new answers to queries of one side.
type SideReliability struct {
	Split string      `json:"split"` // "valid" or "test"
	Side  string      `json:"side"`  // "head" or "tail"
	ECE   float64     `json:"ece"`   // see eval.Reliability.ECE
	Brier float64     `json:"brier"`
	Bands []eval.Band `json:"bands"`
}

// KeptPromise is a promised precision or recall of new answers, with the measured ones.
type KeptPromise struct {
	Cut string `json:"cut"`
	eval.Outcome
	Test *eval.Kept `json:"test,omitempty"` // nil without test facts
}

// KeptCoverage is a share of the new answers that sets are to cover, with the measured one.
type KeptCoverage struct {
	Cut   string        `json:"cut"`
	Sides []CoveredSide `json:"sides"`
}

// CoveredSide is the coverage of the queries of one side.
type CoveredSide struct {
	Side      string       `json:"side"`           // "head" or "tail"
	Answers   int          `json:"answers"`        // right ones of validation facts that decide
	Relations int          `json:"relations"`      // that have enough of them to decide alone
	Test      *CoveredTest `json:"test,omitempty"` // nil without test facts
}

// CoveredTest is what the sets hold of the test facts.
type CoveredTest struct {
	Covered float64 `json:"covered"`      // share of the facts, the retrieve rate
	Size    float64 `json:"size"`         // mean of the sets
	Worst   float64 `json:"worst"`        // covered share of the relation that has the least, of those with 50 facts
	Of      string  `json:"of,omitempty"` // that relation
}

// Reliability measures the probabilities of a run's answers, and cuts that promise a share: eval.Promised and
// eval.Covering.
func (r *Run) Reliability(
	ctx context.Context, promises []eval.Limited, threads int, p progress.Listener,
) (*Reliability, error) {
	if err := r.Measurable(); err != nil {
		return nil, err
	}
	if p == nil {
		p = progress.Silent{}
	}
	if len(r.Graph.Valid) == 0 {
		return nil, fmt.Errorf("graph %s has no validation facts to fit probabilities on", r.Graph.Name)
	}
	by, err := r.Calibrated(ctx, eval.ExpectedNames()[0], threads, p)
	if err != nil {
		return nil, err
	}
	out := &Reliability{RunID: r.Info.ID, RunName: r.Info.Name, Graph: r.Graph.Name, Checkpoint: r.Model.Digest(),
		Model: r.Config.Model, Variant: r.Config.Variant, Sides: sideReliability(kg.Valid, &by.Promise.Measured)}
	if err := r.measureFacts(ctx, out, by, threads, p); err != nil {
		return nil, err
	}
	var cuts []eval.Cut
	for _, c := range promises {
		c = c.By(by)
		switch c := c.(type) {
		case eval.Promised:
			out.Promises = append(out.Promises, KeptPromise{Cut: c.Name(), Outcome: c.Outcome()})
		case eval.Covering:
			if _, err := c.Limits(r.Graph); err != nil {
				return nil, err
			}
			out.Coverages = append(out.Coverages, covering(c, &by.Promise.Coverage))
		}
		cuts = append(cuts, c)
	}
	if len(r.Graph.Test) == 0 {
		return out, nil
	}
	report, err := r.measure(ctx, eval.Settings{Split: kg.Test, Sample: r.Config.Eval.Sample,
		Cuts: append(cuts, eval.TopMean{}), SkipRanking: true, KeepRecords: true,
		Threads: threads, Progress: func(done, total int) {
			p.Event(progress.Event{Event: progress.Evaluating, Time: time.Now(), RunID: r.Info.ID,
				RunName: r.Info.Name, Done: done,
				Total: total})
		}}, func(e *eval.Evaluator) (*eval.Evaluator, error) { return e.Judging(by) })
	if err != nil {
		return nil, err
	}
	out.Sides = append(out.Sides, sideReliability(kg.Test, report.Reliability)...)
	for i := range out.Promises {
		kept, _ := report.Records.Kept(out.Promises[i].Cut)
		out.Promises[i].Test = &kept
	}
	for i := range out.Coverages {
		out.Coverages[i].measured(report)
	}
	return out, nil
}

// covering are the validation facts that decide a coverage.
func covering(cut eval.Covering, by *eval.Coverage) KeptCoverage {
	out := KeptCoverage{Cut: cut.Name()}
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		of := CoveredSide{Side: side.String(), Relations: len(by.Side(side).Clusters) - 1}
		for _, odds := range by.Side(side).Clusters {
			of.Answers += len(odds)
		}
		out.Sides = append(out.Sides, of)
	}
	return out
}

// measured adds what the sets hold of the test facts.
func (c *KeptCoverage) measured(report *eval.Report) {
	at := slices.IndexFunc(report.Cuts, func(of eval.Result) bool { return of.Name == c.Cut })
	cut := report.Cuts[at]
	side := func(head, tail eval.Scores, i int) eval.Scores { return []eval.Scores{head, tail}[i] }
	for i := range c.Sides {
		all := side(cut.Head, cut.Tail, i)
		test := &CoveredTest{Covered: all.RR, Size: all.Size, Worst: 1}
		for _, r := range cut.Relations {
			if of := side(r.Head, r.Tail, i); of.Triples >= leastMeasured && of.RR < test.Worst {
				test.Worst, test.Of = of.RR, r.Name
			}
		}
		c.Sides[i].Test = test
	}
}

// leastMeasured is how many test facts of a relation are enough for a number of its own.
const leastMeasured = 50

// measureFacts measures the probabilities of facts.
func (r *Run) measureFacts(
	ctx context.Context, out *Reliability, by *eval.Calibrated, threads int, p progress.Listener,
) error {
	cut, _ := eval.ParseCut(defaultExpected)
	settings := eval.FactSettings{Threads: threads, Sample: r.Config.Eval.Sample,
		Progress: r.LongProgress(p, "measuring probabilities")}
	split, facts := kg.Test, (*eval.Facts)(nil)
	var err error
	if len(r.Graph.Test) > 0 {
		facts, err = r.fittedFacts(ctx, by, threads, p)
	} else {
		split, settings.Half = kg.Valid, 1
		facts, err = eval.FitFacts(ctx, r.judge(), r.Graph, by, settings)
		settings.Half = 2
	}
	if err != nil {
		return err
	}
	out.Returned, out.Split = cut.Name(), split.String()
	out.Facts, err = eval.MeasureFacts(ctx, r.judge(), r.Graph, by, facts, cut.(eval.Limited), split, settings)
	return err
}

func sideReliability(split kg.Split, by *eval.ReliabilityBySide) (list []SideReliability) {
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		s := SideReliability{Split: split.String(), Side: side.String(), Bands: by.Side(side).Bands()}
		s.ECE, s.Brier = by.Side(side).ECE()
		list = append(list, s)
	}
	return list
}

// Chart draws the share of right answers against their probability, on the test facts if there are any.
func (r *Reliability) Chart() chart.Chart {
	last := r.Sides[len(r.Sides)-1].Split
	var series []chart.Series
	caption := "new answers to queries of the " + last + " facts, shares with 95 % intervals"
	for _, side := range r.Sides {
		if side.Split != last {
			continue
		}
		s := chart.Series{Name: side.Side + " queries"}
		for _, b := range side.Bands[1:] {
			if b.Entities > 0 {
				s.X, s.Y = append(s.X, b.Mean), append(s.Y, b.Share)
				s.Low, s.High = append(s.Low, b.Low), append(s.High, b.High)
			}
		}
		series = append(series, s)
		caption += fmt.Sprintf("; ECE of %ss %.3f", side.Side, side.ECE)
	}
	series = append(series, chart.Series{Name: "as promised", X: []float64{0, 1}, Y: []float64{0, 1}, Faint: true})
	return chart.Line(chart.Options{Title: "reliability of probabilities, " + r.RunName, Caption: caption,
		XLabel: "probability", YLabel: "share that is right", Width: 560, Height: 520}, series...)
}
