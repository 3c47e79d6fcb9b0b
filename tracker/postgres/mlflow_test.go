package postgres_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestMLflowClient: the real Python client reads a run of this package, and this package one of the client.
func TestMLflowClient(t *testing.T) {
	t.Parallel()
	python(t)
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "from-go", Name: "go-run",
		Params: map[string]string{"model": "sphere-2d", "train.epochs": "3"},
		Tags:   map[string]string{"purpose": "python"}}))
	noError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), "note.txt"), []byte("hello"), 0o644))
	for epoch := int64(1); epoch <= 3; epoch++ {
		noError(t, run.LogMetrics(epoch, map[string]float64{"loss": 1 / float64(epoch), "top-10/head_f1": 0.5}))
	}
	noError(t, run.LogMetrics(3, map[string]float64{"odd/nan": math.NaN(), "odd/up": math.Inf(1)}))
	noError(t, run.Finish(ctx, tracker.Finished))
	ours := must[tracker.RunInfo](t)(tr.FindRun(ctx, run.ID()))

	var seen struct {
		ID, Name, Status, User, Experiment string
		Start, End                         int64
		URI                                string `json:"artifact_uri"`
		Params, Tags                       map[string]string
		Metrics                            map[string]any
		Loss                               [][3]float64
		Odd                                [][2]any
		Artifacts, Experiments, Found      []string
	}
	reader := must[string](t)(tr.ReaderURL(ctx)) // reading needs no more rights
	noError(t, json.Unmarshal(runPython(t, "read", reader, run.ID()), &seen))
	if seen.ID != run.ID() || seen.Name != "go-run" || seen.Status != "FINISHED" || seen.User != ours.User ||
		seen.Experiment != "from-go" ||
		seen.Start != ours.Start.UnixMilli() || seen.End != ours.End.UnixMilli() || seen.URI != ours.ArtifactURI {
		t.Errorf("Python reads the run as %+v", seen)
	}
	if seen.Params["model"] != "sphere-2d" || seen.Params["train.epochs"] != "3" || seen.Tags["purpose"] != "python" ||
		seen.Tags["mlflow.runName"] != "go-run" {
		t.Errorf("Python reads params %v, tags %v", seen.Params, seen.Tags)
	}
	if seen.Metrics["loss"] != 1/float64(3) || seen.Metrics["odd/nan"] != "NaN" ||
		seen.Metrics["odd/up"] != math.MaxFloat64 || seen.Metrics["top-10/head_f1"] != 0.5 {
		t.Errorf("Python reads metrics %v", seen.Metrics)
	}
	if len(seen.Loss) != 3 || seen.Loss[1][0] != 2 || seen.Loss[1][1] != 0.5 || len(seen.Odd) != 1 ||
		seen.Odd[0][1] != "NaN" {
		t.Errorf("Python reads histories %v and %v", seen.Loss, seen.Odd)
	}
	if !slices.Equal(seen.Artifacts, []string{"note.txt"}) ||
		!slices.Equal(seen.Experiments, []string{"Default", "from-go"}) ||
		!slices.Equal(seen.Found, []string{run.ID()}) {
		t.Errorf("Python lists artifacts %v, experiments %v, finds %v", seen.Artifacts, seen.Experiments, seen.Found)
	}

	var written struct{ ID string }
	noError(t, json.Unmarshal(runPython(t, "write", tr.URL()), &written))
	theirs := must[tracker.RunInfo](t)(tr.FindRun(ctx, "python-run"))
	if theirs.ID != written.ID || theirs.Status != "FINISHED" || theirs.Experiment != "from-python" ||
		theirs.Params["model"] != "python-model" ||
		theirs.Tags["colour"] != "blue" || theirs.Metrics["loss"] != 0.2 || theirs.Steps["loss"] != 5 ||
		!math.IsNaN(theirs.Metrics["odd/nan"]) || !math.IsInf(theirs.Metrics["odd/up"], 1) {
		t.Errorf("Python's run: %+v", theirs)
	}
	if points := must[[]tracker.Point](t)(tr.History(ctx, theirs.ID, "loss")); len(points) != 5 ||
		points[1].Value != 0.5 {
		t.Errorf("Python's history: %v", points)
	}
	// A run that Python started can be continued by us.
	again := must[*tracker.Run](t)(tr.ResumeRun(ctx, theirs.ID))
	noError(t, again.LogMetrics(5, map[string]float64{"loss": 0.2}))
	noError(t, again.LogMetrics(6, map[string]float64{"loss": 0.1}))
	noError(t, again.Finish(ctx, tracker.Finished))
	if points := must[[]tracker.Point](t)(tr.History(ctx, theirs.ID, "loss")); len(points) != 6 {
		t.Errorf("after resuming: %v", points)
	}
}
