package backup_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/postgres/backup"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// allRows returns the rows of each table that a backup has, as texts.
func allRows(t *testing.T, db *sqlx.DB, root string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for table := range rowsOfTables(t, db) {
		switch table[strings.LastIndex(table, ".")+1:] {
		case "alembic_version", "goose_ledger", "reader", "summary_horizon":
			continue
		}
		var rows []string
		noError(t, db.Select(&rows, `SELECT t::text FROM `+table+` t ORDER BY 1`))
		for i := range rows {
			rows[i] = strings.ReplaceAll(rows[i], root, "ROOT")
		}
		slices.Sort(rows)
		all[table] = rows
	}
	return all
}

// oddTracker has everything that a backup must carry.
func oddTracker(t *testing.T) *postgres.Store {
	t.Helper()
	ctx := context.Background()
	tr := trackertest.Store(t)
	fullRun(t, tr, "first")
	id, _ := fullRun(t, tr, "deleted")
	noError(t, tr.Delete(ctx, id))
	run := startRun(t, tr, "odd")
	noError(t, run.LogMetrics(1, map[string]float64{"loss": math.NaN(), "a": math.Inf(1), "b": math.Inf(-1),
		"c": math.SmallestNonzeroFloat64, "d": 0.1, "e": math.Copysign(0, -1)}))
	noError(t, run.SetTags(map[string]string{"text": "tab\tline\nreturn\rback\\slash \\N \\t \U0001f600", "empty": "",
		"null": `\N`}))
	noError(t, run.Finish(ctx, tracker.Killed))
	must[int](t)(tr.Enqueue(ctx, "sweep", []tracker.NewJob{{Key: "k", Title: "t", Config: "a: 1\n"}}))
	return tr
}

func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := oddTracker(t)
	noError(t, tr.Summarise(ctx))
	file := filepath.Join(t.TempDir(), "backup.tar")
	wrote := must[backup.Report](t)(backup.Write(ctx, tr, file))
	if wrote.Runs != 3 || wrote.Files != 4 || len(wrote.Elsewhere) != 0 || wrote.Interrupted != 0 {
		t.Errorf("backup %+v", wrote)
	}
	_, err := backup.Write(ctx, tr, file)
	wantCode(t, err, tracker.CodeConflict, file, "exists")
	_, err = backup.Restore(ctx, tr, file) // its rows are named rather than its files, which may be moved away
	wantCode(t, err, tracker.CodeConflict, "not empty", "rows in table", "a new tracker")

	dir := t.TempDir()
	copied := trackertest.StoreWith(t, trackertest.Database(t), tracker.Options{DataDir: dir})
	read := must[backup.Report](t)(backup.Restore(ctx, copied, file))
	if read.Runs != wrote.Runs || read.Rows != wrote.Rows || read.Files != wrote.Files || read.Bytes != wrote.Bytes {
		t.Errorf("restored %+v of %+v", read, wrote)
	}
	before, after := allRows(t, connect(t, tr.URL()), tr.ArtifactRoot()),
		allRows(t, connect(t, copied.URL()), copied.ArtifactRoot())
	for table, rows := range before {
		if !slices.Equal(rows, after[table]) {
			t.Errorf("table %s:\n%s\nwas\n%s", table, strings.Join(after[table], "\n"), strings.Join(rows, "\n"))
		}
	}
	if len(before) != len(after) || len(before) < 20 {
		t.Errorf("%d tables, and %d", len(before), len(after))
	}
	if a, b := allFiles(t, tr.ArtifactRoot()), allFiles(t, copied.ArtifactRoot()); !maps.Equal(a, b) || len(a) != 4 {
		t.Errorf("files %v, not %v", b, a)
	}
	// The copy is a tracker: what was deleted can be restored, new rows get new numbers.
	list := must[[]postgres.Deleted](t)(copied.DeletedRuns(ctx, nil))
	if len(list) != 1 || list[0].Files != 2 {
		t.Fatalf("deleted runs %+v", list)
	}
	noError(t, copied.Restore(ctx, list[0].ID))
	run := must[*tracker.Run](t)(copied.StartRun(ctx, tracker.RunSpec{Experiment: "another"}))
	noError(t, run.Finish(ctx, tracker.Finished))
	must[int](t)(copied.Enqueue(ctx, "sweep", []tracker.NewJob{{Key: "l", Title: "t", Config: "a: 2\n"}}))
	if n := trackertest.UnlikePoints(t, connect(t, copied.URL())); n > 0 {
		t.Errorf("%d rows of the views differ", n)
	}
}

