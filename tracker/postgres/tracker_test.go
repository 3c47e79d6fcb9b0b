package postgres_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv(childEnv); ok {
		os.Exit(child(mode))
	}
	os.Exit(m.Run())
}

func TestRunFromStartToFinish(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	before := time.Now().Add(-time.Second)
	run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "kinship", Name: "first",
		Params: map[string]string{"model": "sphere-2d", "variant": "released", "data": "umls", "dimension": "20",
			"seed": "18446744073709551615", "train.epochs": "3"},
		Tags: map[string]string{"git_head": "abc"}}))
	if len(run.ID()) != 32 || run.Name() != "first" {
		t.Errorf("run %q named %q", run.ID(), run.Name())
	}
	if info, err := os.Stat(run.ArtifactDir()); err != nil || !info.IsDir() {
		t.Errorf("artifact folder %s: %v", run.ArtifactDir(), err)
	}
	for epoch := int64(1); epoch <= 3; epoch++ {
		noError(t, run.LogMetrics(epoch, map[string]float64{"loss": 1 / float64(epoch),
			"valid/head_f1":        float64(epoch) / 10,
			"system/epoch_seconds": 0.5}))
	}
	noError(t, run.LogMetrics(3, map[string]float64{"test/head_f1": 0.451, "odd/nan": math.NaN(), "odd/up": math.Inf(1),
		"odd/down": math.Inf(-1), "odd/big": math.MaxFloat64 / 2}))
	noError(t, run.SetTags(map[string]string{"checkpoint_digest": "d1"}))
	noError(t, run.LogParams(map[string]string{"late": "yes", "model": "sphere-2d"}))
	wantCode(t, run.LogParams(map[string]string{"model": "rotate"}), tracker.CodeConflict, "model", "sphere-2d",
		"rotate")
	noError(t, run.Finish(ctx, tracker.Finished))
	wantCode(t, run.LogMetrics(4, map[string]float64{"loss": 1}), tracker.CodeInvalid, "finished")

	info := must[tracker.RunInfo](t)(tr.FindRun(ctx, "last"))
	if info.ID != run.ID() || info.Status != "FINISHED" || info.Experiment != "kinship" || info.Name != "first" ||
		info.User == "" {
		t.Errorf("stored: %+v", info)
	}
	if info.Start.Before(before) || info.End.Before(info.Start) || !strings.HasPrefix(info.ArtifactURI, "file:///") {
		t.Errorf("stored: %v to %v, artifacts at %s", info.Start, info.End, info.ArtifactURI)
	}
	if info.Params["late"] != "yes" || info.Params["seed"] != "18446744073709551615" ||
		info.Tags["git_head"] != "abc" ||
		info.Tags["mlflow.runName"] != "first" {
		t.Errorf("params %v, tags %v", info.Params, info.Tags)
	}
	m := info.Metrics
	if m["loss"] != 1/float64(3) || m["test/head_f1"] != 0.451 || !math.IsNaN(m["odd/nan"]) ||
		!math.IsInf(m["odd/up"], 1) || !math.IsInf(m["odd/down"], -1) || m["odd/big"] != math.MaxFloat64/2 {
		t.Errorf("metrics %v", m)
	}
	points := must[[]tracker.Point](t)(tr.History(ctx, run.ID(), "loss"))
	if len(points) != 3 || points[1].Step != 2 || points[1].Value != 0.5 {
		t.Errorf("history %v", points)
	}
	if points := must[[]tracker.Point](t)(tr.History(ctx, run.ID(), "")); len(points) != 0 {
		t.Errorf("a metric without a name has the history %v", points)
	}
	if keys := must[[]string](t)(tr.Keys(ctx, run.ID())); len(keys) != 8 || keys[0] != "loss" {
		t.Errorf("keys %v", keys)
	}
	wide := must[*tracker.Table](t)(tr.SQL(ctx, "select * from run_wide"))
	if wide.Columns[0] != "run_id" || len(wide.Rows) != 1 || wide.Rows[0][0] != run.ID() {
		t.Errorf("run_wide: %v %v", wide.Columns, wide.Rows)
	}
	row := must[*tracker.Table](t)(tr.SQL(ctx, `select name, model, variant, dataset, dimension, seed, epochs, loss, head_f1,
		checkpoint_digest, git_head from spherelab.run_wide`))
	want := []any{"first", "sphere-2d", "released", "umls", int64(20), json.Number("18446744073709551615"), int64(3),
		1 / float64(3), 0.451,
		"d1", "abc"}
	for i, w := range want {
		if row.Rows[0][i] != w {
			t.Errorf("run_wide.%s = %v (%T), want %v", row.Columns[i], row.Rows[0][i], row.Rows[0][i], w)
		}
	}
	epochs := must[*tracker.Table](t)(tr.SQL(ctx, `select run_id, run_name, model, epoch, loss, valid_head_f1,
		epoch_seconds, learning_rate from epoch order by epoch`))
	if len(epochs.Rows) != 3 || epochs.Rows[2][3] != int64(3) || epochs.Rows[2][4] != 1/float64(3) ||
		epochs.Rows[2][5] != 0.3 || epochs.Rows[2][6] != 0.5 || epochs.Rows[2][7] != nil {
		t.Errorf("epoch: %v", epochs.Rows)
	}
}
