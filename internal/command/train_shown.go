package command

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker"
)

// showTrained writes a table of the runs and suggests what to do next.
func (a *app) showTrained(ctx context.Context, t *tracker.Tracker, trained []*experiments.Result) error {
	evaluated := false
	for _, result := range trained {
		evaluated = evaluated || result.Report != nil
	}
	if last := trained[len(trained)-1]; !evaluated {
		made := "made"
		if last.Epochs > 0 {
			made = "trained for " + quantity.Count(last.Epochs, "epoch")
		}
		fmt.Fprintf(a.stdout, "run %s (%s): %s, not evaluated (eval.final is false); checkpoint %s\n",
			last.RunID, last.RunName, made, last.Digest)
		return nil
	}
	return a.showEvaluated(ctx, t, trained, nil)
}

// showEvaluated is showTrained for runs that have a final evaluation, from now or from before. refit is the last of
// them, trained again on all facts; it may be nil.
func (a *app) showEvaluated(ctx context.Context, t *tracker.Tracker, trained []*experiments.Result,
	refit *experiments.Result) error {
	var ids []string
	for _, result := range trained {
		ids = append(ids, result.RunID)
	}
	last := trained[len(trained)-1]
	_, err := t.ReplaySpools(ctx) // of runs that ended while the database was away
	var table *results.ResultTable
	if err == nil {
		table, err = results.BuildResultTable(ctx, last.Graph.Name, results.Sources{Runs: t},
			results.Options{Runs: ids, All: true})
	}
	var run tracker.RunInfo
	if err == nil {
		run, err = t.FindRun(ctx, last.RunID)
	}
	if tracker.ErrorCode(err) == tracker.CodeUnavailable { // a missing table does not fail the runs
		fmt.Fprintln(a.stderr, visible.Lines("note: there is no table now: "+present.Error(err, present.Program())))
		return nil
	}
	if err != nil {
		return err
	}
	if err := a.writeGrid(table.Grid("text"), "text"); err != nil {
		return err
	}
	logged := answer.ReadLogged(run)
	if worth := logged.Worth; len(worth) > 0 {
		fmt.Fprintf(a.stdout, "\nIs %s worth using?\n", visible.Line(run.Name))
		if head, tail, cut, ok := table.Found(run.ID); ok {
			fmt.Fprintf(a.stdout, "  held-out facts: its sets have %s of the heads and %s of the tails (RR at %s), lookup none\n",
				quantity.Fraction(head, 3), quantity.Fraction(tail, 3), cut)
		}
		if logged.DefaultCuts != nil {
			worth = append(worth, logged.DefaultCuts.Notes()...)
		}
		for _, line := range worth {
			fmt.Fprintln(a.stdout, "  "+visible.Line(strings.TrimSpace(line)))
		}
	}
	answers := run.ID
	if refit != nil {
		answers = refit.RunID
		fmt.Fprint(a.stdout, visible.Lines(fmt.Sprintf("\nmeasured: %s, whose numbers these are\nanswers:  %s, the same trained "+
			"again on all %s\n", answer.RunTitle(run.ID, run.Name), answer.RunTitle(answers, refit.RunName),
			quantity.CommaCount(len(refit.Graph.Train), "fact"))))
	}
	newest, err := t.FindRun(ctx, "last")
	if err != nil {
		return err
	}
	ref := "last"
	if newest.ID != answers {
		ref = tracker.ShortID(answers)
	}
	a.showNext(last, ref, t)
	return nil
}

// showNext suggests commands after a training whose run has this reference.
func (a *app) showNext(last *experiments.Result, ref string, t *tracker.Tracker) {
	var lines [][2]string // command and comment
	line := func(command, comment string) {
		lines = append(lines, [2]string{present.Program() + " " + command, comment})
	}
	bundled := last.Graph.Name == config.BundledName && last.Graph.Source == ""
	if bundled {
		line(`query `+ref+` "Max Born" advised '?'`, "the answers as a set")
		line(`explain `+ref+` "Max Born" advised "Pascual Jordan"`, "why")
	} else if len(last.Graph.Test) > 0 {
		t := last.Graph.Test[0]
		head, relation := last.Graph.EntityWords()[t.Head], last.Graph.RelationWords()[t.Relation]
		line(fmt.Sprintf("query %s %q %q '?'", ref, head, relation), "the answers as a set")
		line(fmt.Sprintf("predict %s --relation %q", ref, relation), "its best new facts")
	}
	line("runs show "+ref, "everything that was logged")
	if !t.Remote() && last.Epochs > 0 {
		line(`tracker sql "select run_name, epoch, loss from epoch order by run_name, epoch"`, "the same in SQL")
	}
	if bundled {
		line("data get fb15k-237", "fetch a benchmark graph")
		line("train fb15k-237/sphere-2d", "train the paper's configuration on it")
	}
	writeNext(a.stdout, lines, a.page().Width)
}

// writeNext writes commands with a comment each: next to the command if all fit into the width (0: any), otherwise
// above.
func writeNext(w io.Writer, lines [][2]string, width int) {
	longest, widest := 0, 0
	for _, l := range lines {
		longest, widest = max(longest, utf8.RuneCountInString(l[0])), max(widest, utf8.RuneCountInString(l[1]))
	}
	fmt.Fprintln(w, "\nNext:")
	for _, l := range lines {
		if width > 0 && len("    # ")+longest+widest > width {
			fmt.Fprintf(w, "  # %s\n  %s\n", l[1], l[0])
		} else {
			fmt.Fprintf(w, "  %-*s  # %s\n", longest, l[0], l[1])
		}
	}
}
