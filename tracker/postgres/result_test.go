package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// evaluationOf are the results of a validation.
func evaluationOf(step int64) []tracker.EvaluationResult {
	x := 1 / float64(step)
	return []tracker.EvaluationResult{
		{Split: "valid", Metric: "mrr", Value: x},
		{Split: "valid", Metric: "tail_f1", Value: x, Interval: true, Low: x / 3, High: math.Inf(1)},
		{Split: "valid", Category: "n-n", Metric: "head_f1", Value: math.NaN()},
		{Split: "valid", Cut: "top-10", Metric: "head_f1", Value: 3 * x, Interval: true, Low: 0, High: 1},
	}
}

// sameResults compares results except for their times, which must be there.
func sameResults(t *testing.T, got, want []tracker.EvaluationResult) {
	t.Helper()
	text := func(list []tracker.EvaluationResult) string {
		b := &strings.Builder{}
		for _, r := range list {
			r.At = 0
			fmt.Fprintf(b, "%+v\n", r)
		}
		return b.String()
	}
	if text(got) != text(want) {
		t.Errorf("got\n%swant\n%s", text(got), text(want))
	}
	for _, r := range got {
		if r.At == 0 {
			t.Errorf("%+v has no time", r)
		}
	}
}

// stored are the results of steps 1 to last as they are read.
func evaluationsTo(last int64) []tracker.EvaluationResult {
	var list []tracker.EvaluationResult
	for step := int64(1); step <= last; step++ {
		for _, r := range evaluationOf(step) {
			r.Step = step
			list = append(list, r)
		}
	}
	return list
}

func storedResults(t *testing.T, tr *postgres.Store, run string) []tracker.EvaluationResult {
	t.Helper()
	return must[[]tracker.EvaluationResult](t)(tr.Results(context.Background(), run))
}

func TestResultsAreReadLikeMetrics(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := startRun(t, tr, "results")
	for step := int64(1); step <= 3; step++ {
		noError(t, run.LogResults(step, evaluationOf(step), map[string]float64{"valid/mrr": 1 / float64(step)}))
	}
	noError(t, run.Finish(ctx, tracker.Finished))
	other := startRun(t, tr, "metrics") // of an earlier version
	noError(t, other.LogMetrics(3, map[string]float64{"valid/top-10/head_f1": 0.5, "valid/top-10/head_f1_lo": 0.25}))
	noError(t, other.Finish(ctx, tracker.Finished))

	sameResults(t, storedResults(t, tr, run.ID()), evaluationsTo(3))
	info := must[tracker.RunInfo](t)(tr.FindRun(ctx, run.ID()))
	keys := "valid/category/n-n/head_f1 valid/mrr valid/tail_f1 valid/tail_f1_hi valid/tail_f1_lo valid/top-10/head_f1 " +
		"valid/top-10/head_f1_hi valid/top-10/head_f1_lo"
	want(t, strings.Join(must[[]string](t)(tr.Keys(ctx, run.ID())), " "), keys)
	for key, value := range map[string]float64{"valid/mrr": 1. / 3, "valid/tail_f1_lo": 1. / 9,
		"valid/tail_f1_hi": math.Inf(1), "valid/top-10/head_f1": 1} {
		if info.Metrics[key] != value || info.Steps[key] != 3 {
			t.Errorf("%s is %v at %d, want %v", key, info.Metrics[key], info.Steps[key], value)
		}
	}
	if x, ok := info.Metrics["valid/category/n-n/head_f1"]; !ok || !math.IsNaN(x) || len(info.Metrics) != 8 {
		t.Errorf("metrics %v", info.Metrics)
	}
	for key, value := range map[string]float64{"valid/mrr": 1, "valid/tail_f1_lo": 1. / 3, "valid/top-10/head_f1": 3} {
		points := must[[]tracker.Point](t)(tr.History(ctx, run.ID(), key))
		if len(points) != 3 || points[0].Value != value || points[2].Step != 3 || points[1].Time.IsZero() {
			t.Errorf("history of %s: %+v", key, points)
		}
		curve := must[tracker.Curve](t)(tr.Curve(ctx, run.ID(), key, &tracker.Steps{From: 2, To: 9}, 100))
		if curve.Total != 2 || !slices.Equal(curve.Points, points[1:]) {
			t.Errorf("curve of %s: %+v", key, curve)
		}
	}
	if points := must[[]tracker.MetricPoint](t)(tr.Points(ctx, run.ID())); len(points) != 3 {
		t.Errorf("%d metrics in MLflow's tables, want those of valid/mrr", len(points))
	}

	columns := must[[]string](t)(tr.Columns(ctx))
	columns = slices.DeleteFunc(columns, func(c string) bool { return strings.HasPrefix(c, "tag/mlflow.") })
	want(t, strings.Join(columns, " "), "metric/"+strings.ReplaceAll(keys, " ", " metric/"))
	for _, c := range []struct {
		l    tracker.Listing
		want string
	}{
		{tracker.Listing{Sort: "metric/valid/top-10/head_f1"}, "results metrics of 2"},
		{tracker.Listing{Sort: "metric/valid/top-10/head_f1", Ascending: true}, "metrics results of 2"},
		{tracker.Listing{Sort: "metric/valid/top-10/head_f1_lo"}, "metrics results of 2"},
		{tracker.Listing{Sort: "metric/valid/category/n-n/head_f1", Search: "metrics"}, "metrics of 1"},
		{tracker.Listing{Search: "metrics.`valid/top-10/head_f1` >= 0.5", Sort: "name"}, "results metrics of 2"},
		{tracker.Listing{Search: "metrics.`valid/top-10/head_f1` > 0.5"}, "results of 1"},
		{tracker.Listing{Search: "metrics.`valid/top-10/head_f1_hi` = 1"}, "results of 1"},
		{tracker.Listing{Search: "metrics.`valid/category/n-n/head_f1` > 0"}, " of 0"}, // NaN
		{tracker.Listing{Search: "metrics.`valid/category/n-n/head_f1` != 0"}, "results of 1"},
	} {
		if got := listed(t, tr, c.l); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.l, got, c.want)
		}
	}
	part := must[tracker.Listed](t)(tr.List(ctx, tracker.Listing{Search: "results",
		Columns: []string{"metric/valid/top-10/head_f1_hi", "metric/valid/mrr"}}))
	if got := part.Runs[0].Metrics; len(got) != 2 || got["valid/top-10/head_f1_hi"] != 1 || got["valid/mrr"] != 1./3 {
		t.Errorf("more or less than the columns: %v", got)
	}
}

