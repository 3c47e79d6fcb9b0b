package session

import (
	"strings"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/spherE/eval"
)

// Significance compares every run with the first one, on the same test queries: the difference of each metric, and its
// 95 % interval by a paired bootstrap over distinct queries. A difference is clear if its interval leaves out 0.
// The models are evaluated again, which takes as long as an evaluation does. If some answer a sample of the queries,
// all answer the smallest sample.
//
//	lab.Compare(a, b).Significance()               // each run by its own criterion
//	lab.Compare(a, b).Significance("fitted-novel") // both by one cut, as in the table
func (c *Comparison) Significance(cut ...string) *Rows {
	if len(cut) > 1 {
		panic(fail(BadCut, "Significance compares by one cut, not %s", strings.Join(cut, " and ")))
	}
	ctx, name, title := c.session.context(), strings.Join(cut, ""), "paired differences on the test queries"
	o := answer.EvalOptions{TopL: []int{}, SetResamples: true, KeepRecords: true, Threads: c.session.o.Threads}
	if len(cut) > 0 {
		kind, err := answer.ParseCut(name)
		if err != nil {
			panic(&Error{Name: BadCut, Message: err.Error(), Err: err})
		}
		title += ", cut " + name
		switch kind.Kind() {
		case eval.KindTop:
			o.TopL = []int{kind.Rank()}
		case eval.KindFitted, eval.KindTopMean:
			o.Fit = true
		}
	}
	var runs []*answer.Run
	for _, r := range c.runs {
		runs = append(runs, r.loadTrained(ctx))
	}
	o.Sample = answer.LeastSample(runs...)
	var reports []*eval.Report
	for _, run := range runs {
		report, err := run.Evaluate(ctx, o, nil)
		check(err)
		reports = append(reports, report)
	}
	rows := &Rows{columns: []string{"run", "against", "metric", "value", "other", "difference", "low", "high", "clear"},
		title: title,
		notes: []string{"low and high: 95 % interval of the difference, by bootstrap over distinct queries; " +
			"clear: it leaves out 0"}}
	label := (*Run).label
	if c.hasDistinctNames() {
		label = (*Run).Name
	}
	for i := 1; i < len(c.runs); i++ {
		result, err := eval.Compare(ctx, reports[i], reports[0],
			eval.CompareSettings{CutA: name, CutB: name, Threads: c.session.o.Threads})
		check(err)
		if i == 1 {
			rows.addNote(result.SampleText())
		}
		for _, d := range result.Differences {
			clear := ""
			if d.Clear() {
				clear = "clear"
			}
			rows.values = append(rows.values, []interface{}{label(c.runs[i]), label(c.runs[0]), d.Key, d.A, d.B,
				d.Difference,
				d.Interval.Low, d.Interval.High, clear})
		}
	}
	return rows
}
