package results

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestCompareSampled: two runs of which one answers a sample are compared on that sample, in either order.
func TestCompareSampled(t *testing.T) {
	ctx, tr := context.Background(), trackertest.Open(t)
	graph := runtest.CircleGraph(t, 120)
	var runs []*answer.Run
	for i, sample := range []int{0, 7, 4} {
		info := trainSmall(t, tr, func(c *config.Config) { c.Data, c.Dimension, c.Eval.Sample = graph, 4+4*i, sample })
		run, err := answer.Open(ctx, tr, info.ID, nil)
		expect.NoError(t, err)
		runs = append(runs, run)
	}
	for _, c := range []struct{ a, b, sample int }{{0, 1, 7}, {1, 0, 7}, {2, 1, 4}, {1, 2, 4}} {
		got, err := ComparePaired(ctx, runs[c.a], runs[c.b], "", "", answer.EvalOptions{}, nil)
		expect.NoError(t, err)
		for i, of := range []int{c.a, c.b} {
			report, err := eval.Run(ctx, runs[of].Model, runs[of].Graph, eval.Settings{Sample: c.sample})
			expect.NoError(t, err)
			if report.HeadQueries != c.sample {
				t.Fatalf("%d head queries, want %d", report.HeadQueries, c.sample)
			}
			if d := got.Differences[0]; [...]float64{d.A, d.B}[i] != report.Metrics()[d.Key] {
				t.Errorf("%+v: %+v, want %v", c, d, report.Metrics()[d.Key])
			}
		}
	}
}

// TestComparePaired: the compared values are the logged ones, a run against itself differs nowhere, and two cuts of one
// run are compared with each other.
func TestComparePaired(t *testing.T) {
	ctx, tr := context.Background(), trackertest.Open(t)
	var runs []*answer.Run
	for _, model := range []string{"rotate", "sphere-2d"} {
		info := trainSmall(t, tr, func(c *config.Config) { c.Model, c.Eval.Fit = model, true })
		run, err := answer.Open(ctx, tr, info.ID, nil)
		expect.NoError(t, err)
		runs = append(runs, run)
	}
	for _, c := range []struct {
		a, b       int
		cutA, cutB string // as asked
		keyA, keyB string // of head F1 in the log
	}{{0, 1, "", "", "test/head_f1", "test/head_f1"}, {1, 0, "fitted-f1", "margin", "test/fitted-f1/head_f1",
		"test/head_f1"},
		{1, 1, "fitted-side-f1", "top-1", "test/fitted-side-f1/head_f1", "test/top-1/head_f1"}, {0, 0, "", "",
			"test/head_f1", "test/head_f1"}} {
		got, err := ComparePaired(ctx, runs[c.a], runs[c.b], c.cutA, c.cutB, answer.EvalOptions{Threads: 1}, nil)
		expect.NoError(t, err)
		d := got.Differences[0]
		wantA, wantB := runs[c.a].Info.Metrics[c.keyA], runs[c.b].Info.Metrics[c.keyB]
		if d.Key != "head_f1" || d.A != wantA || d.B != wantB || math.Abs(d.Difference-(wantA-wantB)) > 1e-12 ||
			got.Resamples != 50 {
			t.Errorf("%+v: %+v, want %v and %v", c, d, wantA, wantB)
		}
		if c.a == c.b && c.cutA == c.cutB && (d.Interval.Low != 0 || d.Interval.High != 0 || d.Clear()) {
			t.Errorf("a run differs from itself: %+v", d)
		}
		if text := gridText(t, ComparisonGrid(runs[c.a], runs[c.b], got, "text"), "text"); !strings.Contains(text,
			"head f1") || !strings.Contains(text, "50 resamples") {
			t.Errorf("text:\n%s", text)
		}
		var object struct {
			RunID      string `json:"run_id"`
			Comparison struct{ Differences []struct{ Key string } }
		}
		if err := json.Unmarshal([]byte(gridText(t, ComparisonGrid(runs[c.a], runs[c.b], got, "json"), "json")),
			&object); err != nil || object.RunID != runs[c.a].Info.ID || len(object.Comparison.Differences) < 4 {
			t.Errorf("json: %+v, %v", object, err)
		}
	}
	for _, run := range runs {
		for _, o := range []answer.EvalOptions{{}, {Fit: true}, {Valid: true, TopL: []int{2}}, {Criterion: "margin"}} {
			report, err := run.Evaluate(ctx, o, nil)
			expect.NoError(t, err)
			names := run.CutNames(o)
			for _, c := range report.Cuts {
				if !slices.Contains(names, c.Name) {
					t.Errorf("%+v: cut %s is not in %q", o, c.Name, names)
				}
			}
			for _, name := range names {
				if !slices.ContainsFunc(report.Cuts, func(c eval.Result) bool { return c.Name == name }) {
					t.Errorf("%+v: the report has no cut %s", o, name)
				}
			}
		}
	}
	c, err := ComparePaired(ctx, runs[0], runs[0], "lookup", "lookup-train", answer.EvalOptions{}, nil)
	if err != nil || c.CutB != "lookup-train" {
		t.Errorf("lookup without and with the validation triples: %v", err)
	}
	if c, err := ComparePaired(ctx, runs[0], runs[0], "top-2", "top-3", answer.EvalOptions{}, nil); err != nil ||
		c.CutA != "top-2" {
		t.Errorf("sizes that the config does not have: %v", err)
	}
	evaluated := &counting{}
	for _, cuts := range [][2]string{{"nonsense", ""}, {"", "sphere-x"}, {"", "fitted-f2"}, {"sphere", ""}} {
		_, err := ComparePaired(ctx, runs[0], runs[1], cuts[0], cuts[1], answer.EvalOptions{}, evaluated)
		if err == nil || !strings.Contains(err.Error(), "has no cut") || evaluated.events > 0 {
			t.Errorf("cuts %q: %v after %d events", cuts, err, evaluated.events)
		}
	}
	for want, try := range map[string]func() error{
		`no cut "nonsense"`: func() error {
			_, err := ComparePaired(ctx, runs[0], runs[1], "nonsense", "", answer.EvalOptions{}, nil)
			return err
		},
		"only the test triples can judge it": func() error {
			_, err := ComparePaired(ctx, runs[0], runs[1], "fitted-f1", "", answer.EvalOptions{Valid: true}, nil)
			return err
		},
		"needs resamples": func() error {
			_, err := ComparePaired(ctx, runs[0], runs[1], "", "", answer.EvalOptions{SetResamples: true}, nil)
			return err
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
}

// counting counts the events of evaluations.
type counting struct{ events int }

func (c *counting) Event(progress.Event) { c.events++ }
