package experiments

import (
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestStackIsFittedOnTheSample: the weights of a stack and its evaluation are those of the sample that the second run
// has and the first has not.
func TestStackIsFittedOnTheSample(t *testing.T) {
	t.Parallel()
	const sample = 6
	ctx, tr := t.Context(), trackertest.Open(t)
	r, graph := &Runner{Tracker: tr}, runtest.CircleGraph(t, 120)
	var refs []string
	var models []stack.Model
	var run *answer.Run
	for _, c := range []struct {
		model  string
		sample int
	}{{sphere.TransE, 0}, {sphere.SpherE2D, sample}} {
		cfg := runtest.SmallConfig(graph)
		cfg.Model, cfg.Eval.Every, cfg.Eval.Sample = c.model, 0, c.sample
		trained, err := r.Train(ctx, runtest.Checked(t, cfg))
		expect.NoError(t, err)
		run, err = answer.Open(ctx, tr, trained.RunID, nil)
		expect.NoError(t, err)
		refs, models = append(refs, trained.RunID), append(models, run.Model)
	}
	result, err := r.Stack(ctx, refs, StackOptions{})
	expect.NoError(t, err)
	for n, isSame := range map[int]bool{sample: true, 0: false} {
		s, err := stack.Fit(ctx, models, run.Graph, stack.Settings{Sample: n})
		expect.NoError(t, err)
		if (s.Digest() == result.Digest) != isSame {
			t.Errorf("sample %d: digest %s, that of the run is %s", n, s.Digest(), result.Digest)
		}
	}
	if result.Report.HeadQueries != sample || !result.Report.Sampled {
		t.Errorf("%d head queries are evaluated, want %d", result.Report.HeadQueries, sample)
	}
}

// TestStackSample: a stack has the smallest sample of its runs, wherever the run stands, unless the options name one.
func TestStackSample(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want, named int
		samples     []int
	}{{0, 0, []int{0, 0}}, {4, 0, []int{0, 9, 4}}, {3, 0, []int{3, 0}}, {7, 0, []int{8, 7}}, {20, 20, []int{0, 9, 4}},
		{2, 2, []int{0, 9}}, {5, 5, []int{0, 0}}} {
		var runs []*answer.Run
		for _, n := range c.samples {
			own := config.Default()
			own.Eval.Sample = n
			runs = append(runs, &answer.Run{Config: own})
		}
		if got := stackConfig(runs, StackOptions{Sample: c.named}).Eval.Sample; got != c.want {
			t.Errorf("samples %v, option %d: %d, want %d", c.samples, c.named, got, c.want)
		}
	}
}
