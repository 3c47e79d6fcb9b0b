package postgres_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestFindRun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	_, err := tr.FindRun(ctx, "last")
	wantCode(t, err, tracker.CodeNotFound, "no runs yet")
	wantHints(t, err, hint.TrainConfig)
	var ids []string
	for _, name := range []string{"rotate", "sphere-2d", "twin", "twin", "deadbeef"} {
		run := startRun(t, tr, name)
		noError(t, run.Finish(ctx, tracker.Finished))
		ids = append(ids, run.ID())
		time.Sleep(2 * time.Millisecond) // start times are in milliseconds
	}
	find := func(ref string) string {
		t.Helper()
		return must[tracker.RunInfo](t)(tr.FindRun(ctx, ref)).ID
	}
	for ref, want := range map[string]string{"last": ids[4], "rotate": ids[0], ids[1]: ids[1], ids[2][:12]: ids[2],
		strings.ToUpper(ids[3]): ids[3], "deadbeef": ids[4], " last ": ids[4]} {
		if got := find(ref); got != want {
			t.Errorf("%q is %s, want %s", ref, got, want)
		}
	}
	for ref, same := range map[string]int{"twin": 1, "rotate": 0, ids[3]: 0, ids[2][:12]: 0, "last": 0} {
		if got := must[tracker.RunInfo](t)(tr.FindRun(ctx, ref)); got.SameName != same {
			t.Errorf("%q: %d older runs of that name, want %d", ref, got.SameName, same)
		}
	}
	if got := find("twin"); got != ids[3] {
		t.Errorf("a name of two runs is %s, want the newer %s", got, ids[3])
	}
	_, err = tr.FindRun(ctx, "")
	wantCode(t, err, tracker.CodeNotFound)
	_, err = tr.FindRun(ctx, "rotat")
	wantCode(t, err, tracker.CodeNotFound, `no run "rotat"; nearest: rotate (`+ids[0][:8]+")")
	wantHints(t, err, hint.ListRuns)
	_, err = tr.FindRun(ctx, "%")
	wantCode(t, err, tracker.CodeNotFound)
	_, err = tr.FindRun(ctx, "'; drop table runs; --")
	wantCode(t, err, tracker.CodeNotFound)

	noError(t, tr.Delete(ctx, ids[4]))
	if got := find("last"); got != ids[3] {
		t.Errorf("last is %s after the newest was deleted", got)
	}
	_, err = tr.FindRun(ctx, "deadbeef")
	wantCode(t, err, tracker.CodeNotFound, "deleted")
	if hints := hint.Of(err); !slices.Equal(hints, []hint.Hint{{Action: hint.RestoreRun, Subject: ids[4]}}) {
		t.Errorf("a deleted run: hints %v", hints)
	}
	wantCode(t, tr.Delete(ctx, ids[4]), tracker.CodeNotFound)
	deleted := must[tracker.RunInfo](t)(tr.FindDeletedRun(ctx, "deadbeef"))
	if !deleted.Deleted || deleted.ID != ids[4] {
		t.Errorf("deleted: %+v", deleted)
	}
	table := must[*tracker.Table](t)(tr.SQL(ctx, "select count(*) from run_wide"))
	if table.Rows[0][0] != int64(4) {
		t.Errorf("run_wide has %v rows", table.Rows[0][0])
	}
	noError(t, tr.Restore(ctx, ids[4]))
	wantCode(t, tr.Restore(ctx, ids[4]), tracker.CodeNotFound)
	if got := find("last"); got != ids[4] {
		t.Errorf("last is %s after the newest was restored", got)
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	var ids []string
	for i := range 6 {
		run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: fmt.Sprintf("e%d", i%2),
			Name:   fmt.Sprintf("n%d", i),
			Params: map[string]string{"model": fmt.Sprintf("m%d", i%3)},
			Tags:   map[string]string{"odd": fmt.Sprint(i % 2)}}))
		status := tracker.Finished
		if i == 5 {
			status = tracker.Killed
		}
		noError(t, run.Finish(ctx, status))
		ids = append([]string{run.ID()}, ids...)
		time.Sleep(2 * time.Millisecond)
	}
	for _, c := range []struct {
		filter tracker.Filter
		want   []int // positions, newest first
	}{
		{tracker.Filter{}, []int{0, 1, 2, 3, 4, 5}},
		{tracker.Filter{Limit: 2}, []int{0, 1}},
		{tracker.Filter{Experiment: "e1"}, []int{0, 2, 4}},
		{tracker.Filter{Status: tracker.Killed}, []int{0}},
		{tracker.Filter{Params: map[string]string{"model": "m0"}}, []int{2, 5}},
		{tracker.Filter{Params: map[string]string{"model": "m0"}, Tags: map[string]string{"odd": "1"}}, []int{2}},
		{tracker.Filter{Name: "n3"}, []int{2}},
		{tracker.Filter{IDs: []string{ids[1], ids[4]}}, []int{1, 4}},
		{tracker.Filter{IDs: []string{}}, nil},
		{tracker.Filter{Deleted: true}, nil},
		{tracker.Filter{Experiment: "none"}, nil},
	} {
		runs := must[[]tracker.RunInfo](t)(tr.Runs(ctx, c.filter))
		var got, want []string
		for _, r := range runs {
			got = append(got, r.ID)
		}
		for _, i := range c.want {
			want = append(want, ids[i])
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%+v: got %v, want %v", c.filter, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := startRun(t, tr, "limits")
	long := func(n int) string { return strings.Repeat("é", n) } // characters, not bytes
	key := func(n int) string { return strings.Repeat("k", n) }
	noError(t, run.LogParams(map[string]string{"p": long(6000), key(250): "x"}))
	noError(t, run.SetTags(map[string]string{"t": long(8000), key(250): "x"}))
	noError(t, run.LogMetrics(1, map[string]float64{key(250): 1, "a b/c.d-e:f_1": 2}))
	for name, err := range map[string]error{
		"param value": run.LogParams(map[string]string{"q": long(6001)}),
		"param key":   run.LogParams(map[string]string{key(251): "x"}),
		"tag value":   run.SetTags(map[string]string{"q": long(8001)}),
		"tag key":     run.SetTags(map[string]string{key(251): "x"}),
		"metric key":  run.LogMetrics(1, map[string]float64{key(251): 1}),
		"empty key":   run.LogMetrics(1, map[string]float64{"": 1}),
		"odd key":     run.LogMetrics(1, map[string]float64{"a;b": 1}),
		"dots":        run.LogMetrics(1, map[string]float64{"../x": 1}),
		"slash":       run.LogMetrics(1, map[string]float64{"/x": 1}),
		"zero byte":   run.LogParams(map[string]string{"q": "a\x00b"}),
		"not UTF-8":   run.SetTags(map[string]string{"q": "a\xffb"}),
		"run name":    run.SetTags(map[string]string{"mlflow.runName": long(251)}),
	} {
		if tracker.ErrorCode(err) != tracker.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, spec := range []tracker.RunSpec{
		{Name: long(251)}, {Experiment: long(257)}, {Params: map[string]string{"q": long(6001)}},
		{Tags: map[string]string{"q": long(8001)}},
	} {
		_, err := tr.StartRun(ctx, spec)
		wantCode(t, err, tracker.CodeInvalid, "at most")
	}
	noError(t, run.Finish(ctx, tracker.Finished))
	info := must[tracker.RunInfo](t)(tr.FindRun(ctx, "limits"))
	if info.Params["p"] != long(6000) || info.Tags["t"] != long(8000) || info.Params["q"] != "" ||
		info.Tags["q"] != "" ||
		info.Metrics[key(250)] != 1 {
		t.Error("what was stored is not what was accepted")
	}
	if runs := must[[]tracker.RunInfo](t)(tr.Runs(ctx, tracker.Filter{})); len(runs) != 1 {
		t.Errorf("%d runs; refused ones must not be there", len(runs))
	}
}

func TestLongDataDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 150))
	noError(t, os.MkdirAll(dir, 0o700))
	tr := trackertest.StoreWith(t, trackertest.Database(t), tracker.Options{DataDir: dir})
	_, err := tr.StartRun(context.Background(), tracker.RunSpec{})
	wantCode(t, err, tracker.CodeInvalid, "too long", "shorter")
	if left := spools(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	first := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
	run := must[*tracker.Run](t)(first.StartRun(ctx, tracker.RunSpec{Name: "again",
		Params: map[string]string{"model": "rotate"}}))
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 0.5, "nan": math.NaN(), "inf": math.Inf(1),
		"system/epoch_seconds": 3}))
	noError(t, run.LogMetrics(2, map[string]float64{"loss": 0.25}))
	noError(t, first.Close())
	wantCode(t, run.LogMetrics(3, map[string]float64{"loss": 1}), tracker.CodeInvalid)

	tr := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
	if info := must[tracker.RunInfo](t)(tr.FindRun(ctx, "again")); info.Status != "FAILED" || info.Steps["loss"] != 2 {
		t.Errorf("after the program ended in the middle: %+v", info)
	}
	run = must[*tracker.Run](t)(tr.ResumeRun(ctx, "again"))
	_, err := tr.ResumeRun(ctx, run.ID())
	wantCode(t, err, tracker.CodeBusy)
	// What comes again is skipped, whatever its time; what differs is an error, and nothing of that call is logged.
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 0.5, "nan": math.NaN(), "inf": math.Inf(1),
		"system/epoch_seconds": 4}))
	noError(t, run.LogMetrics(2, map[string]float64{"loss": 0.25, "new": 1}))
	wantCode(t, run.LogMetrics(2, map[string]float64{"loss": math.Nextafter(0.25, 1), "newer": 1}),
		tracker.CodeConflict,
		`"loss"`, "step 2", "0.25")
	wantCode(t, run.LogMetrics(1, map[string]float64{"nan": 0}), tracker.CodeConflict)
	noError(t, run.LogMetrics(3, map[string]float64{"loss": 0.125}))
	noError(t, run.LogParams(map[string]string{"model": "rotate"}))
	wantCode(t, run.LogParams(map[string]string{"model": "other"}), tracker.CodeConflict)
	noError(t, run.Finish(ctx, tracker.Finished))
	info := must[tracker.RunInfo](t)(tr.FindRun(ctx, "again"))
	if info.Status != "FINISHED" || info.Metrics["loss"] != 0.125 || info.Metrics["new"] != 1 ||
		info.Metrics["system/epoch_seconds"] != 3 {
		t.Errorf("resumed: %+v", info)
	}
	if _, ok := info.Metrics["newer"]; ok {
		t.Error("part of a refused call was logged")
	}
	for key, n := range map[string]int{"loss": 3, "nan": 1, "inf": 1, "system/epoch_seconds": 1} {
		if points := must[[]tracker.Point](t)(tr.History(ctx, info.ID, key)); len(points) != n {
			t.Errorf("%s has %d points, want %d", key, len(points), n)
		}
	}
	_, err = tr.ResumeRun(ctx, "nothing")
	wantCode(t, err, tracker.CodeNotFound)
}

