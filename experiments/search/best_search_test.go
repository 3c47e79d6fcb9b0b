package search

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestPlansSearches: the plan searches settings that the user did not set, if the graph is large enough and time is
// left in the budget.
func TestPlansSearches(t *testing.T) {
	t.Parallel()
	small, large := runtest.CircleGraph(t, 300), runtest.CircleGraph(t, 3000)
	const both = sphere.SpherE2D + " 24, " + sphere.ComplEx + " 24"
	for name, c := range map[string]struct {
		graph  string
		budget time.Duration
		set    []string
		want   string
	}{
		"all":                  {large, 10 * time.Hour, nil, both},
		"few facts":            {small, 10 * time.Hour, nil, ""},
		"no time":              {large, time.Second, nil, ""},
		"a key of one space":   {large, 10 * time.Hour, []string{"gamma=6"}, sphere.ComplEx + " 24"},
		"a key of both spaces": {large, 10 * time.Hour, []string{"dimension=32"}, ""},
		"a key of trials":      {large, 10 * time.Hour, []string{"train.epochs=500"}, ""},
		"another key":          {large, 10 * time.Hour, []string{"seed=7"}, both},
	} {
		b, err := PlanBest(config.Layers{Set: c.set}, c.graph, nil, c.budget, false)
		expect.NoError(t, err)
		var got []string
		for _, m := range b.Members {
			if m.Search != nil {
				got = append(got, m.Config().Model+" "+strings.Fields(m.Search.Plan())[2])
			}
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %q are searched, want %q", name, got, c.want)
		}
	}

	whole, err := PlanBest(config.Layers{}, large, nil, 10*time.Hour, false)
	expect.NoError(t, err)
	none, err := PlanBest(config.Layers{Set: []string{"dimension=64"}}, large, nil, 10*time.Hour, false)
	expect.NoError(t, err)
	budget := time.Duration(0)
	for i, m := range whole.Members {
		budget += none.Members[i].Cost
		if m.Cost < none.Members[i].Cost || m.Search != nil && m.Cost < 2*none.Members[i].Cost {
			t.Errorf("%s costs %v, without a search %v", m.Name, m.Cost, none.Members[i].Cost)
		}
	}
	one := time.Duration(0) // one of both searches fits
	for i := range whole.Members {
		if m := &whole.Members[i]; m.Search != nil {
			s, err := m.search(whole.Graph, 12)
			expect.NoError(t, err)
			one = max(one, m.costOf(s, whole.Graph, false))
		}
	}
	cut, err := PlanBest(config.Layers{}, large, nil, budget+one, false)
	expect.NoError(t, err)
	if plan := strings.Join(cut.Plan(), "\n"); strings.Count(plan, "by MRR") != 1 {
		t.Errorf("with less time: %s", plan)
	}
}

// TestSearchOfBestIsAFile: what is kept of a search is a file that makes the same search.
func TestSearchOfBestIsAFile(t *testing.T) {
	t.Parallel()
	b, err := PlanBest(config.Layers{Set: []string{"seed=7", "name=mine", "threads=1"}}, runtest.CircleGraph(t, 3000), nil,
		10*time.Hour, false)
	expect.NoError(t, err)
	for _, m := range b.Members {
		if m.Search == nil {
			continue
		}
		file := filepath.Join(t.TempDir(), m.Search.Name)
		expect.NoError(t, os.WriteFile(file, m.Search.content, 0o600))
		read, err := Load(file, config.Layers{})
		expect.NoError(t, err)
		if got, want := read.Search, m.Search; got.Plan() != want.Plan() || !reflect.DeepEqual(got.Space, want.Space) ||
			got.base.Config().IdentityHash() != want.base.Config().IdentityHash() {
			t.Errorf("%s is read as %s, %+v", want.content, got.Plan(), got.Space)
		}
	}
}

// TestBestEndsAtAFault: an error that settings did not cause does not leave a model out. A plan of any size has a
// positive cost.
func TestBestEndsAtAFault(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{errNoTrial: true, &config.Error{Key: "gamma"}: true, errDiverged: true,
		os.ErrNotExist: false, errors.New("connection refused"): false} {
		if cannotTrain(fmt.Errorf("trial 3: %w", err)) != want {
			t.Errorf("%v: left out is %v", err, !want)
		}
	}
	b, err := PlanBest(config.Layers{Set: []string{"train.epochs=1000000000", "dimension=65536"}},
		runtest.CircleGraph(t, 3000), nil, time.Hour, true)
	expect.NoError(t, err)
	if len(b.Left) != 2 || b.Left[0].Cost < time.Hour {
		t.Errorf("left out: %+v", b.Left)
	}
}

// TestBestWithSearch: the member with the best settings is in the stack and is trained again with them. The same
// command trains nothing twice, and no trial answers for the graph.
func TestBestWithSearch(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	r := &experiments.Runner{Tracker: tr}
	graph := runtest.CircleGraph(t, 60)
	run := func() (*Best, []*experiments.Result, string) {
		b, err := PlanBest(quick, graph, nil, time.Hour, true)
		expect.NoError(t, err)
		b.Members = b.Members[2:4] // inductive, sphere-2d
		m := &b.Members[1]
		m.Search, err = searchOn("settings.yaml", &searchFile{Config: "auto/" + sphere.SpherE2D, Trials: 3, Method: "grid",
			Space: map[string]searchDimension{"dimension": oneOf(4, 12)}}, m.Checked)
		expect.NoError(t, err)
		var said []string
		made, err := b.Run(ctx, r, Options{Say: func(line string) { said = append(said, line) }})
		expect.NoError(t, err)
		return b, made, strings.Join(said, "\n")
	}
	b, made, said := run()
	report, err := b.Members[1].Search.Status(ctx, r)
	expect.NoError(t, err)
	winner := made[1].RunID
	if len(report.Trials) != 3 || report.Winner[0] != winner ||
		!strings.Contains(said, "2 of 6: SpherE-2D: trial 3 of 3: dimension=12") {
		t.Errorf("winner %v of %d, member %s, said %q", report.Winner, len(report.Trials), winner, said)
	}
	found, err := answer.Candidates(ctx, tr, b.Graph)
	expect.NoError(t, err)
	if len(found) != 3 {
		t.Errorf("%d runs can answer, want those of the two members and the stack", len(found))
	}
	_, _, again := run()
	if strings.Contains(again, "training") || !strings.Contains(again, "the best config, seed 42: done already") {
		t.Errorf("the second time: %s", again)
	}
	_, err = b.Again(ctx, r, made, Options{})
	expect.NoError(t, err)
	best, err := tr.FindRun(ctx, winner)
	expect.NoError(t, err)
	for _, trial := range report.Trials {
		run, err := tr.FindRun(ctx, trial.Runs[0])
		want := fmt.Sprintf("%s-trial-%d", best.Name, trial.Number)
		if err != nil || run.Name != want || !answer.IsTrial(run) {
			t.Errorf("trial %d is named %s, want %s (%v)", trial.Number, run.Name, want, err)
		}
	}
	best.Tags[answer.TagTrial] = "mine"
	if answer.IsTrial(best) {
		t.Error("a tag of the user makes a trial")
	}
	refits, err := tr.Runs(ctx, tracker.Filter{Tags: map[string]string{answer.TagRefitOf: winner}})
	expect.NoError(t, err)
	if len(refits) != 1 || refits[0].Params["dimension"] != best.Params["dimension"] || best.Params["dimension"] == "8" {
		t.Errorf("%d refits of dimension %s: %v", len(refits), best.Params["dimension"], refits)
	}
}
