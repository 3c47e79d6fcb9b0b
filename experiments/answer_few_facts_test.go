package experiments

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestFewValidationFacts holds what DefaultCut says: with config.LeastCalibrated validation facts and with more,
// probabilities give better sets of new answers than thresholds. Both are fitted on draws from the validation facts of
// the bundled graph, and measured on its test facts.
func TestFewValidationFacts(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	cfg, err := runtest.Load(config.Layers{Config: "bundled/sphere-2d", Set: []string{"train.epochs=15"}})
	expect.NoError(t, err)
	g, err := kg.Bundled()
	expect.NoError(t, err)
	model, err := sphere.New(cfg.Settings(), g, cfg.Seed)
	expect.NoError(t, err)
	trainer, err := sphere.NewTrainer(model, g, cfg.Training())
	expect.NoError(t, err)
	defer trainer.Close()
	for range cfg.Train.Epochs {
		if _, err := trainer.Epoch(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, facts := range []int{config.LeastCalibrated, 57, 160} {
		const draws = 3
		var fitted, expected [2]float64
		for draw := range draws {
			few := kg.Graph{Name: g.Name, Entities: g.Entities, Relations: g.Relations, Train: g.Train, Test: g.Test}
			for i := range facts {
				few.Valid = append(few.Valid, g.Valid[(draw+draws*i)*len(g.Valid)/(draws*facts)])
			}
			few.Valid = slices.Compact(few.Valid)
			_, cuts, err := answer.FitCuts(ctx, model, &few, eval.FitSettings{})
			expect.NoError(t, err)
			by, err := eval.Calibrate(ctx, model, &few, eval.CalibrateSettings{})
			expect.NoError(t, err)
			cuts = append(cuts, eval.ExpectedCuts(by)...)
			r, err := eval.Run(ctx, model, g, eval.Settings{Cuts: cuts, SkipRanking: true})
			expect.NoError(t, err)
			for name, sum := range map[string]*[2]float64{"fitted-novel": &fitted, "expected-novel": &expected} {
				c, _ := r.Cut(name)
				sum[0], sum[1] = sum[0]+c.Head.NovelF1/draws, sum[1]+c.Tail.NovelF1/draws
			}
		}
		holdsLine(t, "measured.md", "| %d | %s / %s | %s / %s |", facts, digits(fitted[0]), digits(fitted[1]), digits(expected[0]),
			digits(expected[1]))
		if expected[0]+expected[1] <= fitted[0]+fitted[1] {
			t.Errorf("with %d validation facts thresholds are better", facts)
		}
	}
}

// holdsLine fails if a page of the folder docs lacks a line.
func holdsLine(t *testing.T, name, format string, args ...any) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", name))
	if line := fmt.Sprintf(format, args...); err != nil || !strings.Contains(string(page), "\n"+line+"\n") {
		t.Errorf("docs/%s lacks the line %s (%v)", name, line, err)
	}
}

// digits is a number as pages have it: .927.
func digits(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", x), "0") }
