package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
)

// Run is a logged run. What was logged is read at once; graph and model are loaded when they are first needed.
type Run struct {
	session  *Session
	run      results.Run
	cut      answer.Cut           // of answers
	embedded *results.ArchiveFile // the embedded results of the run; nil for a run of the tracker
}

// Cut returns the same run, answering by another cut, which decides which entities are answers. The names are those of
// tables: "fitted-novel", "fitted-f1", "fitted-union" (thresholds by relation and side, fitted on the validation facts;
// the first use fits them), "fitted-side-f1", ..., "expected-novel", "expected-f1", "expected-union" (per query the set
// of greatest expected F1, by probabilities fitted on them), "precision-0.8", "recall-0.5" (see Precision), "margin",
// "sphere", "intersect", "blocks", "boxes" (where the model has them), "top-10" or any other size, "top-mean".
//
//	run.Cut("fitted-f1").Ask("Max Born", "advised", "?")
//
// Without Cut the run answers by the criterion that its config chooses. If the config chooses none, the cut is
// expected-novel for a run that was calibrated (eval.calibrate), otherwise fitted-novel; on a graph without validation
// facts it is the criterion of the model's variant. Sets can be cut again at another score, see Set.At.
func (r *Run) Cut(name string) *Run {
	r.logged()
	cut := r.cut
	cut.Name = name
	return r.withCut(cut)
}

// Slack returns the same run, answering with another threshold. Above 0 only answers that lie at least this far inside
// the cut's border stay; below 0 entities up to this far outside become answers too. Sets and scores are then those of
// the moved border.
//
//	run.Slack(0.5).Ask("Max Born", "advised", "?")
//	run.Cut("fitted-f1").Slack(-0.2).Predict("advised", 20)
//
// A cut of a fixed size, such as top-10, has no threshold to move.
func (r *Run) Slack(slack float64) *Run {
	r.logged()
	if math.IsNaN(slack) || math.Abs(slack) > math.MaxFloat32 {
		panic(fail(BadCut, "run.Slack(%g): the slack must be a finite number", slack))
	}
	cut := r.cut
	cut.Slack = float32(slack)
	return r.withCut(cut)
}

// Precision returns the same run, answering with sets of a promised precision: this share of the new answers is right,
// by the validation facts. A note says what was measured on them. Without validation facts it is an error.
//
//	run.Precision(0.8).Ask("Max Born", "advised", "?")
func (r *Run) Precision(share float64) *Run {
	c, ok := eval.PromisedPrecision(share)
	return r.withPromise("Precision", share, c, ok)
}

// Recall returns the same run, answering with sets of a promised recall: they hold this share of the right answers that
// are not known, by the validation facts.
func (r *Run) Recall(share float64) *Run {
	c, ok := eval.PromisedRecall(share)
	return r.withPromise("Recall", share, c, ok)
}

// Coverage returns the same run, answering with sets that hold a right new answer this often, by split conformal
// prediction for each side and relation, see eval.Coverage. Without enough validation facts it is an error.
func (r *Run) Coverage(share float64) *Run {
	c, ok := eval.CoverageOf(share)
	return r.withPromise("Coverage", share, c, ok)
}

func (r *Run) withPromise(method string, share float64, c eval.Limited, ok bool) *Run {
	r.logged()
	if !ok {
		panic(fail(BadCut, "run.%s(%g): the share must be above 0 and below 1", method, share))
	}
	cut := r.cut
	cut.Name, cut.Slack = c.Name(), 0
	return r.withCut(cut)
}

// DropItself returns the same run, which keeps the asked entity out of its answers if no training fact of the relation
// leads from an entity to itself.
func (r *Run) DropItself() *Run {
	r.logged()
	cut := r.cut
	cut.DropItself = true
	return r.withCut(cut)
}

// Among returns the same run, whose new answers are among some entities alone: "seen" are those that training has on
// the asked side of the relation, "types" those that share a type with one of these (see Graph.Schema). "" means all.
//
//	run.Among("seen").Ask("Max Born", "advised", "?")
func (r *Run) Among(entities string) *Run {
	run := r.loadTrained(r.context())
	cut := r.cut
	cut.Among = retrieve.Among(entities)
	if _, err := cut.Among.Of(run.Graph); err != nil {
		panic(&Error{Name: BadQuestion, Message: err.Error(), Err: err})
	}
	return r.withCut(cut)
}

