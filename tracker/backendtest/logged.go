package backendtest

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
)

// Logged is a run with everything that a training logs.
func Logged(t *testing.T, tr *tracker.Tracker) *tracker.Run {
	t.Helper()
	ctx := context.Background()
	params := map[string]string{"model": "sphere-2d", "text": "it's \"quoted\""}
	for i := range 150 { // more than fit into a request
		params["many/"+string(rune('a'+i%26))+strings.Repeat("x", i/26)] = "v"
	}
	run := expect.Must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "far", Name: "far-run", Params: params,
		Tags: map[string]string{"colour": "blue"}, Inputs: []tracker.Dataset{{Name: "umls", Digest: "abc",
			SourceType: "local", Source: "{}", Tags: map[string]string{"mlflow.data.context": "training"}}}}))
	for epoch := int64(1); epoch <= 20; epoch++ {
		expect.NoError(t, run.LogMetrics(epoch, map[string]float64{"loss": 1 / float64(epoch), "top-10/head f1": 0.5}))
	}
	expect.NoError(t, run.LogMetrics(20, map[string]float64{"odd/nan": math.NaN(), "odd/up": math.Inf(1)}))
	expect.NoError(t, run.LogRelations([]tracker.RelationResult{{Cut: "margin", Relation: "advised", Side: "head", F1: 0.25,
		Triples: 3, Queries: 2}}))
	for epoch := int64(1); epoch <= 2; epoch++ {
		expect.NoError(t, run.LogResults(epoch, []tracker.EvaluationResult{{Split: "valid", Cut: "top-10", Metric: "head_f1",
			Value: float64(epoch) / 8, Interval: true, Low: 0, High: 1}}, nil))
	}
	expect.NoError(t, run.SetTags(map[string]string{"after": "wards"}))
	expect.NoError(t, os.MkdirAll(filepath.Join(run.ArtifactDir(), "some folder"), 0o755))
	expect.NoError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), "some folder", "note 1.txt"), []byte("hello"), 0o644))
	expect.NoError(t, run.Publish(ctx, "some folder/note 1.txt", "missing.txt"))
	return run
}

// CheckLogged compares what a tracker has of a finished run of Logged, with the results of its evaluations or without.
func CheckLogged(t *testing.T, tr *tracker.Tracker, id string, results bool) {
	t.Helper()
	ctx := context.Background()
	info := expect.Must[tracker.RunInfo](t)(tr.FindRun(ctx, id))
	if info.Name != "far-run" || info.Experiment != "far" || info.Status != "FINISHED" || len(info.Params) != 152 ||
		info.Params["text"] != "it's \"quoted\"" || info.Tags["colour"] != "blue" || info.Tags["after"] != "wards" ||
		info.Metrics["loss"] != 0.05 || info.Steps["loss"] != 20 || !math.IsNaN(info.Metrics["odd/nan"]) ||
		!math.IsInf(info.Metrics["odd/up"], 1) || info.Start.IsZero() || info.End.Before(info.Start) {
		t.Errorf("the run is %+v", info)
	}
	points := expect.Must[[]tracker.MetricPoint](t)(tr.Points(ctx, id))
	if len(points) != 42 {
		t.Errorf("%d points, want 42", len(points))
	}
	loss := expect.Must[[]tracker.Point](t)(tr.History(ctx, id, "loss"))
	for i, p := range loss {
		if p.Step != int64(i)+1 || p.Value != 1/float64(i+1) {
			t.Errorf("point %d of loss is %+v", i, p)
		}
	}
	if len(loss) != 20 {
		t.Errorf("%d points of loss, want 20", len(loss))
	}
	if !results {
		return
	}
	values := expect.Must[[]tracker.Point](t)(tr.History(ctx, id, "valid/top-10/head_f1"))
	if len(values) != 2 || values[1].Value != 0.25 || info.Metrics["valid/top-10/head_f1"] != 0.25 ||
		info.Metrics["valid/top-10/head_f1_hi"] != 1 || info.Steps["valid/top-10/head_f1"] != 2 {
		t.Errorf("the results are %v, %v", values, info.Metrics)
	}
	if list := expect.Must[[]tracker.RelationResult](t)(tr.Relations(ctx, id)); len(list) != 1 ||
		list[0].F1 != 0.25 {
		t.Errorf("the results per relation are %+v", list)
	}
}
