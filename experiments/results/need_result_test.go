package results

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/server/mlflow"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// A server that does not know the tables of results has a part of a run, which is not a run to export or to compare
// with.
func TestNeedResults(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	stored := trackertest.Open(t)
	run := trainSmall(t, stored, func(c *config.Config) {})
	api, err := mlflow.New(trackertest.StoreOf(t, stored), func(line string) { t.Log(line) })
	expect.NoError(t, err)
	server := httptest.NewServer(api)
	t.Cleanup(func() { server.Close(); api.Close() })
	remote := func() (*tracker.Tracker, tracker.RunInfo) {
		tr := trackertest.OpenWith(t, server.URL, tracker.Options{DataDir: t.TempDir()})
		info, err := tr.FindRun(ctx, run.ID)
		expect.NoError(t, err)
		return tr, info
	}
	tr, info := remote()
	whole, err := ArchiveRun(ctx, tr, info)
	if err != nil || len(whole.Results) == 0 {
		t.Fatalf("the archive of a whole run: %v", err)
	}
	if _, err := trackertest.StoreOf(t, stored).DB().Exec(`DELETE FROM spherelab.evaluation_result`); err != nil { // as MLflow's server sees it
		t.Fatal(err)
	}
	tr, info = remote()
	_, exported := ArchiveRun(ctx, tr, info)
	whole.Info.ID = strings.Repeat("0", 32) // another run with the same numbers
	_, verified := VerifyRun(ctx, tr, Read(info), Read(whole.Info), whole)
	for _, err := range []error{NeedResults(ctx, tr, info), exported, verified} {
		if err == nil || !strings.Contains(err.Error(), "only the metrics of run "+tracker.ShortID(run.ID)) ||
			!strings.Contains(err.Error(), "name that database") {
			t.Errorf("the error is %v", err)
		}
	}
	// Runs of earlier versions had every number as a metric, and runs of other programs have no evaluation.
	for _, key := range []eval.Key{{End: eval.Low}, {Category: "n-n"}, {Cut: "top-10"}} {
		key.Split, key.Metric = "test", "head_f1"
		old := info
		old.Metrics = map[string]float64{"test/head_f1": 1, key.String(): 1}
		if err := NeedResults(ctx, tr, old); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	info.Metrics = map[string]float64{"loss": 1}
	if err := NeedResults(ctx, tr, info); err != nil {
		t.Error(err)
	}
}