func TestLatestMetricIsTheGreatestStep(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := startRun(t, tr, "order")
	for _, step := range []int64{5, 3, 9, 1, 9, 2} {
		noError(t, run.LogMetrics(step, map[string]float64{"loss": float64(step) * 10}))
		noError(t, run.Flush(ctx))
	}
	noError(t, run.LogMetrics(4, map[string]float64{"loss": 1}))
	noError(t, run.Finish(ctx, tracker.Failed))
	info := must[tracker.RunInfo](t)(tr.FindRun(ctx, "order"))
	if info.Metrics["loss"] != 90 || info.Steps["loss"] != 9 {
		t.Errorf("latest: %v at %d", info.Metrics["loss"], info.Steps["loss"])
	}
}

func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.StoreWith(t, trackertest.Database(t), tracker.Options{FlushEvery: time.Millisecond})
	const runs, writers, steps = 3, 4, 100
	var wait sync.WaitGroup
	for i := range runs {
		run := startRun(t, tr, fmt.Sprintf("run%d", i))
		var inner sync.WaitGroup
		for w := range writers {
			inner.Go(func() {
				for step := int64(1); step <= steps; step++ {
					if err := run.LogMetrics(step,
						map[string]float64{fmt.Sprintf("w%d", w): float64(step)}); err != nil {
						t.Error(err)
						return
					}
					if step%20 == 0 {
						if err := run.Flush(ctx); err != nil {
							t.Error(err)
						}
						if err := run.SetTags(map[string]string{"at": fmt.Sprint(step)}); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		wait.Go(func() {
			inner.Wait()
			if err := run.Finish(ctx, tracker.Finished); err != nil {
				t.Error(err)
			}
		})
		wait.Go(func() {
			if _, err := tr.Runs(ctx, tracker.Filter{}); err != nil {
				t.Error(err)
			}
			if _, err := tr.SQL(ctx, "select * from epoch"); err != nil {
				t.Error(err)
			}
			if _, err := tr.SweepStale(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for i := range runs {
		info := must[tracker.RunInfo](t)(tr.FindRun(ctx, fmt.Sprintf("run%d", i)))
		if info.Status != "FINISHED" {
			t.Errorf("run%d is %s", i, info.Status)
		}
		for w := range writers {
			points := must[[]tracker.Point](t)(tr.History(ctx, info.ID, fmt.Sprintf("w%d", w)))
			if len(points) != steps {
				t.Errorf("run%d, writer %d: %d points", i, w, len(points))
			}
		}
	}
}

// The database reports a full disk: logging continues, and everything is stored when there is space again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	tr := trackertest.StoreWith(t, uri, tracker.Options{FlushEvery: 5 * time.Millisecond})
	run := startRun(t, tr, "full")
	db := connect(t, uri)
	execute(t, db, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
		CREATE TRIGGER full_disk BEFORE INSERT ON metrics FOR EACH ROW EXECUTE FUNCTION full_disk()`)
	for step := int64(1); step <= 30; step++ {
		noError(t, run.LogMetrics(step, map[string]float64{"loss": float64(step)}))
		time.Sleep(time.Millisecond)
	}
	wantCode(t, run.Flush(ctx), tracker.CodeSpooled, "No space left")
	execute(t, db, `DROP TRIGGER full_disk ON metrics`)
	noError(t, run.Finish(ctx, tracker.Finished))
	checkSteps(t, tr, run.ID(), "loss", 30, func(s int64) float64 { return float64(s) })
}

// A database that always refuses the records does not make the program wait, and the records are kept.
func TestRefusedRecords(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	tr := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir, RetryFor: time.Hour})
	run := startRun(t, tr, "gone")
	execute(t, connect(t, uri), `DELETE FROM tags; DELETE FROM params; DELETE FROM runs`)
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 1}))
	began := time.Now()
	wantCode(t, run.Finish(ctx, tracker.Finished), tracker.CodeInternal, run.ID())
	if d := time.Since(began); d > time.Minute {
		t.Errorf("Finish waited for %v", d)
	}
	if left := spools(t, dir); len(left) != 1 {
		t.Errorf("spools: %v", left)
	}
	_, err := tr.ReplaySpools(ctx)
	noError(t, err)
	if left := spools(t, dir); len(left) != 1 || !strings.HasSuffix(left[0], ".orphan") {
		t.Errorf("spools after the replay: %v", left)
	}
}
