package session

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// look finds a logged run. Of several runs of the same name it returns the newest that can answer.
func (s *Session) look(ctx context.Context, ref string) (tracker.RunInfo, error) {
	if strings.TrimSpace(ref) == "last" {
		return s.tracker(ctx).FindRun(ctx, ref)
	}
	return answer.FindModel(ctx, s.tracker(ctx), ref)
}

// find is look, but a missing run is an error.
func (s *Session) find(ctx context.Context, ref string) results.Run {
	info, err := s.look(ctx, ref)
	check(err)
	return results.Read(info)
}

func (s *Session) run(ctx context.Context, ref string) *Run {
	return &Run{session: s, run: s.find(ctx, ref)}
}

// Run returns a logged run, by its id, the beginning of its id, its name, or "last" for the newest. Of several runs of
// the same name it returns the newest that has a trained model.
//
//	run := lab.Run("last")
//
// A run that the tracker lacks is searched among the results that the program contains, by the ids that tables show.
// Such a run has everything that was logged, but no trained model.
//
//	published := lab.Run("448287b4")
//	again := lab.Train(published.Graph(), published.Model())
//	again.Verify()
func (s *Session) Run(ref string) *Run {
	ctx := s.context()
	info, err := s.look(ctx, ref)
	if tracker.ErrorCode(err) == tracker.CodeNotFound {
		embedded, failed := results.FindEmbedded(ref)
		check(failed)
		if embedded != nil {
			return &Run{session: s, run: results.Read(embedded.Info), embedded: embedded}
		}
	}
	check(err)
	return &Run{session: s, run: results.Read(info)}
}

// Runs returns the logged runs, newest first.
//
//	lab.Runs()
//	lab.Runs().At(0)
func (s *Session) Runs() *RunList {
	ctx := s.context()
	infos, err := s.tracker(ctx).Runs(ctx, tracker.Filter{})
	check(err)
	l := &RunList{}
	for _, info := range infos {
		l.runs = append(l.runs, &Run{session: s, run: results.Read(info)})
	}
	return l
}

// RunList is a list of runs.
type RunList struct {
	runs []*Run
	note string // why there are none; "" if none are logged
}

// Len returns the number of runs.
func (l *RunList) Len() int { return len(l.runs) }

// At returns run i of the list, counted from 0, the newest.
func (l *RunList) At(i int) *Run {
	if i < 0 || i >= len(l.runs) {
		panic(fail(UnknownRun, "run %d does not exist: the list has %s, counted from 0", i, quantity.CommaCount(len(l.runs), "run")))
	}
	return l.runs[i]
}

// Named returns the runs of the list whose name contains a text.
func (l *RunList) Named(text string) *RunList {
	other := func(r *Run) bool { return !strings.Contains(r.run.Stored.Name, text) }
	named := &RunList{runs: slices.DeleteFunc(slices.Clone(l.runs), other), note: l.note}
	if len(l.runs) > 0 {
		named.note = fmt.Sprintf("none of the %s has a name that contains %q", quantity.CommaCount(len(l.runs), "run"), text)
	}
	return named
}

// shownRuns is the number of runs that a list shows.
const shownRuns = 50

func (l *RunList) grid() *results.Grid {
	runs := typed(l.runs)
	cut := results.OneCut(runs)
	g := results.RunGrid(runs[:min(len(runs), shownRuns)], "text", cut)
	if cut != "" {
		g.AddNote("head f1, tail f1: at the cut %s for all runs", cut)
	}
	switch more := len(l.runs) - shownRuns; {
	case more > 0:
		g.AddNote("and %s more", quantity.Commas(more))
	case len(l.runs) == 0 && l.note != "":
		g.AddNote("%s", l.note)
	case len(l.runs) == 0:
		g.Notes = append(g.Notes, hint.Note{Text: "no runs", List: []hint.Hint{{Action: hint.TrainConfig}}})
	}
	return g
}

// HTML shows the list in a notebook.
func (l *RunList) HTML() string { return gridHTML(l.grid()) }

// String returns the list as text.
func (l *RunList) String() string { return gridText(l.grid()) }