func (r *Run) withCut(cut answer.Cut) *Run {
	if cut.Name != "" {
		parsed, err := answer.ParseCut(cut.Name)
		if err != nil {
			panic(&Error{Name: BadCut, Message: err.Error(), Err: err})
		}
		if cut.Slack != 0 && answer.FixedSize(parsed) {
			panic(fail(BadCut, "cut %s has a fixed size, so slack %g cannot move its border", cut.Name, cut.Slack))
		}
	}
	return &Run{session: r.session, run: r.run, cut: cut, embedded: r.embedded}
}

// retriever answers queries by the run's cut.
func (r *Run) retriever(ctx context.Context, t *answer.Run) *retrieve.Retriever {
	retriever, err := t.Retriever(ctx, r.cut, retrieve.Options{Threads: r.session.o.Threads}, nil)
	check(err)
	return retriever
}

// ID returns the run's id.
func (r *Run) ID() string { return r.logged().Stored.ID }

// Name returns the run's name.
func (r *Run) Name() string { return r.logged().Stored.Name }

// Status returns RUNNING, FINISHED, FAILED or KILLED, as of when the run was looked up.
func (r *Run) Status() string { return r.logged().Stored.Status }

// Digest returns the digest of the trained model: models with the same digest have the same bits. It is empty before
// the end of a training.
func (r *Run) Digest() string { return r.logged().Checkpoint }

// Param returns the value of a config key as it was logged, "" if it was not: run.Param("train.epochs").
func (r *Run) Param(key string) string { return r.logged().Stored.Params[key] }

// Metric returns the newest value of a logged metric, for example run.Metric("test/head_f1").
func (r *Run) Metric(key string) float64 {
	value, ok := r.logged().Stored.Metrics[key]
	if !ok {
		names := slices.Sorted(maps.Keys(r.run.Stored.Metrics))
		panic(fail(Failed, "run %s has logged no metric %q%s", r.label(), key, didYouMean(key, names)))
	}
	return value
}

// Metrics returns the newest values of all logged metrics.
func (r *Run) Metrics() map[string]float64 { return maps.Clone(r.logged().Stored.Metrics) }

// Info returns everything that is stored about the run.
func (r *Run) Info() tracker.RunInfo { return r.logged().Stored }

// logged returns what the run has logged. Exported methods start with it, or with context.
func (r *Run) logged() results.Run {
	given(r != nil, "run", "lab.Run(\"last\") returns the newest logged run")
	return r.run
}

// context returns the context of the running cell.
func (r *Run) context() context.Context {
	r.logged()
	return r.session.context()
}

// label returns the run's name in messages.
func (r *Run) label() string { return r.run.String() }

// loadTrained loads the run's graph and model.
func (r *Run) loadTrained(ctx context.Context) *answer.Run {
	if r.embedded != nil {
		panic(fail(RunNotFinished, "run %s is an embedded result without its trained model; "+
			"lab.Train(run.Graph(), run.Model()) trains it again", r.label()))
	}
	return r.session.open(ctx, r.ID())
}

// Graph returns the graph that the run was trained on.
func (r *Run) Graph() *Graph {
	if c := r.logged().Config; c != nil && !answer.HasModel(r.run.Stored) {
		g, err := answer.OpenGraph(r.run.Stored, r.session.dataDirs())
		check(err)
		return r.session.newGraph(g, c)
	}
	trained := r.loadTrained(r.context())
	return r.session.newGraph(trained.Graph, trained.Config)
}

// Model returns the model description that the run was trained with: its whole config. It can be changed and trained
// again:
//
//	lab.Train(run.Graph(), run.Model().Seed(2))
func (r *Run) Model() *Model {
	path := answer.StoredConfig(r.logged().Stored)
	if path == "" && r.run.Config != nil { // embedded or imported
		return newModel("of run "+r.label(), r.run.Config.Clone())
	}
	c, err := config.Load(config.Layers{Config: path})
	check(err)
	return newModel("of run "+r.label(), c.Config())
}

// Evaluate evaluates the trained model again, with the settings of its own final evaluation. Nothing is logged.
func (r *Run) Evaluate() *Report {
	ctx := r.context()
	run := r.loadTrained(ctx)
	if len(run.Graph.Test) == 0 {
		panic(noTest(run))
	}
	report, err := run.Evaluate(ctx, answer.EvalOptions{Threads: r.session.o.Threads}, nil)
	check(err)
	return &Report{report}
}

