package postgres_test

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres/backup"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// The connection is lost when the restore ends: what is in the database decides whether the artifacts stay.
func TestRestoreLosesTheAnswerToItsEnd(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	fullRun(t, tr, "first")
	running := startRun(t, tr, "running") // it has a spool
	file, _ := trackertest.Backup(t, tr)
	noError(t, running.Finish(ctx, tracker.Finished))
	want := allFiles(t, tr.ArtifactRoot())
	for name, c := range map[string]struct {
		lost         lost
		error, whole bool
	}{"the message": {lostMessage, true, false}, "the answer": {lostAnswer, false, true}, "the network": {lostNetwork, true, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProxy(t, trackertest.Database(t))
			dir := t.TempDir()
			copied := trackertest.StoreWith(t, p.uri, tracker.Options{DataDir: dir, RetryFor: 300 * time.Millisecond})
			p.lose(c.lost)
			_, err := backup.Restore(ctx, copied, file)
			p.mend()
			if (err != nil) != c.error {
				t.Errorf("error %v", err)
			}
			if c.lost == lostNetwork {
				wantCode(t, err, tracker.CodeUnavailable, "check whether it has runs", copied.ArtifactRoot(),
					"remove "+filepath.Join(dir, "spool", running.ID()+".spool"))
				if left := must[[]string](t)(filepath.Glob(filepath.Join(copied.ArtifactRoot(), ".*"))); len(left) > 0 {
					t.Errorf("the restore left %v", left)
				}
			}
			runs := must[[]tracker.RunInfo](t)(copied.Runs(ctx, tracker.Filter{}))
			files := allFiles(t, copied.ArtifactRoot())
			if (len(runs) == 2) != c.whole || maps.Equal(files, want) != c.whole || !c.whole && len(files) > 0 {
				t.Errorf("%d runs, files %v", len(runs), files)
			}
			if !c.whole { // so it can be restored again
				must[backup.Report](t)(backup.Restore(ctx, copied, file))
			}
		})
	}
}

// A database that MLflow has upgraded is restored into an empty one that it has upgraded, and has written rows into.
func TestRestoreIntoTablesOfMLflow3(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	full, empty := trackertest.Database(t), trackertest.Database(t)
	made := read(t, "mlflow_3_17.sql")
	execute(t, connect(t, full), made)
	var lines []string
	for line := range strings.Lines(made) {
		to, row := strings.CutPrefix(line, "INSERT INTO public.")
		if !row || strings.HasPrefix(to, "alembic_version") || strings.HasPrefix(to, "workspaces") ||
			strings.HasPrefix(to, "experiments VALUES (0,") {
			lines = append(lines, line)
		}
	}
	execute(t, connect(t, empty), strings.Join(lines, ""))
	tr := trackertest.StoreWith(t, full, tracker.Options{DataDir: t.TempDir()})
	fullRun(t, tr, "ours")
	file, wrote := trackertest.Backup(t, tr)
	copied := trackertest.StoreWith(t, empty, tracker.Options{DataDir: t.TempDir()})
	read := must[backup.Report](t)(backup.Restore(ctx, copied, file))
	if read.Runs != 2 || read.Rows != wrote.Rows {
		t.Errorf("restored %+v of %+v", read, wrote)
	}
	before, after := rowsOfTables(t, connect(t, full)), rowsOfTables(t, connect(t, empty))
	for _, of := range []map[string]int{before, after} { // made again in each database
		maps.DeleteFunc(of, func(name string, _ int) bool { return strings.HasSuffix(name, "summary") })
	}
	if !maps.Equal(before, after) || before["workspaces"] != 1 {
		t.Errorf("rows %v, not %v", after, before)
	}
	useDatabase(t, copied, "after")
}
