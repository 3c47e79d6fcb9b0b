package present

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/quantity"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/web"
)

// Reader explains runs to the pages in the browser, and answers questions with their models.
type Reader struct {
	tracker *tracker.Tracker
	o       Options

	loading gate
	loaded  []*loadedRun // at most maxLoaded, most recently used first

	pairs pairs
}

// Options are what a Reader needs from the program that serves its pages.
type Options struct {
	DataDirs func() ([]string, error)                 // where graphs are searched by name
	Progress func() (p progress.Listener, end func()) // shows long work
	Log      io.Writer                                // receives messages for the operator of the server
	// AnswerGraph finds or makes the run that answers for a graph, a value of the config key data, and returns its id.
	// No request ends it. It is called once at a time for a graph. nil: no page asks for one.
	AnswerGraph func(data string) (runID string, err error)
}

// NewReader returns a Reader of the runs in a tracker.
func NewReader(t *tracker.Tracker, o Options) *Reader {
	return &Reader{tracker: t, o: o, loading: newGate(), pairs: pairs{comparing: newGate()}}
}

func (r *Reader) Results(info tracker.RunInfo) []web.Table {
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

// webTable returns a grid as a table of a page.
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

func (r *Reader) Wrote(tag string) bool { return answer.IsOwnTag(tag) }

func (r *Reader) Command(info tracker.RunInfo) string {
	path := answer.StoredConfig(info)
	switch {
	case path == "" && experiments.CanReproduce(info): // imported, without its files
		return Program() + " reproduce " + tracker.ShortID(info.ID)
	case path == "":
		return ""
	}
	again := Program() + " train " + QuoteShell(path)
	if answer.ReadLogged(info).Ended > 0 { // the config's training is longer
		again = Program() + " reproduce " + tracker.ShortID(info.ID)
	}
	fails := info.Tags[answer.TagDiverged] != "" || // it would diverge again
		answer.ReadLogged(info).Numerics != sphere.NumericsVersion
	if info.Status != string(tracker.Running) && answer.CanResume(info) && !fails {
		return Program() + " train --resume " + tracker.ShortID(info.ID) + "  # resumes it\n" +
			Program() + " train --finish " + tracker.ShortID(info.ID) + "  # evaluates it as it is\n" + again + "  # starts over"
	}
	return again
}

// Stops reports whether the run is a training of this program, which looks for that at each heartbeat.
func (r *Reader) Stops(info tracker.RunInfo) bool { return answer.ReadLogged(info).Config != nil }

// State returns a run's state as in the other displays: interrupted if it was stopped and can be resumed.
func (r *Reader) State(info tracker.RunInfo) string {
	if info.Status == string(tracker.Killed) && answer.CanResume(info) {
		return results.Interrupted
	}
	return ""
}

func (r *Reader) Lineage(info tracker.RunInfo) []web.Origin {
	logged := answer.ReadLogged(info)
	var list []web.Origin
	if logged.Sweep != "" && !strings.Contains(logged.Sweep, "'") { // the filter language cannot escape a quote
		list = append(list, web.Origin{Text: "from the sweep " + logged.Sweep,
			Search: "tags." + answer.TagSweep + " = '" + logged.Sweep + "'"})
	}
	for i, id := range logged.StackRuns {
		list = append(list, web.Origin{Text: fmt.Sprintf("model %d of the stack: run %s", i+1, tracker.ShortID(id)), Run: id})
	}
	if info.Tags[answer.TagDiverged] != "" {
		list = append(list, web.Origin{Text: "failed because its numbers became infinite or NaN: a lower train.learning_rate " +
			"helps"})
	}
	for _, warning := range answer.Warnings(info) {
		list = append(list, web.Origin{Text: "warning: " + warning})
	}
	if n := logged.Resumed; n > 0 {
		list = append(list, web.Origin{Text: "resumed " + quantity.Count(n, "time") + " from its last saved state"})
	}
	if n := len(logged.GitHeads); n > 1 {
		list = append(list, web.Origin{Text: "trained by programs of commits " + strings.Join(logged.GitHeads, ", ")})
	}
	if logged.Imported {
		list = append(list, web.Origin{Text: "imported from a file, without its artifacts"})
	}
	return list
}

func (r *Reader) Beside(infos []tracker.RunInfo) []web.Table {
	g, err := results.PaperGrid(results.ReadAll(infos))
	if err != nil || len(g.Rows) == 0 { // cannot fail: the numbers are embedded, and tests read them
		return nil
	}
	return []web.Table{webTable(g)}
}

// The titles of the pictures of a run.
const (
	radiusFigure      = "Radius against occurrence"
	reliabilityFigure = "Reliability of probabilities"
)

// Figures returns the pictures of a run: the radii if its model has some, and the reliability if it has fitted
// probabilities.
func (r *Reader) Figures(info tracker.RunInfo) []string {
	logged := answer.ReadLogged(info)
	if logged.Config == nil || !answer.HasModel(info) {
		return nil
	}
	var list []string
	if logged.Config.Settings().HasRadii() && len(logged.Stack) == 0 {
		list = append(list, radiusFigure)
	}
	if (logged.Config.Eval.Calibrate || len(logged.Stack) > 0) && !logged.Config.Split.Whole {
		list = append(list, reliabilityFigure)
	}
	return list
}

func (r *Reader) Figure(ctx context.Context, info tracker.RunInfo, title string) (chart.Chart, error) {
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
