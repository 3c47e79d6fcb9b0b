package experiments

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/rule"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// writeFacts writes a graph's file.
func writeFacts(t *testing.T, name string, facts []string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	expect.NoError(t, os.WriteFile(file, []byte(strings.Join(facts, "\n")+"\n"), 0o644))
	return file
}

// TestAutoDividesWithoutLeaks: a file that leaks is divided without twins, the run says so and logs it, and a config
// that names split.leakless gets what it names, with a warning.
func TestAutoDividesWithoutLeaks(t *testing.T) {
	t.Parallel()
	var facts []string
	for i := range 40 {
		facts = append(facts, fmt.Sprintf("e%d,beside,e%d", i, (i+1)%40), fmt.Sprintf("e%d,beside,e%d", (i+1)%40, i))
	}
	file := writeFacts(t, "beside.csv", facts)
	ctx, tr := t.Context(), trackertest.Open(t)
	for _, test := range []struct {
		set, logged, said string
		leaks             bool
	}{
		{"name=auto", "true", "triples of valid and test (", false},
		{"split.leakless=true", "true", "are in one split", false},
		{"split.leakless=false", "false", "split.leakless=true keeps twins in one split", true},
	} {
		configs, err := config.LoadForGraph(config.Layers{Set: []string{"train.epochs=2", "dimension=8", "eval.bootstrap=0",
			"gamma=4", "threads=1", test.set}}, file, "sphere-2d")
		expect.NoError(t, err)
		said, reported := "", ""
		results, err := (&Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
			said, reported = said+e.Message+"\n", reported+e.Config
		})}).TrainAll(ctx, configs)
		expect.NoError(t, err)
		info, err := tr.FindRun(ctx, results[0].RunID)
		expect.NoError(t, err)
		if info.Params["split.leakless"] != test.logged || strings.Contains(reported, "leakless: true") == test.leaks ||
			(results[0].Graph.Leaks > 0) != test.leaks || !strings.Contains(said, test.said) {
			t.Errorf("%s: logged %q, %d leaks, said\n%s%s", test.set, info.Params["split.leakless"],
				results[0].Graph.Leaks, said, reported)
		}
		if offers := strings.Contains(said, "split.leakless=false divides with them"); offers != (test.set == "name=auto") {
			t.Errorf("%s: said\n%s", test.set, said)
		}
		opened, err := answer.Open(ctx, tr, info.ID, nil)
		if err != nil || opened.Graph.Digest() != results[0].Graph.Digest() {
			t.Errorf("%s: the run is opened with another division: %v", test.set, err)
		}
		info.Metrics["loss"] = .1 // two epochs are too few for a loss without a warning
		want := "these numbers are of 8 test facts"
		if list := answer.Warnings(info); len(list) != 1 || !strings.Contains(list[0], want) ||
			!strings.Contains(said, want) {
			t.Errorf("%s: warnings %q, said\n%s", test.set, list, said)
		}
		info.Tags[answer.TagTests] = "30"
		if list := answer.Warnings(info); list != nil {
			t.Errorf("%s: warnings %q of 30 test facts", test.set, list)
		}
	}
}

// TestRunKeepsItsDivision: a run of before valid and test shared what can be held out is opened with its own division,
// also from its copy of the file.
func TestRunKeepsItsDivision(t *testing.T) {
	t.Parallel()
	var facts []string
	for i := range 90 {
		facts = append(facts, fmt.Sprintf("e%d,near,hub%d", i, i%4))
	}
	for i := range 4 {
		facts = append(facts, fmt.Sprintf("hub%d,near,hub%d", i, (i+1)%4))
	}
	file := writeFacts(t, "sparse.csv", facts)
	ctx, tr := t.Context(), trackertest.Open(t)
	cfg := runtest.SmallConfig(file)
	cfg.Eval.Every = 0
	d := cfg.Division()
	d.TestFirst = true
	before, err := config.OpenDivided(file, nil, d)
	expect.NoError(t, err)
	now, err := cfg.Graph(nil)
	expect.NoError(t, err)
	if len(before.Valid) != 0 || len(before.Test) != 4 || len(now.Valid) != 2 || len(now.Test) != 2 {
		t.Fatalf("before %s, now %s", before.Division, now.Division)
	}
	r := &Runner{Tracker: tr}
	for _, g := range []string{before.Digest(), now.Digest()} {
		graph := before
		if g == now.Digest() {
			graph = now
		}
		result, err := r.TrainOn(ctx, runtest.Checked(t, cfg), graph)
		expect.NoError(t, err)
		opened, err := answer.Open(ctx, tr, result.RunID, nil)
		if err != nil || opened.Graph.Digest() != g {
			t.Errorf("the run is opened with another division: %v", err)
		}
		if g == now.Digest() {
			continue
		}
		expect.NoError(t, os.WriteFile(file, []byte("a,r,b\n"), 0o644))
		opened, err = answer.Open(ctx, tr, result.RunID, nil)
		if err != nil || opened.Graph.Digest() != g {
			t.Errorf("the run's copy is opened with another division: %v", err)
		}
		expect.NoError(t, os.WriteFile(file, []byte(strings.Join(facts, "\n")+"\n"), 0o644))
	}
}

// TestWholeSplit: with split.whole a run is trained on all facts of its graph. A counted model is fitted as without it,
// and reads all facts.
func TestWholeSplit(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	folder := runtest.CircleGraph(t, 40)
	for _, model := range []string{"neighbours", "rules", "rotate"} {
		for _, data := range []string{folder, "bundled", "pattern-symmetry"} {
			l := config.Layers{Set: []string{"train.epochs=1", "train.steps=20", "dimension=8", "split.whole=true",
				"eval.final=false", "eval.every=0", "early_stop.metric="}}
			configs, err := config.LoadForGraph(l, data, model)
			expect.NoError(t, err)
			results, err := (&Runner{Tracker: tr}).TrainAll(ctx, configs)
			expect.NoError(t, err)
			run, err := answer.Open(ctx, tr, results[0].RunID, nil)
			expect.NoError(t, err)
			c := configs[0].Config()
			c.Split.Whole = false
			g, err := c.Graph(nil)
			expect.NoError(t, err)
			if n := len(g.Train) + len(g.Valid) + len(g.Test); len(run.Graph.Train) != n || len(run.Graph.Test) != 0 ||
				results[0].Report != nil || len(g.Test) == 0 {
				t.Errorf("%s on %s: %s, report %v", model, data, run.Graph.Division, results[0].Report)
			}
			if model == "rotate" {
				continue
			}
			fitted, err := rule.Fit(ctx, model, g, rule.Settings{Steps: 20, Seed: c.Seed})
			expect.NoError(t, err)
			want, err := fitted.On(g.Whole())
			expect.NoError(t, err)
			if run.Model.Digest() != want.Digest() {
				t.Errorf("%s on %s is not what was fitted without split.whole", model, data)
			}
		}
	}
}
