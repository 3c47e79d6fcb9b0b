package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/web"
)

// runReader tells the pages in the browser what runs mean.
type runReader struct {
	*app
	tracker *tracker.Tracker

	loading gate
	loaded  []*experiments.TrainedRun // at most mostLoaded, used last first

	pairs pairs
}

func newRunReader(a *app, t *tracker.Tracker) *runReader {
	return &runReader{app: a, tracker: t, loading: newGate(), pairs: pairs{comparing: newGate()}}
}

// gate lets one in at a time. Who waits may give up, which a sync.Mutex does not know.
type gate chan struct{}

func newGate() gate { return make(gate, 1) }

// enter waits for the gate unless ctx ends before; leave opens it again.
func (g gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case g <- struct{}{}:
		return func() { <-g }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (r *runReader) Results(info tracker.RunInfo) []web.Table {
	run := results.Read(info)
	var tables []web.Table
	add := func(g *results.Grid, file *web.Table) {
		if len(g.Rows) > 0 {
			t := webTable(g)
			t.File = file
			tables = append(tables, t)
		}
	}
	add(results.CutGrid(run), cutFile(run))
	add(results.RankGrid(run), rankFile(run))
	add(results.ThresholdGrid(info), thresholdFile(info))
	return tables
}

// webTable is a grid as a table of a page.
func webTable(g *results.Grid) web.Table {
	t := web.Table{Title: g.Title, Rows: g.Rows}
	for _, c := range g.Columns {
		heading := c.Heading
		if heading == "" {
			heading = c.Key
		}
		t.Columns = append(t.Columns, web.Column{Heading: heading, Right: c.Right})
	}
	for _, n := range g.Notes {
		t.Notes = append(t.Notes, n.Text)
	}
	return t
}

func (r *runReader) Wrote(tag string) bool { return experiments.IsOwnTag(tag) }

func (r *runReader) Command(info tracker.RunInfo) string {
	path := experiments.StoredConfig(info)
	switch {
	case path == "" && experiments.CanReproduce(info): // imported, without its files
		return programName() + " reproduce " + tracker.ShortID(info.ID)
	case path == "":
		return ""
	}
	again := programName() + " train " + quoteShell(path)
	if experiments.ReadLogged(info).Ended > 0 { // the config's training is longer
		again = programName() + " reproduce " + tracker.ShortID(info.ID)
	}
	fails := info.Tags[experiments.TagDiverged] != "" || // it would again
		experiments.ReadLogged(info).Numerics != sphere.NumericsVersion
	if info.Status != string(tracker.Running) && experiments.CanResume(info) && !fails {
		return programName() + " train --resume " + tracker.ShortID(info.ID) + "  # resumes it\n" +
			programName() + " train --finish " + tracker.ShortID(info.ID) + "  # evaluates it as it is\n" + again + "  # begins anew"
	}
	return again
}

// State is what the other displays call a run: interrupted if it can be resumed after a stop.
func (r *runReader) State(info tracker.RunInfo) string {
	if info.Status == string(tracker.Killed) && experiments.CanResume(info) {
		return results.Interrupted
	}
	return ""
}

func (r *runReader) Lineage(info tracker.RunInfo) []web.Origin {
	logged := experiments.ReadLogged(info)
	var list []web.Origin
	if logged.Sweep != "" && !strings.Contains(logged.Sweep, "'") { // the filter's language cannot write a quote
		list = append(list, web.Origin{Text: "from the sweep " + logged.Sweep,
			Search: "tags." + experiments.TagSweep + " = '" + logged.Sweep + "'"})
	}
	for i, id := range logged.StackRuns {
		list = append(list, web.Origin{Text: fmt.Sprintf("model %d of the stack: run %s", i+1, tracker.ShortID(id)), Run: id})
	}
	if info.Tags[experiments.TagDiverged] != "" {
		list = append(list, web.Origin{Text: "failed because its numbers became infinite or NaN: a lower train.learning_rate " +
			"helps"})
	}
	for _, warning := range experiments.Warnings(info) {
		list = append(list, web.Origin{Text: "warning: " + warning})
	}
	if n := logged.Resumed; n > 0 {
		list = append(list, web.Origin{Text: "resumed " + countText(n, "time") + " from its last saved state"})
	}
	if n := len(logged.GitHeads); n > 1 {
		list = append(list, web.Origin{Text: "trained by programs of commits " + strings.Join(logged.GitHeads, ", ")})
	}
	if logged.Imported {
		list = append(list, web.Origin{Text: "imported from a file, without its artifacts"})
	}
	return list
}

func (r *runReader) Beside(infos []tracker.RunInfo) []web.Table {
	g, err := results.PaperGrid(results.ReadAll(infos))
	if err != nil || len(g.Rows) == 0 { // the numbers are embedded, and tests read them
		return nil
	}
	return []web.Table{webTable(g)}
}

// The titles of the pictures of a run.
const (
	radiusFigure      = "Radius against occurrence"
	reliabilityFigure = "Reliability of probabilities"
)

// Figures are the radii of a model that has some, and the reliability of probabilities that the run has fitted.
func (r *runReader) Figures(info tracker.RunInfo) []string {
	logged := experiments.ReadLogged(info)
	if logged.Config == nil || !experiments.HasModel(info) {
		return nil
	}
	var list []string
	if logged.Config.Settings().HasRadii() && len(logged.Stack) == 0 {
		list = append(list, radiusFigure)
	}
	if logged.Config.Eval.Calibrate || len(logged.Stack) > 0 {
		list = append(list, reliabilityFigure)
	}
	return list
}

func (r *runReader) Figure(ctx context.Context, info tracker.RunInfo, title string) (chart.Chart, error) {
	run, err := r.model(ctx, info)
	if err != nil {
		return chart.Chart{}, err
	}
	switch title {
	case radiusFigure:
		radii, err := run.Radii(0)
		if err != nil {
			return chart.Chart{}, err
		}
		return radii.Chart(), nil
	case reliabilityFigure:
		reliability, err := run.Reliability(ctx, nil, 0, nil)
		if err != nil {
			return chart.Chart{}, err
		}
		return reliability.Chart(), nil
	}
	return chart.Chart{}, fmt.Errorf("there is no picture %q", title)
}

// quoteShell is a word as a shell reads it.
func quoteShell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
