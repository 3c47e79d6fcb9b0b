package experiments

import (
	"math"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestWarningAboveChance: the loss of chance is that of scores that are all alike, and a training that ends above it
// says so while it runs and afterwards.
func TestWarningAboveChance(t *testing.T) {
	t.Parallel()
	ctx, tr := t.Context(), trackertest.Open(t)
	data := runtest.CircleGraph(t, 30)
	for _, c := range []struct {
		name         string
		rate         float64
		epochs       int
		model, loss  string
		warns        bool
		wantedChance float64
	}{
		{"good", .05, 40, sphere.SpherE2D, sphere.SelfAdversarial, false, .6931},
		{"diverged", 1000, 8, sphere.SpherE2D, sphere.SelfAdversarial, true, .6931},
		{"good one-vs-all", .1, 40, sphere.ComplEx, sphere.OneVsAll, false, 3.4012},
		{"diverged one-vs-all", 1000, 8, sphere.ComplEx, sphere.OneVsAll, true, 3.4012},
	} {
		cfg := runtest.SmallConfig(data)
		if c.loss == sphere.OneVsAll && c.warns {
			cfg.Train.N3 = 1 // without it a large rate only overfits
		}
		cfg.Model, cfg.Train.Loss, cfg.Train.LearningRate, cfg.Train.Epochs = c.model, c.loss, c.rate, c.epochs
		said := false
		result, err := (&Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) {
			said = said || e.Event == progress.Note && strings.Contains(e.Message, "a model that knows nothing")
		})}).Train(ctx, runtest.Checked(t, cfg))
		expect.NoError(t, err)
		info, err := tr.FindRun(ctx, result.RunID)
		expect.NoError(t, err)
		warned := strings.Contains(strings.Join(answer.Warnings(info), "\n"), "diverged or was too short")
		if warned != c.warns || said != c.warns {
			t.Errorf("%s: loss %g, warned %v, said %v", c.name, info.Metrics["loss"], warned, said)
		}
		if got := cfg.ChanceLoss(answer.ReadLogged(info).Entities); math.Abs(got-c.wantedChance) > 1e-4 {
			t.Errorf("%s: the loss of chance is %g, want %g", c.name, got, c.wantedChance)
		}
	}
	stopped := tracker.RunInfo{Status: "KILLED", Params: map[string]string{config.ParamHash: "0"},
		Metrics: map[string]float64{"loss": 9}}
	if list := answer.Warnings(stopped); list != nil {
		t.Errorf("a loss that is not the last one: %q", list)
	}
	stopped.Status = "FINISHED"
	if list := answer.Warnings(stopped); len(list) != 1 {
		t.Errorf("a loss of 9: %q", list)
	}
	stopped.Metrics["loss"] = math.NaN()
	if list := answer.Warnings(stopped); len(list) != 1 {
		t.Errorf("a loss that is not a number: %q", list)
	}
}