// The views read results of runs of this version and metrics of earlier ones the same way.
func TestViewsReadResultsAndMetrics(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	start := func(name string) *tracker.Run {
		return must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "views", Name: name,
			Tags: map[string]string{"criterion": "sphere"}}))
	}
	results := []tracker.EvaluationResult{
		{Split: "test", Metric: "head_f1", Value: 0.5, Interval: true, Low: 0.25, High: 0.75},
		{Split: "test", Metric: "hits_10", Value: 0.875},
		{Split: "test", Cut: "top-10", Metric: "tail_rr", Value: math.NaN()},
		{Split: "test", Category: "1-n", Metric: "tail_f1", Value: 0.125},
		{Split: "test", Cut: "lookup", Category: "1-n", Metric: "tail_f1", Value: 1}, // is in neither view
		{Split: "valid", Metric: "head_f1", Value: 1},
	}
	earlier, later := start("a"), start("b")
	for _, r := range results {
		for key, value := range r.Numbers() {
			noError(t, earlier.LogMetrics(7, map[string]float64{key: value}))
		}
	}
	first := slices.Clone(results)
	for i := range first {
		first[i].Value /= 2
	}
	noError(t, later.LogResults(6, first, nil))
	noError(t, later.LogResults(7, results, map[string]float64{"test/head_f1": 0.5}))
	for _, run := range []*tracker.Run{earlier, later} {
		noError(t, run.Finish(ctx, tracker.Finished))
	}
	for query, rows := range map[string]string{
		`SELECT %s experiment, cut, is_default, metric, value, low, high FROM result %s ORDER BY cut, metric`: "" +
			"views sphere true head_f1 0.5 0.25 0.75]\n[views top-10 false tail_rr NaN  ]\n[views  false hits_10 0.875  ]\n",
		`SELECT %s experiment, cut, category, metric, value FROM category %s`: "views sphere 1-n tail_f1 0.125]\n",
	} {
		for _, name := range []string{"a", "b"} {
			want(t, rowsOf(t, tr, query, "", "WHERE run_name = '"+name+"'"), "["+rows)
		}
	}
	want(t, rowsOf(t, tr, `SELECT run_name, head_f1, last_epoch FROM run_wide ORDER BY 1`), "[a 0.5 ]\n[b 0.5 ]\n")
	noError(t, tr.Delete(ctx, later.ID()))
	want(t, rowsOf(t, tr, `SELECT DISTINCT run_name FROM result UNION SELECT run_name FROM category`), "[a]\n")
}

func TestResultsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	tr := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
	run := startRun(t, tr, "once")
	mrr := map[string]float64{"valid/mrr": 1}
	noError(t, run.LogResults(1, nil, nil))
	noError(t, run.LogResults(1, evaluationOf(1), mrr))
	noError(t, run.LogResults(1, evaluationOf(1), mrr))
	changed := func(step int64) []tracker.EvaluationResult {
		list := evaluationOf(step)
		list[3].High = 0.5
		return list
	}
	wantCode(t, run.LogResults(1, changed(1), nil), tracker.CodeConflict, `"valid/top-10/head_f1"`, "step 1")
	noError(t, run.Finish(ctx, tracker.Killed))
	sameResults(t, storedResults(t, tr, run.ID()), evaluationsTo(1))

	run = must[*tracker.Run](t)(tr.ResumeRun(ctx, run.ID()))
	wantCode(t, run.LogResults(1, changed(1), nil), tracker.CodeConflict, `"valid/top-10/head_f1"`)
	wantCode(t, run.LogResults(1, evaluationOf(1), map[string]float64{"valid/mrr": 2}), tracker.CodeConflict, `"valid/mrr"`)
	noError(t, run.LogResults(1, evaluationOf(1), mrr))
	noError(t, run.LogResults(2, evaluationOf(2), nil))
	noError(t, run.Finish(ctx, tracker.Finished))
	wantCode(t, run.LogResults(2, evaluationOf(2), nil), tracker.CodeInvalid, "is finished")
	wantCode(t, run.LogResults(3, evaluationOf(3), nil), tracker.CodeInvalid, "is finished")
	sameResults(t, storedResults(t, tr, run.ID()), evaluationsTo(2))

	// A run of an earlier version has them as metrics. Resumed, it may repeat them, and nothing else.
	run = startRun(t, tr, "earlier")
	for _, r := range evaluationOf(1) {
		for key, value := range r.Numbers() {
			noError(t, run.LogMetrics(1, map[string]float64{key: value}))
		}
	}
	noError(t, run.Finish(ctx, tracker.Killed))
	run = must[*tracker.Run](t)(tr.ResumeRun(ctx, run.ID()))
	wantCode(t, run.LogResults(1, changed(1), nil), tracker.CodeConflict, `"valid/top-10/head_f1_hi"`)
	noError(t, run.LogResults(1, evaluationOf(1), mrr))
	noError(t, run.LogResults(2, evaluationOf(2), map[string]float64{"valid/mrr": 0.5}))
	noError(t, run.Finish(ctx, tracker.Finished))
	points := must[[]tracker.Point](t)(tr.History(ctx, run.ID(), "valid/mrr"))
	if len(points) != 2 || points[0].Value != 1 || points[1].Value != 0.5 {
		t.Errorf("history across versions: %+v", points)
	}
	points = must[[]tracker.Point](t)(tr.History(ctx, run.ID(), "valid/tail_f1_lo"))
	if len(points) != 2 || points[0].Value != 1./3 || points[1].Value != 1./6 {
		t.Errorf("history across versions: %+v", points)
	}
	if info := must[tracker.RunInfo](t)(tr.FindRun(ctx, run.ID())); info.Metrics["valid/top-10/head_f1"] != 1.5 ||
		info.Steps["valid/top-10/head_f1"] != 2 {
		t.Errorf("latest across versions: %v at %v", info.Metrics, info.Steps)
	}

	// The database refuses what the program did not know of.
	late := startRun(t, tr, "late")
	execute(t, connect(t, uri), `INSERT INTO spherelab.evaluation_result
		SELECT $1, split, cut, category, metric, step, 7, low, high, at FROM spherelab.evaluation_result WHERE run_uuid = $2`,
		late.ID(), run.ID())
	noError(t, late.LogResults(2, evaluationOf(2), nil))
	wantCode(t, late.Flush(ctx), tracker.CodeConflict, "valid/", "step 2")
}

func TestResultsAreChecked(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	run := startRun(t, tr, "odd")
	for want, change := range map[string]func(*tracker.EvaluationResult){
		"a split and a metric": func(r *tracker.EvaluationResult) { r.Split = "" },
		"needs a split":        func(r *tracker.EvaluationResult) { r.Metric = "" },
		"a slash":              func(r *tracker.EvaluationResult) { r.Cut = "a/b" },
		`name "category"`:      func(r *tracker.EvaluationResult) { r.Cut = "category" },
		"end of an interval":   func(r *tracker.EvaluationResult) { r.Metric = "f1_lo" },
		"two values":           func(r *tracker.EvaluationResult) { r.Metric = "mrr" },
		"may only contain":     func(r *tracker.EvaluationResult) { r.Category = "a\x00" },
		"at most 250":          func(r *tracker.EvaluationResult) { r.Cut = strings.Repeat("a", 250) },
	} {
		results := evaluationOf(1)
		change(&results[1])
		wantCode(t, run.LogResults(1, results, nil), tracker.CodeInvalid, want)
	}
	wantCode(t, run.LogResults(1, nil, map[string]float64{"": 1}), tracker.CodeInvalid, "empty name")
	noError(t, run.Finish(context.Background(), tracker.Finished))
	sameResults(t, storedResults(t, tr, run.ID()), nil)
}