// A backup that is taken while a run logs has every point that was logged before, and the run can be resumed from what
// it saved.
func TestBackupWhileARunLogs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := startRun(t, tr, "running")
	stop, done := make(chan struct{}), make(chan int64)
	saved := make(chan struct{})
	go func() { // a training: it logs an epoch, then saves it
		epoch := int64(0)
		for {
			select {
			case <-stop:
				done <- epoch
				return
			default:
			}
			epoch++
			name := filepath.Join(run.ArtifactDir(), "state")
			if err := errors.Join(run.LogMetrics(epoch, map[string]float64{"loss": float64(epoch)}),
				os.WriteFile(name+".new", []byte(fmt.Sprint(epoch)), 0o644), os.Rename(name+".new", name)); err != nil {
				t.Error(err)
			}
			if epoch == 20 {
				close(saved)
			}
		}
	}()
	<-saved
	file := filepath.Join(t.TempDir(), "backup.tar")
	report := must[backup.Report](t)(backup.Write(ctx, tr, file))
	close(stop)
	last := <-done
	noError(t, run.Finish(ctx, tracker.Finished))
	if report.Interrupted != 1 || report.Files == 0 {
		t.Errorf("backup %+v", report)
	}
	copied := trackertest.Store(t)
	must[backup.Report](t)(backup.Restore(ctx, copied, file))
	info := must[tracker.RunInfo](t)(copied.FindRun(ctx, run.ID()))
	if info.Status != string(tracker.Failed) { // as after a crash
		t.Errorf("status %s", info.Status)
	}
	again := must[*tracker.Run](t)(copied.ResumeRun(ctx, run.ID()))
	text := must[[]byte](t)(os.ReadFile(filepath.Join(again.ArtifactDir(), "state")))
	state := int64(0)
	must[int](t)(fmt.Sscan(string(text), &state))
	points := must[[]tracker.Point](t)(copied.History(ctx, run.ID(), "loss"))
	if state < 20 || int64(len(points)) < state || state > last {
		t.Errorf("%d points, the state is of epoch %d of %d", len(points), state, last)
	}
	for i, p := range points {
		if p.Step != int64(i+1) || p.Value != float64(i+1) {
			t.Fatalf("point %d is %+v", i, p)
		}
	}
	for epoch := state + 1; epoch <= last; epoch++ {
		noError(t, again.LogMetrics(epoch, map[string]float64{"loss": float64(epoch)}))
	}
	noError(t, again.Finish(ctx, tracker.Finished))
	if n := len(must[[]tracker.Point](t)(copied.History(ctx, run.ID(), "loss"))); int64(n) != last {
		t.Errorf("%d points after the resumed run, not %d", n, last)
	}
}

// Files that are not a whole backup leave the tracker empty, and a backup that fails leaves no file.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := oddTracker(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "backup.tar")
	must[backup.Report](t)(backup.Write(ctx, tr, file))
	whole := must[[]byte](t)(os.ReadFile(file))
	changed := slices.Clone(whole)
	at := strings.LastIndex(string(whole), "12345") // an artifact
	changed[at] = 'x'
	copied := trackertest.Store(t)
	empty := allRows(t, connect(t, copied.URL()), copied.ArtifactRoot())
	for name, text := range map[string][]byte{"nothing": nil, "text": []byte("hello"), "changed": changed,
		"cut": whole[:len(whole)-4096], "half": whole[:len(whole)/2], "head": whole[:2048]} {
		bad := filepath.Join(dir, name)
		noError(t, os.WriteFile(bad, text, 0o644))
		_, err := backup.Restore(ctx, copied, bad)
		wantCode(t, err, tracker.CodeInvalid, bad)
		rows := allRows(t, connect(t, copied.URL()), copied.ArtifactRoot())
		if !maps.EqualFunc(rows, empty, slices.Equal) {
			t.Errorf("%s left rows", name)
		}
		if _, err := os.Stat(copied.ArtifactRoot()); err == nil && len(allFiles(t, copied.ArtifactRoot())) > 0 {
			t.Errorf("%s left artifacts", name)
		}
	}
	must[backup.Report](t)(backup.Restore(ctx, copied, file))
	over, stop := context.WithCancel(ctx)
	stop()
	if _, err := backup.Write(over, tr, filepath.Join(dir, "stopped.tar")); !errors.Is(err, context.Canceled) {
		t.Errorf("the stopped backup: %v", err)
	}
	left := must[[]string](t)(filepath.Glob(filepath.Join(dir, ".spherelab*")))
	if _, err := os.Stat(filepath.Join(dir, "stopped.tar")); err == nil || len(left) > 0 {
		t.Errorf("the stopped backup left %v, %v", left, err)
	}
}
