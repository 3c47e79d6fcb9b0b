package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/web"
)

// runReader tells the pages in the browser what runs mean.
type runReader struct {
	*app
	tracker *tracker.Tracker

	loading sync.Mutex
	loaded  []*experiments.TrainedRun // at most mostLoaded, used last first

	pairs pairs
}

func (r *runReader) Results(info tracker.RunInfo) []web.Table {
	run := results.Read(info)
	var tables []web.Table
	for _, g := range []*results.Grid{results.CutGrid(run), results.RankGrid(run),
		results.ThresholdGrid(info)} {
		if len(g.Rows) > 0 {
			tables = append(tables, webTable(g))
		}
	}
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
	if path == "" {
		return ""
	}
	return programName() + " train " + quoteShell(path)
}

func (r *runReader) Beside(infos []tracker.RunInfo) []web.Table {
	g, err := results.PaperGrid(results.ReadAll(infos))
	if err != nil || len(g.Rows) == 0 { // the numbers are embedded, and tests read them
		return nil
	}
	return []web.Table{webTable(g)}
}

// radiusFigure is the title of the one picture that is drawn of a run.
const radiusFigure = "Radius against occurrence"

func (r *runReader) Figures(info tracker.RunInfo) []string {
	logged := experiments.ReadLogged(info)
	if logged.Config == nil || !logged.Config.Settings().HasRadii() || !experiments.HasModel(info) {
		return nil
	}
	return []string{radiusFigure}
}

func (r *runReader) Figure(ctx context.Context, info tracker.RunInfo, title string) (chart.Chart, error) {
	if title != radiusFigure {
		return chart.Chart{}, fmt.Errorf("there is no picture %q", title)
	}
	run, err := r.model(ctx, info)
	if err != nil {
		return chart.Chart{}, err
	}
	radii, err := run.Radii(0)
	if err != nil {
		return chart.Chart{}, err
	}
	return radii.Chart(), nil
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
