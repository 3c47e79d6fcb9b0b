package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
)

// Run is a logged run. What was logged is there at once; graph and model are loaded when they are first needed.
type Run struct {
	session *Session
	info    tracker.RunInfo
}

// ID is the run's id.
func (r *Run) ID() string { return r.logged().ID }

// Name is the run's name.
func (r *Run) Name() string { return r.logged().Name }

// Status is RUNNING, FINISHED, FAILED or KILLED, as of when the run was looked up.
func (r *Run) Status() string { return r.logged().Status }

// Digest is that of the trained model: runs with the same digest have the same bits. It is empty before the end of a
// training.
func (r *Run) Digest() string { return r.logged().Tags["checkpoint_digest"] }

// Param is the value of a config key as it was logged, "" if it was not: run.Param("train.epochs").
func (r *Run) Param(key string) string { return r.logged().Params[key] }

// Metric is the newest value of a logged metric, for example run.Metric("test/head_f1").
func (r *Run) Metric(key string) float64 {
	value, ok := r.logged().Metrics[key]
	if !ok {
		names := slices.Sorted(maps.Keys(r.info.Metrics))
		panic(fail(Failed, "run %s has logged no metric %q%s", r.label(), key, didYouMean(key, names)))
	}
	return value
}

// Metrics are the newest values of all logged metrics.
func (r *Run) Metrics() map[string]float64 { return maps.Clone(r.logged().Metrics) }

// Info is everything that is stored of the run.
func (r *Run) Info() tracker.RunInfo { return r.logged() }

// logged is what is stored of the run. Exported methods start with it, or with context.
func (r *Run) logged() tracker.RunInfo {
	given(r != nil, "run", "lab.Run(\"last\") takes a logged one")
	return r.info
}

// context is that of the running cell.
func (r *Run) context() context.Context {
	r.logged()
	return r.session.context()
}

// label names the run in messages.
func (r *Run) label() string { return fmt.Sprintf("%s (%s)", short(r.info.ID), r.info.Name) }

// trained loads the run's graph and model.
func (r *Run) trained(ctx context.Context) *experiments.TrainedRun {
	if r.info.Status != string(tracker.Finished) {
		info := r.session.find(ctx, r.info.ID) // it may have ended since it was looked up
		if info.Status != string(tracker.Finished) {
			hint := fmt.Sprintf("lab.Resume(%q) finishes it", short(info.ID))
			if info.Status == string(tracker.Running) {
				hint = "wait for its end, then take it with lab.Run"
			}
			panic(fail(RunNotFinished, "run %s has no trained model: its status is %s; %s", r.label(), info.Status, hint))
		}
	}
	return r.session.open(ctx, r.info.ID)
}

// Graph is the graph that the run was trained on.
func (r *Run) Graph() *Graph { return newGraph(r.trained(r.context()).Graph) }

// Model is the model description that the run was trained with: its whole config. It can be changed and trained again:
//
//	lab.Train(run.Graph(), run.Model().Seed(2))
func (r *Run) Model() *Model {
	dir, err := r.logged().ArtifactDir()
	check(err)
	c, err := experiments.LoadConfig(experiments.Layers{Config: filepath.Join(dir, "config.yaml")})
	check(err)
	return newModel("of run "+r.label(), c)
}

// Evaluate evaluates the trained model again, with the settings of its own final evaluation. Nothing is logged.
func (r *Run) Evaluate() *Report {
	ctx := r.context()
	run := r.trained(ctx)
	if len(run.Graph.Test) == 0 {
		panic(noTest(run.Graph))
	}
	report, err := run.Evaluate(ctx, experiments.EvalOptions{Threads: r.session.o.Threads}, nil)
	check(err)
	return &Report{report}
}

func noTest(g *kg.Graph) *Error {
	return fail(BadGraph, "graph %s has no test facts, so nothing can be measured; a fourth column in its file with train, valid or test makes some", g.Name)
}

