package experiments

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestHeadlines: MLflow's tables get the few metrics that its pages are for, and the results all numbers, under the
// keys of the report.
func TestHeadlines(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 30))
	cfg.Eval.Fit, cfg.Eval.Calibrate = true, true
	result, err := (&Runner{Tracker: tr}).Train(ctx, runtest.Checked(t, cfg))
	expect.NoError(t, err)
	points, err := tr.Points(ctx, result.RunID)
	expect.NoError(t, err)
	var keys []string
	for _, p := range points {
		if !strings.HasPrefix(p.Key, "system/") && !slices.Contains(keys, p.Key) {
			keys = append(keys, p.Key)
		}
	}
	slices.Sort(keys)
	want := "learning_rate loss test/head_f1 test/head_novel_f1 test/head_precision test/head_recall test/head_rr " +
		"test/head_union_f1 test/hits_1 test/hits_10 test/hits_3 test/mr test/mrr test/tail_f1 " +
		"test/tail_novel_f1 test/tail_precision test/tail_recall test/tail_rr test/tail_union_f1 valid/head_f1 " +
		"valid/head_rr valid/hits_1 valid/hits_10 valid/hits_3 valid/mr valid/mrr valid/tail_f1 valid/tail_rr"
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("metrics %s\nwant %s", got, want)
	}
	results, err := tr.Results(ctx, result.RunID)
	expect.NoError(t, err)
	stored := map[string]float64{}
	for _, r := range results {
		for key, value := range r.Numbers() {
			if k, ok := eval.ParseKey(key); !ok || k.String() != key {
				t.Errorf("the tracker's key %s is not a report's", key)
			}
			if r.Split == "test" {
				stored[key] = value
			}
		}
	}
	logged := result.Report.LoggedMetrics()
	if len(logged) < 300 || len(stored) != len(logged) {
		t.Errorf("%d results are stored, %d measured", len(stored), len(logged))
	}
	for key, value := range logged {
		if x, ok := stored[key]; !ok || x != value {
			t.Errorf("%s is stored as %v, measured %v", key, x, value)
		}
	}
}