// Compare shows runs side by side: the params in which they differ, and their metrics.
//
//	lab.Compare(a, b)
//	lab.Compare(a, b).Significance()
func (s *Session) Compare(runs ...*Run) *Comparison {
	if len(runs) < 2 {
		panic(fail(UnknownRun, "lab.Compare needs at least two runs: lab.Compare(lab.Run(\"last\"), lab.Run(\"NAME\"))"))
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

// typed returns the runs as results.Run values.
func typed(runs []*Run) []results.Run {
	list := make([]results.Run, len(runs))
	for i, r := range runs {
		list[i] = r.run
	}
	return list
}

// hasDistinctNames reports whether the runs can be distinguished by their names.
func (c *Comparison) hasDistinctNames() bool {
	names := map[string]bool{}
	for _, r := range c.runs {
		names[r.run.Stored.Name] = true
	}
	return len(names) == len(c.runs)
}

// grids returns the comparison as two grids: what matters most, and the rest. Headings are the names of the runs, if
// they differ.
func (c *Comparison) grids() (summary, rest *results.Grid) {
	all := results.CompareGrid(typed(c.runs), "text", results.PrimaryCut)
	named := c.hasDistinctNames()
	if named {
		for i, r := range c.runs {
			all.Columns[i+2].Heading = r.run.Stored.Name
		}
	}
	summary = &results.Grid{Title: "params that differ, and metrics", Columns: all.Columns}
	rest = &results.Grid{Columns: all.Columns}
	for _, row := range all.Rows {
		g := summary
		switch kind, key := row[0], row[1]; {
		case key == "name" && named:
			continue // the heading shows it
		case kind == "metric" && !results.IsHeadline(key), kind == "param" && key == "config_hash":
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

const significanceNote = ".Significance() shows which differences are more than chance"

// String returns the comparison as text, without the part that a notebook hides behind a click.
func (c *Comparison) String() string {
	summary, rest := c.grids()
	summary.AddNote("and %d more; Write(\"file.csv\") has all", len(rest.Rows))
	summary.AddNote(significanceNote)
	return gridText(summary)
}

// Write writes the comparison to a file. The ending of the name chooses the format: .csv, .md, .tex, .html, .json or
// .txt.
func (c *Comparison) Write(path string) {
	writeGrid(path, func(format string) *results.Grid {
		return results.CompareGrid(typed(c.runs), format, results.PrimaryCut)
	})
}

// Table builds a table of results from logged runs; nothing is computed again. The name of a graph, such as "bundled",
// stands for the table of the runs on it. "patterns", "dimension", "radius", "ablation" and "datasets" are tables of
// their own. If nothing is logged, a table shows the results that the program contains.
//
//	lab.Table("bundled")
//	lab.Table("bundled", "paper")
//	lab.Table("patterns")
//
// A table of a graph shows one variant of the formulas: the named one, otherwise that of the newest run, or the paper's
// on the paper's graphs.
func (s *Session) Table(name string, variant ...string) *Table {
	if len(variant) > 1 {
		panic(fail(BadModel, "lab.Table shows one variant, not %s", strings.Join(variant, " and ")))
	}
	ctx := s.context()
	o := results.Options{Variant: strings.Join(variant, "")}
	table, named := results.FindTable(name)
	if !named {
		table = results.GraphTable(name)
	}
	if o.Variant != "" && !slices.Contains(table.Options, "variant") {
		panic(fail(BadModel, "table %s has no variants; leave the variant out", name))
	}
	sources := results.Sources{DataDirs: s.dataDirs()}
	if !table.NoRuns {
		sources.Runs = s.tracker(ctx)
	}
	t, err := table.Build(ctx, sources, o)
	check(err)
	return newTable(t)
}

// Table is a table of results.
type Table struct {
	// ResultTable has the rows of the table of a graph; nil for other tables.
	*results.ResultTable
	layout results.Layout
}

// newTable wraps a table that package results built.
func newTable(t results.Layout) *Table {
	ofGraph, _ := t.(*results.ResultTable)
	return &Table{ofGraph, t}
}

// Grid returns the table laid out for a format.
func (t *Table) Grid(format string) *results.Grid { return t.layout.Grid(format) }

// HTML shows the table in a notebook: the columns of the text, because a cell is hardly wider than a terminal.
func (t *Table) HTML() string {
	g := t.Grid("text")
	if len(g.Bold) > 0 {
		g.AddNote("bold: the best model; lookup does not compete.")
	}
	return gridHTML(g)
}

// String returns the table as text.
func (t *Table) String() string { return gridText(t.Grid("text")) }

// Write writes the table to a file. The ending of the name chooses the format: .csv, .md, .tex, .html, .json or .txt.
// CSV and JSON have every cut and metric.
func (t *Table) Write(path string) { writeGrid(path, t.Grid) }

// SQL queries the tracker's database, as a login that can only read.
//
//	lab.SQL("select run_name, epoch, loss from spherelab.epoch order by run_name, epoch")
//
// A cell that begins with %%sql does the same. docs/sql.md lists the views.
func (s *Session) SQL(query string) *Rows {
	open := func(ctx context.Context) (*tracker.Tracker, error) { return s.tracker(ctx), nil }
	rows, err := Query(s.context(), open, query)
	check(err)
	return rows
}

// URL returns the address of the tracker's database with the login that can only read, for database/sql and sqlx.
//
//	db, err := sqlx.Connect("postgres", lab.URL())
//
// It may hold a password: do not leave it as the last line of a cell.
func (s *Session) URL() string {
	ctx := s.context()
	store, err := postgres.Of(s.tracker(ctx))
	check(err)
	address, err := store.ReaderURL(ctx)
	check(err)
	return address
}

// Query queries the database of the tracker that open returns, as a login that can only read. The error is an *Error,
// with which lab.SQL panics.
func Query(ctx context.Context, open func(context.Context) (*tracker.Tracker, error), query string) (*Rows, error) {
	t, err := open(ctx)
	if err != nil {
		return nil, asError(err)
	}
	store, err := postgres.Of(t)
	if err != nil {
		return nil, asError(err)
	}
	table, err := store.SQL(ctx, query)
	if err != nil {
		return nil, asError(err)
	}
	return newRows(table), nil
}

// history returns the values of a metric by epoch, or none if they cannot be read: a missing curve is not an error.
func history(ctx context.Context, from results.Reader, runID, key string) (epochs, values []float64) {
	points, err := from.History(ctx, runID, key)
	if err != nil {
		return nil, nil
	}
	for _, p := range points {
		epochs, values = append(epochs, float64(p.Step)), append(values, p.Value)
	}
	return epochs, values
}