// A crash keeps a validation whole or not at all, in both forms.
func TestKilledProgramLosesNoResults(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	for _, steps := range []int{1, 100, 1000} { // the last takes several flushes
		p := startLogging(t, "results", dir, uri)
		for range steps {
			p.next(t, "step")
		}
		last := p.kill(t)
		path := spools(t, dir)
		if len(path) != 1 {
			t.Fatalf("spools: %v", path)
		}
		whole, err := os.ReadFile(path[0])
		noError(t, err)
		tr := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
		stored := storedResults(t, tr, p.run)
		sameResults(t, stored, evaluationsTo(max(last, int64(steps), int64(len(stored)/4))))
		if n := len(must[[]tracker.Point](t)(tr.History(ctx, p.run, "valid/mrr"))); 4*n != len(stored) {
			t.Errorf("%d metrics next to %d results", n, len(stored))
		}
		// A replay that is repeated, as after a crash before the spool was removed, stores nothing twice.
		noError(t, os.WriteFile(path[0], whole, 0o600))
		must[[]tracker.Replay](t)(tr.ReplaySpools(ctx))
		sameResults(t, storedResults(t, tr, p.run), stored)
		info := must[tracker.RunInfo](t)(tr.FindRun(ctx, p.run))
		if info.Steps["valid/top-10/head_f1"] != int64(len(stored)/4) {
			t.Errorf("the latest step is %d of %d", info.Steps["valid/top-10/head_f1"], len(stored)/4)
		}
	}
}

func TestImportedResults(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	info, points := importable()
	list := evaluationsTo(3)
	for i := range list {
		list[i].At = 1_700_000_000_000 + list[i].Step
	}
	raw, err := json.Marshal(list)
	noError(t, err)
	var back []tracker.EvaluationResult
	noError(t, json.Unmarshal(raw, &back))
	sameResults(t, back, list)
	bad := slices.Clone(list)
	bad[0].Metric = ""
	wantCode(t, tr.ImportRun(ctx, info, points, nil, bad), tracker.CodeInvalid, "a split and a metric")
	noError(t, tr.ImportRun(ctx, info, points, nil, list))
	stored := storedResults(t, tr, info.ID)
	sameResults(t, stored, list)
	if stored[0].At != list[0].At {
		t.Errorf("logged at %d, want %d", stored[0].At, list[0].At)
	}
	// MLflow removes runs permanently and does not know our table.
	db := connect(t, tr.URL())
	for _, table := range []string{"metrics", "latest_metrics", "params", "tags", "runs"} {
		execute(t, db, `DELETE FROM public.`+table+` WHERE run_uuid = $1`, info.ID)
	}
	noError(t, tr.ImportRun(ctx, info, points, nil, list[:4]))
	sameResults(t, storedResults(t, tr, info.ID), list[:4])
}

// The best epoch is read from the results, or of a resumed run from the metrics, which may have more validations.
func TestBestEpochOfResults(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	for name, tags := range map[string]map[string]string{"whole": nil, "resumed": {"resumed": "1"},
		"stopped": {"best_epoch": "10"}} {
		run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "best", Name: name, Tags: tags}))
		noError(t, run.LogMetrics(5, map[string]float64{"valid/head_f1": 0.9, "valid/tail_f1": 0.9}))
		for i, f1 := range [][2]float64{{0.5, 0.25}, {0.625, 0.25}, {0.125, 0.5}, {math.NaN(), 1}} {
			noError(t, run.LogResults(int64(10*(i+1)), []tracker.EvaluationResult{
				{Split: "valid", Metric: "head_f1", Value: f1[0]}, {Split: "valid", Metric: "tail_f1", Value: f1[1]},
				{Split: "valid", Metric: "mrr", Value: 9}, {Split: "valid", Cut: "lookup", Metric: "head_f1", Value: 9},
			}, map[string]float64{"valid/head_f1": f1[0], "valid/tail_f1": f1[1]}))
		}
		noError(t, run.Finish(ctx, tracker.Finished))
	}
	want(t, rowsOf(t, tr, `SELECT run_name, best_epoch FROM run_wide ORDER BY 1`),
		"[resumed 5]\n[stopped 10]\n[whole 20]\n")
}
