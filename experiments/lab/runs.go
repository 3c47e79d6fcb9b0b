package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// find finds a logged run.
func (s *Session) find(ctx context.Context, ref string) tracker.RunInfo {
	forCells := strings.NewReplacer("`spherelab runs ls` lists all", "lab.Runs() lists all", "make one with: spherelab train", "lab.Train(g, m) makes one",
		"bring it back with:", "bring it back in a terminal with:")
	info, err := s.tracker(ctx).FindRun(ctx, ref)
	if tracker.ErrorCode(err) == tracker.CodeNotFound {
		panic(&Error{Name: UnknownRun, Message: forCells.Replace(err.Error()), Err: err})
	}
	check(err)
	return info
}

func (s *Session) run(ctx context.Context, ref string) *Run {
	return &Run{session: s, info: s.find(ctx, ref)}
}

// Run finds a logged run by its id, the beginning of its id, its name, or "last", the newest.
//
//	run := lab.Run("last")
func (s *Session) Run(ref string) *Run { return s.run(s.context(), ref) }

// Runs lists the logged runs, newest first.
//
//	lab.Runs()
//	lab.Runs().At(0)
func (s *Session) Runs() *RunList {
	ctx := s.context()
	infos, err := s.tracker(ctx).Runs(ctx, tracker.Filter{})
	check(err)
	l := &RunList{}
	for _, info := range infos {
		l.runs = append(l.runs, &Run{session: s, info: info})
	}
	return l
}

// RunList is a list of runs.
type RunList struct {
	runs []*Run
	note string // why there are none; "": none are logged
}

// Len is the number of runs.
func (l *RunList) Len() int { return len(l.runs) }

// At is one run of the list, from 0, the newest.
func (l *RunList) At(i int) *Run {
	if i < 0 || i >= len(l.runs) {
		panic(fail(UnknownRun, "there is no run %d: the list has %s, counted from 0", i, count(len(l.runs), "run")))
	}
	return l.runs[i]
}

// Named are the runs of the list whose name contains a text.
func (l *RunList) Named(text string) *RunList {
	named := &RunList{runs: slices.DeleteFunc(slices.Clone(l.runs), func(r *Run) bool { return !strings.Contains(r.info.Name, text) }), note: l.note}
	if len(l.runs) > 0 {
		named.note = fmt.Sprintf("no name of the %s contains %q", count(len(l.runs), "run"), text)
	}
	return named
}

// shownRuns is how many runs a list shows.
const shownRuns = 50

func (l *RunList) grid() *experiments.Grid {
	var infos []tracker.RunInfo
	for _, r := range l.runs[:min(len(l.runs), shownRuns)] {
		infos = append(infos, r.info)
	}
	g := experiments.RunGrid(infos, "text")
	switch more := len(l.runs) - shownRuns; {
	case more > 0:
		g.Notes = []string{fmt.Sprintf("and %s more", thousands(more))}
	case len(l.runs) == 0:
		g.Notes = []string{cmp.Or(l.note, "no runs; lab.Train(g, m) makes one")}
	}
	return g
}

// HTML shows the list in a notebook.
func (l *RunList) HTML() string { return gridHTML(l.grid()) }

// String is the list as text.
func (l *RunList) String() string { return gridText(l.grid()) }

// Compare lays runs side by side: the params in which they differ, and their metrics.
//
//	lab.Compare(a, b)
//	lab.Compare(a, b).Significance()
func (s *Session) Compare(runs ...*Run) *Comparison {
	if len(runs) < 2 {
		panic(fail(UnknownRun, "lab.Compare needs two runs or more: lab.Compare(lab.Run(\"last\"), lab.Run(\"NAME\"))"))
	}
	c := &Comparison{session: s}
	for i, r := range runs {
		if r == nil {
			panic(fail(UnknownRun, "lab.Compare: run %d is nil", i+1))
		}
		c.runs = append(c.runs, r)
	}
	return c
}

// Comparison is what Compare shows.
type Comparison struct {
	session *Session
	runs    []*Run
}

func (c *Comparison) infos() []tracker.RunInfo {
	var infos []tracker.RunInfo
	for _, r := range c.runs {
		infos = append(infos, r.info)
	}
	return infos
}

// comparedMetrics stand in a comparison at once; others are behind a click.
var comparedMetrics = [...]string{"loss", "test/head_f1", "test/tail_f1", "test/head_rr", "test/tail_rr", "test/nn_f1", "test/head_novel_f1",
	"test/tail_novel_f1", "test/head_size", "test/tail_size", "test/mrr"}

// named reports whether the runs can be told apart by their names.
func (c *Comparison) named() bool {
	names := map[string]bool{}
	for _, r := range c.runs {
		names[r.info.Name] = true
	}
	return len(names) == len(c.runs)
}

// grids lays the comparison out: what matters most, and the rest. Runs of different names are told apart by them.
func (c *Comparison) grids() (summary, rest *experiments.Grid) {
	all := experiments.CompareGrid(c.infos(), "text", false)
	named := c.named()
	if named {
		for i, r := range c.runs {
			all.Columns[i+2].Heading = r.info.Name
		}
	}
	summary = &experiments.Grid{Title: "params that differ, and metrics", Columns: all.Columns}
	rest = &experiments.Grid{Columns: all.Columns}
	for _, row := range all.Rows {
		g := summary
		switch kind, key := row[0], row[1]; {
		case key == "name" && named:
			continue // the heading has it
		case kind == "metric" && !slices.Contains(comparedMetrics[:], key), kind == "param" && key == "config_hash":
			g = rest
		}
		if n := len(g.Rows); n > 0 && g.Rows[n-1][0] != row[0] {
			g.Rules = append(g.Rules, n)
		}
		g.Rows = append(g.Rows, row)
	}
	return summary, rest
}

