package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// ComparePaired evaluates two runs on the same queries and compares a cut of each; "" is the run's criterion.
// Thresholds of a fitted cut are fitted first. If one answers a sample of the queries, both answer the smaller sample.
// The bootstrap resamples the distinct queries, the same ones for both runs. The number of resamples is o.Resamples if
// o.SetResamples is set, otherwise the first run's.
func ComparePaired(ctx context.Context, a, b *answer.Run, cutA, cutB string, o answer.EvalOptions,
	p progress.Listener) (*eval.Comparison, error) {
	if err := cmp.Or(a.Measurable(), b.Measurable()); err != nil {
		return nil, err
	}
	if a.Graph.Digest() != b.Graph.Digest() {
		return nil, fmt.Errorf("runs %s and %s were trained on different graphs and cannot be compared", Read(a.Info),
			Read(b.Info))
	}
	resamples := a.Config.Eval.Bootstrap
	if o.SetResamples {
		resamples = o.Resamples
	}
	if resamples == 0 {
		return nil, errors.New("a comparison needs resamples, but their number is 0")
	}
	o.Sample = cmp.Or(o.Sample, answer.LeastSample(a, b))
	sides := [2]comparedSide{{run: a, cut: cutA, options: o}, {run: b, cut: cutB, options: o}}
	for i := range sides { // both, before either is evaluated
		if err := sides[i].prepare(); err != nil {
			return nil, err
		}
	}
	var reports [2]*eval.Report
	for i, side := range sides {
		var err error
		if reports[i], err = side.run.Evaluate(ctx, side.options, p); err != nil {
			return nil, err
		}
	}
	s := eval.CompareSettings{CutA: cutA, CutB: cutB, Resamples: resamples, Seed: a.Config.Seed, Threads: o.Threads}
	return eval.Compare(ctx, reports[0], reports[1], s)
}

// comparedSide is one of two runs that are compared.
type comparedSide struct {
	run     *answer.Run
	cut     string // "": the run's criterion
	options answer.EvalOptions
}

// prepare changes the options so that they measure the cut, and fails if they cannot.
func (s *comparedSide) prepare() (err error) {
	s.options.Resamples, s.options.SetResamples, s.options.KeepRecords = 0, true, true
	s.options, err = s.options.Measuring(s.run, s.cut)
	return err
}

// ComparisonGrid returns a paired comparison laid out for a format.
func ComparisonGrid(a, b *answer.Run, c *eval.Comparison, format string) *Grid {
	if format == "json" {
		return &Grid{Records: jsonvalue.Object{{Key: "run_id", Value: a.Info.ID},
			{Key: "against_run_id", Value: b.Info.ID},
			{Key: "comparison", Value: c}}}
	}
	g := &Grid{Title: "Paired comparison over distinct queries", Columns: []Column{{Key: "metric"},
		{Key: "value", Right: true}, {Key: "against", Right: true}, {Key: "difference", Right: true},
		{Key: "low", Right: true}, {Key: "high", Right: true}, {Key: "clear"}}}
	for _, d := range c.Differences {
		numbers := []float64{d.A, d.B, d.Difference, d.Interval.Low, d.Interval.High}
		if format == "csv" {
			cells := []string{d.Key}
			for _, x := range numbers {
				cells = append(cells, quantity.Exact(x))
			}
			g.Rows = append(g.Rows, append(cells, fmt.Sprint(d.Clear())))
			continue
		}
		cells := []string{strings.ReplaceAll(d.Key, "_", " "), quantity.Fraction(d.A, 3), quantity.Fraction(d.B, 3)}
		for _, x := range numbers[2:] {
			cells = append(cells, signed(x))
		}
		mark := "no"
		if d.Clear() {
			mark = "yes"
		}
		g.Rows = append(g.Rows, append(cells, mark))
	}
	name := func(r *answer.Run, cut string) string {
		text := fmt.Sprintf("%s, cut %s", r.Info.Name, cut)
		if r.Info.ID != "" { // else the scores of a file, see answer.Judge
			text = fmt.Sprintf("%s, %s %s, cut %s", Read(r.Info), sphere.Title(r.Config.Model), r.Config.Variant, cut)
		}
		if r.Config.Eval.DropItself {
			text += ", asked entity dropped"
		}
		return text
	}
	g.AddNote("value: %s", name(a, c.CutA))
	g.AddNote("against: %s", name(b, c.CutB))
	g.AddNote("low, high: 95 %% interval of the difference, from %d resamples of the distinct queries, the same for both; "+
		"clear: the interval leaves out 0.", c.Resamples)
	if text := c.SampleText(); text != "" {
		g.AddNote("%s", text)
	}
	if a.Config.Variant != b.Config.Variant {
		g.AddNote("The two runs are of different variants.")
	}
	return g
}
