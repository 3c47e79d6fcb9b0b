package postgres_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestPurge(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	db := connect(t, tr.URL())
	_, kept := fullRun(t, tr, "kept")
	noError(t, tr.Summarise(ctx))
	before := rowsOfTables(t, db)
	if before["runs"]+before["public.runs"] != 1 {
		t.Fatalf("rows %v", before)
	}
	id, folder := fullRun(t, tr, "gone")
	noError(t, tr.Summarise(ctx))
	wantCode(t, tr.Purge(ctx, id), tracker.CodeNotFound, id) // it is not deleted
	noError(t, tr.Delete(ctx, id))
	list := must[[]postgres.Deleted](t)(tr.DeletedRuns(ctx, nil))
	if len(list) != 1 || list[0].ID != id || list[0].Folder != folder || list[0].Bytes != 10 || list[0].Files != 2 ||
		time.Since(list[0].At) > time.Hour {
		t.Errorf("deleted runs %+v, not %s in %s", list, id, folder)
	}
	noError(t, tr.Purge(ctx, id))
	if _, err := os.Lstat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(kept, "artifacts-7", "model", "file")); err != nil {
		t.Error(err)
	}
	for table, n := range rowsOfTables(t, db) {
		if n != before[table] {
			t.Errorf("table %s has %d rows, and %d before the run", table, n, before[table])
		}
	}
	wantCode(t, tr.Purge(ctx, id), tracker.CodeNotFound, id)
}

// Any client may write the address of a run's artifacts.
func TestPurgeStaysBelowTheArtifactRoot(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	tr := trackertest.StoreWith(t, trackertest.Database(t), tracker.Options{DataDir: dir})
	db := connect(t, tr.URL())
	root := tr.ArtifactRoot()
	for i, address := range []func(id string) string{
		func(id string) string { return filepath.Join(dir, "elsewhere", id, "artifacts") },
		func(id string) string { return root + "/0/../../elsewhere/" + id + "/artifacts" },
		func(id string) string { return root + "/0/%2e%2e/%2e%2e/elsewhere/" + id + "/artifacts" },
		func(id string) string { return filepath.Join(root, "0", "other", "artifacts") },
		func(id string) string { return filepath.Join(root, id, "artifacts") },
		func(id string) string { return filepath.Join(root, "0", id, "model") },
		func(id string) string { return filepath.Join(root, "0", id) },
	} {
		id, folder := fullRun(t, tr, fmt.Sprint("run-", i))
		uri := "file://" + address(id)
		var places []string
		for _, place := range []string{filepath.Join(dir, "elsewhere", id), filepath.Join(root, "0", "other"),
			filepath.Join(root, id), filepath.Join(root, "0", id)} {
			file := filepath.Join(place, "artifacts", "precious")
			noError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			noError(t, os.WriteFile(file, nil, 0o644))
			places = append(places, file)
		}
		execute(t, db, `UPDATE public.runs SET artifact_uri = $2 WHERE run_uuid = $1`, id, uri)
		noError(t, tr.Delete(ctx, id))
		if list := must[[]postgres.Deleted](t)(tr.DeletedRuns(ctx, []string{id})); len(list) != 1 || list[0].Folder != "" {
			t.Errorf("%s: %+v", uri, list)
		}
		noError(t, tr.Purge(ctx, id))
		for _, file := range places {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", uri, err)
			}
		}
		noError(t, os.RemoveAll(folder))
	}
	// A link in place of the run's folder goes, what it leads to stays.
	id, folder := fullRun(t, tr, "link")
	outside := filepath.Join(dir, "outside")
	noError(t, os.Rename(folder, outside))
	noError(t, os.Symlink(outside, folder))
	noError(t, tr.Delete(ctx, id))
	noError(t, tr.Purge(ctx, id))
	if _, err := os.Stat(filepath.Join(outside, "artifacts", "model", "file")); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(folder); !os.IsNotExist(err) {
		t.Errorf("the link is still there: %v", err)
	}
}

// What stops a purge leaves a run that can be purged again, and cannot be restored without its files.
func TestPurgeAgain(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	tr := trackertest.StoreWith(t, trackertest.Database(t), tracker.Options{DataDir: dir})
	id, folder := fullRun(t, tr, "run")
	noError(t, tr.Delete(ctx, id))
	// The experiment's folder leads out of the root, so that its files cannot be removed.
	experiment, outside := filepath.Dir(folder), filepath.Join(dir, "outside")
	noError(t, os.Rename(experiment, outside))
	noError(t, os.Symlink(outside, experiment))
	wantCode(t, tr.Purge(ctx, id), tracker.CodeInternal, id, "again")
	if _, err := os.Stat(filepath.Join(outside, id, "artifacts", "model", "file")); err != nil {
		t.Error(err)
	}
	wantCode(t, tr.Restore(ctx, id), tracker.CodeConflict, "purge it again")
	noError(t, os.Remove(experiment))
	noError(t, os.Rename(outside, experiment))
	noError(t, tr.Purge(ctx, id))
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if list := must[[]postgres.Deleted](t)(tr.DeletedRuns(ctx, nil)); len(list) != 0 {
		t.Errorf("deleted runs %+v", list)
	}
}

// A program that is killed between the files and the rows, or before both.
func TestPurgeAfterAKill(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	db := connect(t, tr.URL())
	id, folder := fullRun(t, tr, "run")
	noError(t, tr.Delete(ctx, id))
	execute(t, db, `CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''killed''; END'`)
	execute(t, db, `CREATE TRIGGER fail BEFORE DELETE ON public.runs FOR EACH ROW EXECUTE FUNCTION public.fail()`)
	if err := tr.Purge(ctx, id); err == nil {
		t.Fatal("the purge was not stopped")
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the files are there: %v", err)
	}
	var points int
	noError(t, db.Get(&points, `SELECT count(*) FROM public.metrics WHERE run_uuid = $1`, id))
	if points == 0 {
		t.Error("rows are gone of a run that is there")
	}
	wantCode(t, tr.Restore(ctx, id), tracker.CodeConflict, "purge it again")
	execute(t, db, `DROP TRIGGER fail ON public.runs`)
	noError(t, tr.Purge(ctx, id))
	if counts := rowsOfTables(t, db); counts["metrics"]+counts["public.metrics"] != 0 {
		t.Errorf("rows %v", counts)
	}
}

// TestPurgeOfALivingRun: a run may be deleted while it runs, by MLflow or with its experiment. It is not purged.
func TestPurgeOfALivingRun(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Store(t)
	run := startRun(t, tr, "alive")
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 1}))
	noError(t, run.Flush(ctx))
	_, err := tr.DB().Exec(`UPDATE public.runs SET lifecycle_stage = 'deleted', deleted_time = 1 WHERE run_uuid = $1`,
		run.ID())
	noError(t, err)
	if err := tr.Purge(ctx, run.ID()); tracker.ErrorCode(err) != tracker.CodeBusy {
		t.Errorf("purging a living run: %v", err)
	}
	if _, err := os.Stat(run.ArtifactDir()); err != nil {
		t.Error(err)
	}
	noError(t, run.Finish(ctx, tracker.Killed))
	noError(t, tr.Purge(ctx, run.ID()))
}
