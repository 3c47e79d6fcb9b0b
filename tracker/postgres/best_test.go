package postgres_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestBestValuesOfMetrics: the best value of a metric is that of its whole history, by the direction that its name
// says, also of results that are not metrics. Lists sort, filter and show it; test data has none.
func TestBestValuesOfMetrics(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	var ids []string
	for name, points := range map[string][]map[string]float64{
		"early": {{"loss": 3, "valid/mrr": .2}, {"loss": 1, "valid/mrr": .9}, {"loss": 2, "valid/mrr": .4}},
		"late": {{"loss": 5, "valid/mrr": .5}, {"loss": math.NaN(), "valid/mrr": math.NaN()},
			{"loss": 1.75, "valid/mrr": .6, "test/mrr": .5}},
	} {
		run := startRun(t, tr, name)
		for i, metrics := range points {
			step := int64(i + 1)
			of := metrics["valid/mrr"] / 2
			noError(t, run.LogMetrics(step, metrics))
			noError(t, run.LogResults(step, []tracker.EvaluationResult{{Split: "valid", Cut: "top-10", Metric: "head_f1",
				Value: of}}, nil))
		}
		noError(t, run.Finish(ctx, tracker.Finished))
		ids = append(ids, run.ID())
	}
	for _, c := range []struct {
		l    tracker.Listing
		want string
	}{
		{tracker.Listing{Sort: "metric/loss", Ascending: true}, "late early of 2"},
		{tracker.Listing{Sort: "metric/loss@best", Ascending: true}, "early late of 2"},
		{tracker.Listing{Sort: "metric/valid/mrr"}, "late early of 2"},
		{tracker.Listing{Sort: "metric/valid/mrr@best"}, "early late of 2"},
		{tracker.Listing{Sort: "metric/valid/mrr@best", Fold: true}, "early late of 2"},
		{tracker.Listing{Sort: "metric/valid/top-10/head_f1"}, "late early of 2"},
		{tracker.Listing{Sort: "metric/valid/top-10/head_f1@best"}, "early late of 2"},
		{tracker.Listing{Search: "metrics.valid/mrr@best > 0.8"}, "early of 1"},
		{tracker.Listing{Search: "metrics.loss@best > 1.5 AND metrics.loss < 3"}, "late of 1"},
		{tracker.Listing{Search: "metrics.valid/top-10/head_f1@best < 0.4"}, "late of 1"},
	} {
		if got := listed(t, tr, c.l); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.l, got, c.want)
		}
	}
	keys := []string{"loss", "valid/mrr", "valid/top-10/head_f1"}
	part := must[tracker.Listed](t)(tr.List(ctx, tracker.Listing{Columns: []string{"metric/loss@best",
		"metric/valid/mrr@best", "metric/valid/top-10/head_f1@best", "metric/loss"}}))
	best := must[map[string]map[string]tracker.Point](t)(tr.Best(ctx, ids, append(keys, "test/mrr")))
	for _, run := range part.Runs {
		for _, key := range keys {
			var want tracker.Point
			for i, p := range must[[]tracker.Point](t)(tr.History(ctx, run.ID, key)) { // by brute force
				if better := p.Value > want.Value; i == 0 || better != (key == "loss") && !math.IsNaN(p.Value) {
					want = p
				}
			}
			if got := best[run.ID][key]; got.Value != want.Value || got.Step != want.Step {
				t.Errorf("%s of %s: %+v, want %+v", key, run.Name, got, want)
			}
			if x := run.Metrics[key+"@best"]; x != want.Value || run.Steps[key+"@best"] != want.Step {
				t.Errorf("%s of %s is listed as %v at %d, want %+v", key, run.Name, x, run.Steps[key+"@best"], want)
			}
		}
		if len(best[run.ID]) != 3 || len(run.Metrics) != 4 {
			t.Errorf("more or less than was asked for: %v, %v", best[run.ID], run.Metrics)
		}
	}
	for _, l := range []tracker.Listing{{Sort: "metric/test/mrr@best"}, {Columns: []string{"metric/test/mrr@best"}},
		{Search: "metrics.test/mrr@best > 0.1"}} {
		_, err := tr.List(ctx, l)
		if tracker.ErrorCode(err) != tracker.CodeInvalid || !strings.Contains(fmt.Sprint(err), "nothing is chosen by test data") {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

func TestWhichValueIsBest(t *testing.T) {
	t.Parallel()
	for key, lowest := range map[string]bool{"loss": true, "val_loss": true, "valLoss": true, "valid/mr": true,
		"valid/mrr": false, "valid/head_mr@best": true, "valid/head_mrr": false, "eval.RMSE": true, "accuracy": false,
		"valid/hits_10": false, "valid/head_ece": true, "merry": false} {
		if tracker.LowestIsBest(key) != lowest {
			t.Errorf("%s: lowest is best: %t", key, !lowest)
		}
	}
	for key, has := range map[string]bool{"loss": true, "testament": true, "test/mrr": false, "test_acc": false,
		"Test Loss": false, "system/epoch_seconds": false, "valid/mrr_lo": false, "valid/mrr@best": false, "": false} {
		if best, ok := tracker.BestKey(key); ok != has || has && best != key+"@best" {
			t.Errorf("%s has the best value %q, %t", key, best, ok)
		}
	}
}
