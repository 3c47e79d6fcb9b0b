package experiments

import (
	"context"
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
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// ring is a graph of n entities and three relations that count around a circle.
func ring(t *testing.T, n, train int) *kg.Graph {
	t.Helper()
	var splits [3][][3]string
	for i := range 3 * n {
		split := kg.Train
		if i >= train {
			split = kg.Valid + kg.Split(i%2)
		}
		fact := [3]string{fmt.Sprint("e", i%n), fmt.Sprint("plus", i/n), fmt.Sprint("e", (i+1+i/n)%n)}
		splits[split] = append(splits[split], fact)
	}
	g, err := kg.New("ring", splits[0], splits[1], splits[2])
	expect.NoError(t, err)
	return g
}

// settle sets every auto, and keeps nothing of the search for gamma.
func settle(ctx context.Context, c *config.Config, g *kg.Graph) (*config.Config, error) {
	checked, err := c.Check()
	if err != nil {
		return nil, err
	}
	settled, err := checked.Settle(g, func(c *config.Config) (float64, error) { return searchGamma(ctx, c, g, "", nil) })
	if err != nil {
		return nil, err
	}
	return settled.Config(), nil
}

func TestSettleFollowsTheGraph(t *testing.T) {
	t.Parallel()
	auto := func(set ...string) *config.Config {
		c, err := runtest.Load(config.Layers{Config: "auto/rotate", Set: set})
		expect.NoError(t, err)
		return c
	}
	for _, test := range []struct {
		name string
		cfg  *config.Config
		g    *kg.Graph
		want string
	}{
		{"small", auto("gamma=4"), ring(t, 30, 80), "batch 16, 29 negatives, every 10 valid/mrr, final true, fit true false"},
		{"ten to validate", auto("gamma=4"), ring(t, 30, 70),
			"batch 16, 29 negatives, every 10 valid/mrr, final true, fit true true"},
		{"larger", auto("gamma=4"), ring(t, 200, 530),
			"batch 128, 32 negatives, every 10 valid/mrr, final true, fit true true"},
		{"all training", auto(), ring(t, 30, 90), "batch 16, 29 negatives, every 0 , final false, fit false false"},
		{"set by hand", auto("gamma=4", "train.batch=7", "eval.every=0", "eval.fit=false", "eval.calibrate=false"), ring(t, 30, 80),
			"batch 7, 29 negatives, every 0 , final true, fit false false"},
	} {
		c, err := settle(context.Background(), test.cfg, test.g)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := fmt.Sprintf("batch %d, %d negatives, every %d %s, final %v, fit %v %v", c.Train.Batch, c.Train.Negatives,
			c.Eval.Every, c.EarlyStop.Metric, c.Eval.Final, c.Eval.Fit, c.Eval.Calibrate)
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if _, err := c.Check(); err != nil {
			t.Errorf("%s: what Settle returns is refused: %v", test.name, err)
		}
		if len(c.Auto()) > 0 || len(test.cfg.Auto()) == 0 {
			t.Errorf("%s: auto is %v after and %v before", test.name, c.Auto(), test.cfg.Auto())
		}
	}
}

// TestSettledConfigRepeats checks that the search finds the same gamma again, whatever the threads, that auto is not in
// the identity of the run, and that the short YAML reads back.
func TestSettledConfigRepeats(t *testing.T) {
	t.Parallel()
	g := ring(t, 60, 140)
	var first *config.Config
	for _, threads := range []string{"1", "3"} {
		c, err := runtest.Load(config.Layers{Config: "auto/sphere-2d",
			Set: []string{"threads=" + threads, "dimension=8", "tags=a=b"}})
		expect.NoError(t, err)
		before := c.IdentityHash()
		settled, err := settle(context.Background(), c, g)
		expect.NoError(t, err)
		if c.IdentityHash() != before || c.Flatten()["gamma"] != "auto" {
			t.Error("Settle changes the config that it is given")
		}
		if first == nil {
			first = settled
		}
		if settled.IdentityHash() != first.IdentityHash() || settled.IdentityHash() == before {
			t.Errorf("%s threads: gamma %v, was %v", threads, settled.Gamma, first.Gamma)
		}
		file := filepath.Join(t.TempDir(), "c.yaml")
		expect.NoError(t, os.WriteFile(file, settled.SparseYAML(), 0o644))
		back, err := runtest.Load(config.Layers{Config: file})
		expect.NoError(t, err)
		if back.IdentityHash() != settled.IdentityHash() || back.Tags["a"] != "b" ||
			fmt.Sprint(back.Threads) != threads {
			t.Errorf("read back as\n%s", back.YAML())
		}
	}
}

// TestSearchGammaTakesTheBest compares the choice with trainings that the test makes itself.
func TestSearchGammaTakesTheBest(t *testing.T) {
	t.Parallel()
	ctx, g := context.Background(), ring(t, 60, 140)
	c, err := runtest.Load(config.Layers{Config: "auto/rotate", Set: []string{"dimension=8", "train.batch=16"}})
	expect.NoError(t, err)
	settled, err := settle(ctx, c, g)
	expect.NoError(t, err)
	best, bestMRR, worst := 0.0, -1.0, 2.0
	for _, gamma := range []float64{6, 3, 4, 9, 12} {
		settings, training := settled.Settings(), settled.Training()
		settings.Gamma, training.Epochs, training.Steps = gamma, 10, 50
		m, err := sphere.New(settings, g, settled.Seed)
		expect.NoError(t, err)
		trainer, err := sphere.NewTrainer(m, g, training)
		expect.NoError(t, err)
		for range 10 {
			if _, err := trainer.Epoch(ctx); err != nil {
				t.Fatal(err)
			}
		}
		e, err := eval.New(g, eval.Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}})
		expect.NoError(t, err)
		report, err := e.Run(ctx, trainer.Model())
		expect.NoError(t, err)
		trainer.Close()
		mrr := report.LoggedMetrics()["valid/mrr"]
		if worst = min(worst, mrr); mrr > bestMRR {
			best, bestMRR = gamma, mrr
		}
	}
	if settled.Gamma != best || worst == bestMRR {
		t.Errorf("gamma %v, want %v (MRR %v, the worst has %v)", settled.Gamma, best, bestMRR, worst)
	}
}

