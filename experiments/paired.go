package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE/eval"
)

// ComparePaired evaluates two runs on the same queries and compares a cut of each; "" is the run's criterion. A cut
// that is fitted is fitted first. The bootstrap resamples the distinct queries, the same ones for both runs.
// o.Resamples with o.SetResamples sets the number of resamples, otherwise it is the first run's.
func ComparePaired(ctx context.Context, a, b *TrainedRun, cutA, cutB string, o EvalOptions, p Progress) (*eval.Comparison, error) {
	if a.Graph.Digest() != b.Graph.Digest() {
		return nil, fmt.Errorf("runs %s (%s) and %s (%s) were trained on different graphs and cannot be compared", shortID(a.Info.ID), a.Info.Name, shortID(b.Info.ID), b.Info.Name)
	}
	resamples := a.Config.Eval.Bootstrap
	if o.SetResamples {
		resamples = o.Resamples
	}
	if resamples == 0 {
		return nil, errors.New("a comparison needs resamples; give --bootstrap")
	}
	var reports []*eval.Report
	for _, side := range []struct {
		run *TrainedRun
		cut string
	}{{a, cutA}, {b, cutB}} {
		once := o
		once.Resamples, once.SetResamples, once.KeepRecords = 0, true, true
		once.Fit = o.Fit || fitted(side.cut)
		if once.Fit && o.Valid && slices.Contains(eval.FittedNames(), side.cut) {
			return nil, fmt.Errorf("%s is fitted on the validation triples; judge it with --split test", side.cut)
		}
		report, err := side.run.Evaluate(ctx, once, p)
		if err != nil {
			return nil, err
		}
		reports = append(reports, report)
	}
	return eval.Compare(ctx, reports[0], reports[1], eval.CompareSettings{CutA: cutA, CutB: cutB, Resamples: resamples, Seed: a.Config.Seed, Threads: o.Threads})
}

// ComparisonGrid lays a paired comparison out for a format.
func ComparisonGrid(a, b *TrainedRun, c *eval.Comparison, format string) *Grid {
	if format == "json" {
		return &Grid{Records: orderedObject{{"run_id", a.Info.ID}, {"against_run_id", b.Info.ID}, {"comparison", c}}}
	}
	g := &Grid{Title: "Paired comparison over distinct queries", Columns: []Column{{Key: "metric"}, {Key: "value", Right: true}, {Key: "against", Right: true},
		{Key: "difference", Right: true}, {Key: "low", Right: true}, {Key: "high", Right: true}, {Key: "clear"}}}
	for _, d := range c.Differences {
		if format == "csv" {
			g.Rows = append(g.Rows, []string{d.Key, formatFloat(d.A), formatFloat(d.B), formatFloat(d.Difference), formatFloat(d.Interval.Low), formatFloat(d.Interval.High), fmt.Sprint(d.Clear())})
			continue
		}
		mark := "no"
		if d.Clear() {
			mark = "yes"
		}
		g.Rows = append(g.Rows, []string{strings.ReplaceAll(d.Key, "_", " "), fraction(d.A), fraction(d.B), signed(d.Difference), signed(d.Interval.Low), signed(d.Interval.High), mark})
	}
	name := func(r *TrainedRun, cut string) string {
		return fmt.Sprintf("%s (%s), %s %s, cut %s", shortID(r.Info.ID), r.Info.Name, ModelTitle(r.Config.Model), r.Config.Variant, cut)
	}
	g.Notes = []string{"value: " + name(a, c.CutA), "against: " + name(b, c.CutB),
		fmt.Sprintf("low, high: 95 %% interval of the difference, %d resamples of the distinct queries, the same for both; clear: it leaves out 0.", c.Resamples)}
	if a.Config.Variant != b.Config.Variant {
		g.Notes = append(g.Notes, "The two runs are of different variants.")
	}
	return g
}
