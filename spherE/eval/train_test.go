package eval_test

import (
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestTrainValidates: what sphere.Train chooses the best epoch by is the MRR of this package, bit for bit.
func TestTrainValidates(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	for _, model := range []string{sphere.SpherE2D, sphere.DistMult} {
		o := sphere.Options{Settings: sphere.Settings{Model: model, Dimension: 3}, Every: 1}
		o.Training.Epochs = 2
		trained, err := sphere.Train(t.Context(), g, o)
		expect.NoError(t, err)
		report, err := eval.Run(t.Context(), trained.Model, g,
			eval.Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}})
		expect.NoError(t, err)
		if want := report.Ranking.Both.MRR; trained.Value != want || want == 0 || trained.Best == 0 {
			t.Errorf("%s: %v of epoch %d, want %v", model, trained.Value, trained.Best, want)
		}
	}
}