func noTest(run *answer.Run) *Error {
	check(run.Measurable())
	g := run.Graph
	return fail(BadGraph, "graph %s has no test facts, so nothing can be measured; "+
		"a fourth column in its file with train, valid or test makes some", g.Name)
}

// report returns the logged final evaluation, or a new one if none is logged.
func (r *Run) report() *eval.Report {
	stored := r.logged().Stored
	if r.embedded != nil {
		return r.Evaluate().Report
	}
	dir, err := stored.ArtifactDir()
	check(err)
	raw, err := os.ReadFile(filepath.Join(dir, "evaluation", "test.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return r.Evaluate().Report
	}
	check(err)
	report := new(eval.Report)
	check(json.Unmarshal(raw, report))
	return report
}

// cardMetrics are on a run's card, after the loss.
var cardMetrics = [...]struct {
	metric  results.Metric
	heading string
}{{results.HeadF1, "head F1"}, {results.TailF1, "tail F1"}, {results.NNF1, "n-n F1"}, {results.MRR, "MRR"}}

// facts returns the contents of a run's card, by heading.
func (r *Run) facts() [][2]string {
	run := r.run
	var metrics []string
	if run.Loss != nil {
		metrics = append(metrics, fmt.Sprintf("loss %.4g", *run.Loss))
	}
	for _, m := range cardMetrics {
		if n, ok := run.Primary[m.metric]; ok {
			text := fmt.Sprintf("%s %.4g", m.heading, n.Value)
			if n.Interval != nil {
				text += fmt.Sprintf(" ±%.2g", (n.Interval.High-n.Interval.Low)/2)
			}
			metrics = append(metrics, text)
		}
	}
	var when string
	if s := run.Stored; !s.Start.IsZero() {
		when = s.Start.Local().Format("2006-01-02 15:04")
		if !s.End.IsZero() {
			when += ", took " + s.End.Sub(s.Start).Round(100*time.Millisecond).String()
		}
	}
	model, training := run.Model, ""
	if c := run.Config; c != nil {
		model = modelTitle(c)
		training = fmt.Sprintf("%d epochs of %d steps, learning rate %g, seed %d", c.Train.Epochs, c.Train.Steps,
			c.Train.LearningRate, c.Seed)
		switch t := c.Inductive; {
		case run.IsTuned():
			training = fmt.Sprintf("at most %d epochs of %d steps, learning rate %g, seed %d", t.Epochs, t.Steps,
				t.LearningRate, c.Seed)
		case !run.HasEpochs():
			training = fmt.Sprintf("none, seed %d", c.Seed)
		}
	}
	list := [][2]string{{"model", model}, {"graph", run.Graph}, {"training", training},
		{"metrics", strings.Join(metrics, " · ")}, {"started", when},
		{"digest", run.Checkpoint[:min(16, len(run.Checkpoint))]}}
	if r.embedded != nil {
		list = append(list, [2]string{"from", r.embedded.File + ", without the trained model"})
	}
	return slices.DeleteFunc(list, func(f [2]string) bool { return f[1] == "" })
}

// HTML shows the run as a card in a notebook.
func (r *Run) HTML() string {
	var m markup
	m.open("div", cardBox)
	m.open("div", "margin-bottom:.3em")
	m.element("span", "font-weight:600", r.run.Stored.Name)
	m.element("span", faint, "  run "+r.run.ShortID()+"  ")
	colour := grey
	switch tracker.Status(r.run.Stored.Status) {
	case tracker.Finished:
		colour = green
	case tracker.Failed, tracker.Killed:
		colour = red
	case tracker.Running:
		colour = blue
	}
	m.badge(strings.ToLower(r.run.State), colour)
	m.raw("</div>")
	m.open("table", tableStyle)
	for _, f := range r.facts() {
		m.open("tr", "background:none")
		m.element("td", cellStyle(false)+";"+faint, f[0])
		m.element("td", cellStyle(false), f[1])
		m.raw("</tr>")
	}
	m.raw("</table></div>")
	return m.String()
}

// String returns the card as text.
func (r *Run) String() string {
	lines := []string{fmt.Sprintf("run %s, %s", r.label(), strings.ToLower(r.run.State))}
	for _, f := range r.facts() {
		lines = append(lines, fmt.Sprintf("  %-9s %s", f[0], f[1]))
	}
	return strings.Join(lines, "\n")
}
