package experiments

import (
	"slices"
	"testing"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestFewValidationFacts holds what DefaultCut says: with leastCalibrated validation facts and with more, probabilities
// give better sets of new answers than thresholds. Both are fitted on draws from the validation facts of the bundled
// graph, and measured on its test facts. The log has the numbers.
func TestFewValidationFacts(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	cfg, err := LoadConfig(Layers{Config: "bundled/sphere-2d", Set: []string{"train.epochs=15"}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := kg.Bundled()
	if err != nil {
		t.Fatal(err)
	}
	model, err := sphere.New(cfg.Settings(), g, cfg.Seed)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := sphere.NewTrainer(model, g, cfg.Training())
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	for range cfg.Train.Epochs {
		if _, err := trainer.Epoch(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, facts := range []int{leastCalibrated, 57, 160} {
		const draws = 3
		var fitted, expected [2]float64
		for draw := range draws {
			few := kg.Graph{Name: g.Name, Entities: g.Entities, Relations: g.Relations, Train: g.Train, Test: g.Test}
			for i := range facts {
				few.Valid = append(few.Valid, g.Valid[(draw+draws*i)*len(g.Valid)/(draws*facts)])
			}
			few.Valid = slices.Compact(few.Valid)
			_, cuts, err := fitCuts(ctx, model, &few, eval.FitSettings{})
			if err != nil {
				t.Fatal(err)
			}
			by, err := eval.Calibrate(ctx, model, &few, eval.CalibrateSettings{})
			if err != nil {
				t.Fatal(err)
			}
			cuts = append(cuts, eval.ExpectedCuts(by)...)
			r, err := eval.Run(ctx, model, g, eval.Settings{Cuts: cuts, SkipRanking: true})
			if err != nil {
				t.Fatal(err)
			}
			for name, sum := range map[string]*[2]float64{defaultFitted: &fitted, defaultExpected: &expected} {
				c, _ := r.Cut(name)
				sum[0], sum[1] = sum[0]+c.Head.NovelF1/draws, sum[1]+c.Tail.NovelF1/draws
			}
		}
		t.Logf("%d validation facts: novel F1 of %s %.3f / %.3f, of %s %.3f / %.3f", facts, defaultFitted, fitted[0],
			fitted[1], defaultExpected, expected[0], expected[1])
		if expected[0]+expected[1] <= fitted[0]+fitted[1] {
			t.Errorf("with %d validation facts thresholds are better", facts)
		}
	}
}
