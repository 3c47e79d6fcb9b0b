package backup_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/postgres/backup"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestBackupOfServedArtifacts: artifacts that clients stored at mlflow-artifacts: below the tracker's folder are in a
// backup, are restored, found and purged; those at another server, or not here, are named.
func TestBackupOfServedArtifacts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	create := func(name, uri, file string) string {
		id := must[string](t)(tr.CreateRun(ctx, 0, postgres.ClientRun{Name: name, User: "u", Start: 1}))
		place := filepath.Join("7", "deep", id, "artifacts")
		execute(t, tr.DB(), `UPDATE public.runs SET artifact_uri = $2, status = 'FINISHED' WHERE run_uuid = $1`, id,
			uri+filepath.ToSlash(place))
		if file != "" {
			dir := filepath.Join(tr.ArtifactRoot(), place)
			noError(t, os.MkdirAll(dir, 0o755))
			noError(t, os.WriteFile(filepath.Join(dir, "note.txt"), []byte(file), 0o644))
		}
		return id
	}
	served, slashes := create("served", "mlflow-artifacts:/", "one"), create("slashes", "mlflow-artifacts:///", "two")
	away := map[string]bool{create("other", "mlflow-artifacts://other.example/", "three"): true,
		create("gone", "mlflow-artifacts:/", ""): true, create("up", "mlflow-artifacts:/../", "four"): true}
	file := filepath.Join(t.TempDir(), "backup.tar")
	report := must[backup.Report](t)(backup.Write(ctx, tr, file))
	if report.Files != 2 || len(report.Elsewhere) != len(away) {
		t.Errorf("%+v", report)
	}
	for _, id := range report.Elsewhere {
		if !away[id] {
			t.Errorf("run %s is elsewhere", id)
		}
	}
	copied := trackertest.StoreWith(t, trackertest.Database(t), tracker.Options{DataDir: t.TempDir()})
	must[backup.Report](t)(backup.Restore(ctx, copied, file))
	for id, want := range map[string]string{served: "one", slashes: "two"} {
		dir := must[string](t)(must[tracker.RunInfo](t)(copied.FindRun(ctx, id)).ArtifactDir())
		if text, err := os.ReadFile(filepath.Join(dir, "note.txt")); err != nil || string(text) != want {
			t.Errorf("run %s has %q, %v", id, text, err)
		}
		noError(t, copied.Delete(ctx, id))
		noError(t, copied.Purge(ctx, id))
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("purged, but %s: %v", dir, err)
		}
	}
	for id := range away {
		if _, err := os.Stat(filepath.Join(copied.ArtifactRoot(), "7", "deep", id)); !os.IsNotExist(err) {
			t.Errorf("run %s has a folder: %v", id, err)
		}
	}
}
