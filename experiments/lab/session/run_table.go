package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/experiments/results"
)

// Table is lab.Table for this run alone, whatever else is logged.
func (r *Run) Table() *Table {
	ctx := r.context()
	return r.session.tableOf(ctx, []*Run{r}, "")
}

// Table is lab.Table for these runs alone, whatever else is logged. It shows one variant: the named one, otherwise that
// of the newest run.
//
//	lab.Compare(a, b).Table("clean")
func (c *Comparison) Table(variant ...string) *Table {
	if len(variant) > 1 {
		panic(fail(BadModel, "Table shows one variant, not %s", strings.Join(variant, " and ")))
	}
	return c.session.tableOf(c.session.context(), c.runs, strings.Join(variant, ""))
}

// tableOf returns the table of runs on one graph.
func (s *Session) tableOf(ctx context.Context, runs []*Run, variant string) *Table {
	graph := runs[0].run.Graph
	o := results.Options{Variant: variant}
	var names []string
	for _, r := range runs {
		if r.run.Graph != graph {
			panic(fail(BadGraph, "a table shows runs on one graph, but these are on %s and %s", graph, r.run.Graph))
		}
		o.Runs = append(o.Runs, r.run.Stored.ID)
		names = append(names, r.run.Stored.Name)
	}
	t, err := results.BuildResultTable(ctx, graph, results.Sources{Runs: s.reader(ctx, runs...)}, o)
	if _, none := errors.AsType[*results.NoRunsError](err); none {
		panic(&Error{Name: UnknownRun, Err: err, Message: fmt.Sprintf("no final evaluation is logged of run %s; "+
			"a table shows finished runs on graphs with test facts", strings.Join(names, ", "))})
	}
	check(err)
	return newTable(t)
}
