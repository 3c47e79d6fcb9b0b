package backup_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres/backup"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// A run that was interrupted may be resumed while a backup is written. Its files are read before the tables, so what it
// saves after them is not in the backup.
func TestBackupWhileARunIsResumed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	db := connect(t, tr.URL())
	save := func(run *tracker.Run, epoch int64) {
		t.Helper()
		noError(t, run.LogMetrics(epoch, map[string]float64{"loss": 1}))
		noError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), "state"), []byte(fmt.Sprint(epoch)), 0o644))
	}
	run := startRun(t, tr, "interrupted")
	save(run, 1)
	noError(t, run.Finish(ctx, tracker.Killed))
	holder := must[*sqlx.Tx](t)(db.Beginx())
	must[sql.Result](t)(holder.Exec(`LOCK TABLE public.input_tags`)) // which the backup comes to after its snapshot
	file := filepath.Join(t.TempDir(), "backup.tar")
	done := make(chan error, 1)
	go func() {
		_, err := backup.Write(ctx, tr, file)
		done <- err
	}()
	for waiting := 0; waiting == 0; time.Sleep(5 * time.Millisecond) {
		noError(t, db.Get(&waiting, `SELECT count(*) FROM pg_locks WHERE relation = 'public.input_tags'::regclass
			AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`))
	}
	again := must[*tracker.Run](t)(tr.ResumeRun(ctx, run.ID()))
	save(again, 2)
	noError(t, again.Flush(ctx))
	noError(t, holder.Rollback())
	noError(t, <-done)
	noError(t, again.Finish(ctx, tracker.Finished))

	copied := trackertest.Store(t)
	must[backup.Report](t)(backup.Restore(ctx, copied, file))
	info := must[tracker.RunInfo](t)(copied.FindRun(ctx, run.ID()))
	state := string(must[[]byte](t)(os.ReadFile(filepath.Join(must[string](t)(info.ArtifactDir()), "state"))))
	if state != "1" || info.Steps["loss"] != 1 || info.Status != string(tracker.Killed) {
		t.Errorf("the saved state is of epoch %s, the run is %+v", state, info)
	}
}

// whileCopying is a context that calls a function whenever a backup is about to copy a file of a run.
type whileCopying struct {
	context.Context
	do func()
}

func (c whileCopying) Err() error {
	if strings.Contains(string(debug.Stack()), "writer).folder") {
		c.do()
	}
	return c.Context.Err()
}

// Runs that begin or continue while artifacts are read are read too. A backup that never sees the last of them names
// it.
func TestBackupWhileRunsBegin(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, limit := range map[string]int{"a few": 3, "without end": 1000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := trackertest.Store(t)
			finished, folder := fullRun(t, tr, "finished")
			begin := func(name string) *tracker.Run {
				run := startRun(t, tr, name)
				noError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), "state"), []byte(run.ID()), 0o644))
				noError(t, run.Finish(ctx, tracker.Killed))
				return run
			}
			last := begin("first")
			begun := 1
			file := filepath.Join(t.TempDir(), "backup.tar")
			var mu sync.Mutex
			report := must[backup.Report](t)(backup.Write(whileCopying{ctx, func() {
				mu.Lock()
				defer mu.Unlock()
				if begun == limit {
					return
				}
				if begun == 1 {
					again := must[*tracker.Run](t)(tr.ResumeRun(ctx, finished))
					noError(t, again.Finish(ctx, tracker.Killed))
				}
				begun++
				last = begin("later")
			}}, tr, file))
			late := report.Late
			if begun < 3 || slices.Contains(late, last.ID()) != (limit > 3) || len(late) > 0 && limit == 3 ||
				int(report.Runs) != begun+1 {
				t.Fatalf("%d runs began, backup %+v", begun, report)
			}
			copied := trackertest.Store(t)
			if read := must[backup.Report](t)(backup.Restore(ctx, copied, file)); !slices.Equal(read.Late, late) {
				t.Errorf("restored %+v", read)
			}
			want := allFiles(t, tr.ArtifactRoot())
			maps.DeleteFunc(want, func(_, text string) bool { return slices.Contains(late, text) })
			if len(want) != begun+2-len(late) {
				t.Errorf("%d files", len(want))
			}
			if have := allFiles(t, copied.ArtifactRoot()); !maps.Equal(have, want) || have[strings.TrimPrefix(
				filepath.Join(folder, "artifacts", "model", "file"), tr.ArtifactRoot())] == "" {
				t.Errorf("restored files %v, not %v", have, want)
			}
		})
	}
}