// report is the logged final evaluation, or else a new one.
func (r *Run) report() *eval.Report {
	dir, err := r.logged().ArtifactDir()
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

// Ask asks the trained model for a set: the tails of head and relation, or with "?" in front the heads of relation and
// tail.
//
//	run.Ask("Max Born", "advised", "?")
//	run.Ask("?", "advised", "Max Born")
func (r *Run) Ask(head, relation, tail string) *Set {
	ctx := r.context()
	run := r.trained(ctx)
	if (head == retrieve.Unknown) == (tail == retrieve.Unknown) {
		panic(fail(BadQuestion, "a question needs exactly one \"?\", as head or as tail: run.Ask(%q, %q, \"?\"); got %q, %q, %q", "Max Born", "advised", head, relation, tail))
	}
	q, err := retrieve.ParseQuery(run.Graph, head, relation, tail)
	check(nameError(run.Graph, err))
	return newAsker(r, run).ask(q)
}

// nameError is an error of a name without what package retrieve says before it.
func nameError(g *kg.Graph, err error) error {
	var missing *kg.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	text := missing.Error()
	if missing.Kind == "relation" {
		text += "; run.Graph().Relations() lists all"
	} else if len(missing.Nearest) == 0 {
		text += "; run.Graph().Find(\"...\") looks for names"
	}
	return &Error{Name: nameOf(err), Message: text, Err: err}
}

// Explain says why the trained model takes a fact for true or not: the distance, the radii, how much is left to the cut,
// and the nearest known facts.
//
//	run.Explain("Max Born", "advised", "Pascual Jordan")
func (r *Run) Explain(head, relation, tail string) *Explanation {
	ctx := r.context()
	run := r.trained(ctx)
	t, err := retrieve.ParseTriple(run.Graph, head, relation, tail)
	check(nameError(run.Graph, err))
	retriever, err := retrieve.New(run.Model, run.Graph, retrieve.Options{Criterion: run.Criterion()})
	check(err)
	x, err := retriever.Explain(ctx, t)
	check(err)
	return &Explanation{x}
}

// cardMetrics stand on a run's card.
var cardMetrics = [...][2]string{{"loss", "loss"}, {"test/head_f1", "head F1"}, {"test/tail_f1", "tail F1"}, {"test/nn_f1", "n-n F1"}, {"test/mrr", "MRR"}}

// facts are what a card says of a run, by heading.
func (r *Run) facts() [][2]string {
	p := r.info.Params
	var metrics []string
	for _, m := range cardMetrics {
		if value, ok := r.info.Metrics[m[0]]; ok {
			text := fmt.Sprintf("%s %.4g", m[1], value)
			low, haveLow := r.info.Metrics[m[0]+"_lo"]
			high, haveHigh := r.info.Metrics[m[0]+"_hi"]
			if haveLow && haveHigh {
				text += fmt.Sprintf(" ±%.2g", (high-low)/2)
			}
			metrics = append(metrics, text)
		}
	}
	var when string
	if !r.info.Start.IsZero() {
		when = r.info.Start.Local().Format("2006-01-02 15:04")
		if !r.info.End.IsZero() {
			when += ", took " + r.info.End.Sub(r.info.Start).Round(100*time.Millisecond).String()
		}
	}
	list := [][2]string{
		{"model", fmt.Sprintf("%s, variant %s, dimension %s", experiments.ModelTitle(p["model"]), p["variant"], p["dimension"])},
		{"graph", p["graph"]},
		{"training", fmt.Sprintf("%s epochs of %s steps, learning rate %s, seed %s", p["train.epochs"], p["train.steps"], p["train.learning_rate"], p["seed"])},
		{"metrics", strings.Join(metrics, " · ")},
		{"started", when},
		{"digest", r.Digest()[:min(16, len(r.Digest()))]},
	}
	return slices.DeleteFunc(list, func(f [2]string) bool { return f[1] == "" })
}

// HTML shows the run as a card in a notebook.
func (r *Run) HTML() string {
	var m markup
	m.open("div", cardBox)
	m.open("div", "margin-bottom:.3em")
	m.element("span", "font-weight:600", r.info.Name)
	m.element("span", faint, "  run "+short(r.info.ID)+"  ")
	colour := grey
	switch tracker.Status(r.info.Status) {
	case tracker.Finished:
		colour = green
	case tracker.Failed, tracker.Killed:
		colour = red
	case tracker.Running:
		colour = blue
	}
	m.badge(strings.ToLower(r.info.Status), colour)
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

// String is the card as text.
func (r *Run) String() string {
	lines := []string{fmt.Sprintf("run %s, %s", r.label(), strings.ToLower(r.info.Status))}
	for _, f := range r.facts() {
		lines = append(lines, fmt.Sprintf("  %-9s %s", f[0], f[1]))
	}
	return strings.Join(lines, "\n")
}