// TestAutoRunLogsWhatItSettled trains a file of triples and then the config that the run reports, to the same numbers.
func TestAutoRunLogsWhatItSettled(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "e%02d,next,e%02d\ne%02d,after,e%02d\n", i, (i+1)%40, i, (i+2)%40)
	}
	file := filepath.Join(t.TempDir(), "circle.csv")
	expect.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	set := []string{"train.epochs=3", "dimension=8", "eval.bootstrap=0", "split.seed=5", "split.valid=0.2"}
	configs, err := config.LoadForGraph(config.Layers{Set: set}, file, "sphere-2d")
	expect.NoError(t, err)
	tr := trackertest.Open(t)
	reported, message := "", ""
	r := &Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
		reported += e.Config
		if e.Event == progress.Settled {
			message = e.Message
		}
	})}
	results, err := r.TrainAll(ctx, configs)
	expect.NoError(t, err)
	info, err := tr.FindRun(ctx, results[0].RunID)
	expect.NoError(t, err)
	if p := info.Params; p["train.batch"] != "16" || p["eval.fit"] != "true" || p["eval.calibrate"] != "true" || p["gamma"] == "auto" {
		t.Errorf("logged params %v", p)
	}
	// The found gamma is said, also where it is the default and so not in the config.
	if want := "; gamma " + info.Params["gamma"] + " has the best validation MRR"; !strings.HasSuffix(message, want) {
		t.Errorf("the message %q, want %q at its end", message, want)
	}
	if results[0].Report == nil {
		t.Fatal("nothing is evaluated")
	}
	stored := filepath.Join(t.TempDir(), "reported.yaml")
	expect.NoError(t, os.WriteFile(stored, []byte(reported), 0o644))
	again, err := runtest.Load(config.Layers{Config: stored})
	if err != nil {
		t.Fatalf("%v in\n%s", err, reported)
	}
	repeated, err := r.Train(ctx, runtest.Checked(t, again))
	expect.NoError(t, err)
	if repeated.Digest != results[0].Digest {
		t.Error("the reported config trains another model")
	}
	if g := repeated.Graph; len(g.Valid) != 16 || g.Digest() != results[0].Graph.Digest() {
		t.Errorf("the file is divided otherwise: %s", g.Division)
	}
	opened, err := answer.Open(ctx, tr, results[0].RunID, nil)
	if err != nil || opened.Graph.Digest() != repeated.Graph.Digest() {
		t.Errorf("the run is opened with another division: %v", err)
	}
	second, err := tr.FindRun(ctx, repeated.RunID)
	expect.NoError(t, err)
	if second.Params[config.ParamHash] != info.Params[config.ParamHash] {
		t.Error("the reported config has another identity")
	}
}