// HTML shows the comparison in a notebook.
func (c *Comparison) HTML() string {
	summary, rest := c.grids()
	var m markup
	m.grid(summary)
	m.raw("<details><summary>", strconv.Itoa(len(rest.Rows)), " more</summary>")
	m.grid(rest)
	m.raw("</details>")
	m.element("div", "margin-top:.3em;font-size:90%;"+faint, significanceNote)
	return m.String()
}

const significanceNote = ".Significance() says which differences are more than chance"

// String is the comparison as text, without what is behind a click.
func (c *Comparison) String() string {
	summary, rest := c.grids()
	summary.Notes = []string{fmt.Sprintf("and %d more; Write(\"file.csv\") has all", len(rest.Rows)), significanceNote}
	return gridText(summary)
}

// Write writes the comparison to a file, in the format that the end of its name says: .csv, .md, .tex, .html, .json or
// .txt.
func (c *Comparison) Write(path string) {
	writeGrid(path, func(format string) *experiments.Grid { return experiments.CompareGrid(c.infos(), format, false) })
}

// Significance compares every run with the first one, on the same test queries: the difference of each metric, and its
// 95 % interval by a paired bootstrap over distinct queries. A difference whose interval leaves out 0 is marked as clear.
// The models are evaluated again, which takes as long as an evaluation does.
func (c *Comparison) Significance() *Rows {
	ctx := c.session.context()
	var reports []*eval.Report
	for _, r := range c.runs {
		none := experiments.EvalOptions{SetTopL: true, SetResamples: true, KeepRecords: true, Threads: c.session.o.Threads}
		report, err := r.trained(ctx).Evaluate(ctx, none, nil)
		check(err)
		reports = append(reports, report)
	}
	rows := &Rows{columns: []string{"run", "against", "metric", "value", "other", "difference", "low", "high", "clear"},
		title: "paired differences on the test queries",
		notes: []string{"low and high: 95 % interval of the difference, by bootstrap over distinct queries; clear: it leaves out 0"}}
	label := (*Run).label
	if c.named() {
		label = (*Run).Name
	}
	for i := 1; i < len(c.runs); i++ {
		result, err := eval.Compare(ctx, reports[i], reports[0], eval.CompareSettings{Threads: c.session.o.Threads})
		check(err)
		for _, d := range result.Differences {
			clear := ""
			if d.Clear() {
				clear = "clear"
			}
			rows.values = append(rows.values, []interface{}{label(c.runs[i]), label(c.runs[0]), d.Key, d.A, d.B, d.Difference, d.Interval.Low, d.Interval.High, clear})
		}
	}
	return rows
}

// Table builds a table of results from logged runs; nothing is computed anew. "bundled" is the table of the bundled
// graph; the name of another graph gives the table of the runs on it.
//
//	lab.Table("bundled")
//	lab.Table("bundled", "paper")
//
// A table shows one variant of the formulas, that of the newest run (on the paper's graphs the paper's) or the one that is
// named.
func (s *Session) Table(name string, variant ...string) *Table {
	if len(variant) > 1 {
		panic(fail(BadModel, "lab.Table shows one variant, not %s", strings.Join(variant, " and ")))
	}
	ctx := s.context()
	t, err := experiments.ResultTable(ctx, s.tracker(ctx), name, experiments.TableOptions{Variant: strings.Join(variant, ""), Notebook: true})
	if _, none := errors.AsType[*experiments.NoRunsError](err); none {
		panic(&Error{Name: UnknownRun, Err: err, Message: fmt.Sprintf("no finished run with a final evaluation on graph %s is logged; lab.Train(lab.Graph(%q), m) makes one", name, name)})
	}
	check(err)
	return &Table{t}
}

// Table is a table of results.
type Table struct{ *experiments.ResultGrid }

// NewTable wraps a table that package experiments built.
func NewTable(t *experiments.ResultGrid) *Table { return &Table{t} }

// HTML shows the table in a notebook.
func (t *Table) HTML() string { return gridHTML(t.Grid("html")) }

// String is the table as text.
func (t *Table) String() string { return gridText(t.Grid("text")) }

// Write writes the table to a file, in the format that the end of its name says: .csv, .md, .tex, .html, .json or .txt.
// CSV and JSON have every cut and metric.
func (t *Table) Write(path string) { writeGrid(path, t.Grid) }

// SQL asks the tracker's database, with the right to read only.
//
//	lab.SQL("select run_name, epoch, loss from spherelab.epoch order by run_name, epoch")
//
// A cell that begins with %%sql does the same. docs/sql.md lists the views.
func (s *Session) SQL(query string) *Rows {
	rows, err := Query(s.context(), func(ctx context.Context) (*tracker.Tracker, error) { return s.tracker(ctx), nil }, query)
	check(err)
	return rows
}

// Query asks the tracker that open gives, with the right to read only. The error is an *Error: it is what lab.SQL panics
// with.
func Query(ctx context.Context, open func(context.Context) (*tracker.Tracker, error), query string) (*Rows, error) {
	t, err := open(ctx)
	if err != nil {
		return nil, asError(err)
	}
	table, err := t.SQL(ctx, query)
	if err != nil {
		return nil, asError(err)
	}
	return NewRows(table), nil
}

// history are the values of a metric by epoch; none if they cannot be read, since they are only shown.
func history(ctx context.Context, t *tracker.Tracker, runID, key string) (epochs, values []float64) {
	points, err := t.History(ctx, runID, key)
	if err != nil {
		return nil, nil
	}
	for _, p := range points {
		epochs, values = append(epochs, float64(p.Step)), append(values, p.Value)
	}
	return epochs, values
}
