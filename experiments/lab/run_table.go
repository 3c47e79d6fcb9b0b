package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/tracker"
)

// Table is lab.Table of this run alone, whatever else is logged.
func (r *Run) Table() *Table {
	return r.session.tableOf(r.session.context(), []tracker.RunInfo{r.info}, "")
}

// Table is lab.Table of these runs alone, whatever else is logged. It shows one variant, that of the newest run or the one
// that is named.
//
//	lab.Compare(a, b).Table("clean")
func (c *Comparison) Table(variant ...string) *Table {
	if len(variant) > 1 {
		panic(fail(BadModel, "Table shows one variant, not %s", strings.Join(variant, " and ")))
	}
	return c.session.tableOf(c.session.context(), c.infos(), strings.Join(variant, ""))
}

// tableOf is the table of runs on one graph.
func (s *Session) tableOf(ctx context.Context, runs []tracker.RunInfo, variant string) *Table {
	graph := runs[0].Params["graph"]
	o := experiments.TableOptions{Variant: variant, Notebook: true}
	var names []string
	for _, run := range runs {
		if other := run.Params["graph"]; other != graph {
			panic(fail(BadGraph, "a table shows runs on one graph, and these are on %s and %s", graph, other))
		}
		o.Runs = append(o.Runs, run.ID)
		names = append(names, run.Name)
	}
	t, err := experiments.ResultTable(ctx, s.tracker(ctx), graph, o)
	if _, none := errors.AsType[*experiments.NoRunsError](err); none {
		panic(&Error{Name: UnknownRun, Err: err, Message: fmt.Sprintf("no final evaluation is logged of run %s; a table shows finished runs on graphs with test facts", strings.Join(names, ", "))})
	}
	check(err)
	return &Table{t}
}
