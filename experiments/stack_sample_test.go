package experiments

import (
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
)

// TestStackHasTheSmallestSample of its runs, wherever the run stands.
func TestStackHasTheSmallestSample(t *testing.T) {
	t.Parallel()
	for want, samples := range map[int][]int{0: {0, 0}, 4: {0, 9, 4}, 3: {3, 0}, 7: {8, 7}} {
		var runs []*answer.Run
		for _, n := range samples {
			c := config.Default()
			c.Eval.Sample = n
			runs = append(runs, &answer.Run{Config: c})
		}
		if got := stackConfig(runs, StackOptions{}).Eval.Sample; got != want {
			t.Errorf("samples %v: %d, want %d", samples, got, want)
		}
	}
}
