package postgres_test

import (
	"context"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// importable is a run that ended, with more points than one statement takes.
func importable() (tracker.RunInfo, []tracker.MetricPoint) {
	at := func(ms int64) time.Time { return time.UnixMilli(1_700_000_000_000 + ms).UTC() }
	info := tracker.RunInfo{ID: strings.Repeat("ab", 16), Name: "elsewhere", Experiment: "far", Status: "FINISHED",
		Start: at(0), End: at(90_000),
		Params: map[string]string{"seed": "3"}, Tags: map[string]string{"cpu": "some"}}
	var points []tracker.MetricPoint
	add := func(key string, step int64, value float64) {
		points = append(points, tracker.MetricPoint{Key: key,
			Point: tracker.Point{Step: step, Time: at(step), Value: value}})
	}
	for step := int64(1); step <= 1200; step++ {
		add("loss", step, 1/float64(step))
		if step%500 == 0 {
			add("valid/head_f1", step, math.NaN())
		}
	}
	add("test/head_f1", 1201, .25)
	return info, points
}

func TestImportRun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	info, points := importable()
	noError(t, tr.ImportRun(ctx, info, points, nil, nil))
	got := must[tracker.RunInfo](t)(tr.FindRun(ctx, "elsewhere"))
	if got.ID != info.ID || got.Experiment != "far" || got.Status != "FINISHED" || !got.Start.Equal(info.Start) ||
		!got.End.Equal(info.End) ||
		!maps.Equal(got.Params, info.Params) || got.Tags["cpu"] != "some" || got.Tags[tracker.TagImported] != "true" {
		t.Errorf("imported %+v", got)
	}
	if got.Metrics["loss"] != 1/1200. || got.Steps["loss"] != 1200 || !math.IsNaN(got.Metrics["valid/head_f1"]) ||
		got.Metrics["test/head_f1"] != .25 {
		t.Errorf("latest metrics %v at %v", got.Metrics, got.Steps)
	}
	back := must[[]tracker.MetricPoint](t)(tr.Points(ctx, info.ID))
	if len(back) != len(points) {
		t.Fatalf("%d points, want %d", len(back), len(points))
	}
	for i, p := range back {
		want := points[i]
		if p.Key != want.Key || p.Step != want.Step || !p.Time.Equal(want.Time) || p.Value != want.Value &&
			!(math.IsNaN(p.Value) && math.IsNaN(want.Value)) {
			t.Fatalf("point %d is %+v, want %+v", i, p, want)
		}
	}
	wantCode(t, tr.ImportRun(ctx, info, points, nil, nil), tracker.CodeConflict, info.ID)
	noError(t, tr.Delete(ctx, info.ID))
	wantCode(t, tr.ImportRun(ctx, info, points, nil, nil), tracker.CodeConflict, info.ID)
}

// TestImportRunRefuses holds that a refused run leaves nothing behind, also where the database finds the mistake.
func TestImportRunRefuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	for want, change := range map[string]func(*tracker.RunInfo, []tracker.MetricPoint){
		"32 hexadecimal":      func(i *tracker.RunInfo, _ []tracker.MetricPoint) { i.ID = "../x" },
		"only a run that has": func(i *tracker.RunInfo, _ []tracker.MetricPoint) { i.Status = "RUNNING" },
		"lacks its name":      func(i *tracker.RunInfo, _ []tracker.MetricPoint) { i.End = time.Time{} },
		"may only contain":    func(_ *tracker.RunInfo, p []tracker.MetricPoint) { p[len(p)-1].Key = "a;b" },
		"zero byte":           func(i *tracker.RunInfo, _ []tracker.MetricPoint) { i.Params["seed"] = "a\x00" },
	} {
		info, points := importable()
		change(&info, points)
		if err := tr.ImportRun(ctx, info, points, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
	if runs := must[[]tracker.RunInfo](t)(tr.Runs(ctx, tracker.Filter{})); len(runs) > 0 {
		t.Errorf("%d runs are left", len(runs))
	}
}
