package tracker_test

import (
	"archive/tar"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// backupOf writes a backup of a tracker.
func backupOf(t *testing.T, tr *tracker.Tracker) (file string, report tracker.BackupReport) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "backup.tar")
	return file, must[tracker.BackupReport](t)(tr.Backup(context.Background(), file))
}

// A run that was interrupted may be resumed while a backup is written. Its files are read before the tables, so what it
// saves after them is not in the backup.
func TestBackupWhileARunIsResumed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Open(t)
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
		_, err := tr.Backup(ctx, file)
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

	copied := trackertest.Open(t)
	must[tracker.BackupReport](t)(copied.RestoreBackup(ctx, file))
	info := must[tracker.RunInfo](t)(copied.FindRun(ctx, run.ID()))
	state := string(must[[]byte](t)(os.ReadFile(filepath.Join(must[string](t)(info.ArtifactDir()), "state"))))
	if state != "1" || info.Steps["loss"] != 1 || info.Status != string(tracker.Killed) {
		t.Errorf("the saved state is of epoch %s, the run is %+v", state, info)
	}
}

// MLflow's fixtures say what tables it makes.
func TestBackupKnowsMLflowsTables(t *testing.T) {
	t.Parallel()
	files := must[[]string](t)(filepath.Glob(filepath.Join("testdata", "mlflow*.sql")))
	if len(files) < 8 {
		t.Fatalf("%d fixtures", len(files))
	}
	for _, file := range files {
		for line := range strings.Lines(string(must[[]byte](t)(os.ReadFile(file)))) {
			name, ok := strings.CutPrefix(line, "CREATE TABLE ")
			if !ok {
				continue
			}
			name, _, _ = strings.Cut(strings.TrimPrefix(name, "public."), " ")
			if name != "alembic_version" && !slices.Contains(tracker.MLflowTables, name) {
				t.Errorf("%s has table %s", file, name)
			}
		}
	}
}

// Tables of other programs that share the database are left out, whatever they refer to.
func TestBackupLeavesForeignTables(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Open(t)
	fullRun(t, tr, "first")
	db := connect(t, tr.URL())
	execute(t, db, `CREATE TABLE public.notes (run varchar(32) REFERENCES public.runs, text text)`)
	execute(t, db, `INSERT INTO public.notes SELECT run_uuid, 'foreign' FROM public.runs`)
	execute(t, db, `CREATE TABLE public.a (x int PRIMARY KEY); CREATE TABLE public.b (x int PRIMARY KEY REFERENCES public.a);
		ALTER TABLE public.a ADD FOREIGN KEY (x) REFERENCES public.b`)
	// By its name it could be MLflow 3's.
	execute(t, db, `CREATE TABLE public.jobs (x int); INSERT INTO public.jobs VALUES (1)`)
	file, report := backupOf(t, tr)
	if !slices.Equal(report.Foreign, []string{"a", "b", "notes"}) {
		t.Errorf("foreign tables %v", report.Foreign)
	}
	copied := trackertest.Open(t)
	report = must[tracker.BackupReport](t)(copied.RestoreBackup(ctx, file))
	if !slices.Equal(report.Foreign, []string{"jobs"}) || report.Runs != 1 {
		t.Errorf("restored %+v", report)
	}
	// In the new place they do not count as rows of a tracker, and stay.
	full := trackertest.Open(t)
	other := connect(t, full.URL())
	execute(t, other, `CREATE TABLE public.notes (text text); INSERT INTO public.notes VALUES ('precious')`)
	must[tracker.BackupReport](t)(full.RestoreBackup(ctx, file))
	if counts := rowsOfTables(t, other); counts["notes"]+counts["public.notes"] != 1 {
		t.Errorf("rows %v", counts)
	}
}

// Sequences of other programs that share the database keep their numbers, also when the file has them, as those of
// earlier versions do. Those of the tracker are restored.
func TestRestoreLeavesForeignSequences(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Open(t)
	const notes = `CREATE TABLE public.notes (id serial PRIMARY KEY, text text); CREATE SEQUENCE public.alone;
		INSERT INTO public.notes (text) SELECT 'x' FROM generate_series(1, %[1]d);
		SELECT setval('public.alone', %[1]d)`
	execute(t, connect(t, tr.URL()), fmt.Sprintf(notes, 2)+`, setval('spherelab.fence', 42),
		setval('public.experiments_experiment_id_seq', 43)`)
	file, _ := backupOf(t, tr)
	added := withSequences(t, file, "public.notes_id_seq", "public.alone", "spherelab.goose_ledger_id_seq")
	copied := trackertest.Open(t)
	db := connect(t, copied.URL())
	execute(t, db, fmt.Sprintf(notes, 100))
	var versions int64
	noError(t, db.Get(&versions, `SELECT last_value FROM spherelab.goose_ledger_id_seq`))
	must[tracker.BackupReport](t)(copied.RestoreBackup(ctx, added))
	for name, want := range map[string]int64{"public.notes_id_seq": 100, "public.alone": 100, "spherelab.fence": 42,
		"public.experiments_experiment_id_seq": 43, "spherelab.goose_ledger_id_seq": versions} {
		var next int64
		if noError(t, db.Get(&next, `SELECT nextval($1)`, name)); next != want+1 {
			t.Errorf("the next number of %s is %d, not %d", name, next, want+1)
		}
	}
}

// withSequences copies a backup that does not have these sequences, and adds them.
func withSequences(t *testing.T, file string, names ...string) string {
	t.Helper()
	in := must[*os.File](t)(os.Open(file))
	defer in.Close()
	out := must[*os.File](t)(os.Create(filepath.Join(t.TempDir(), "backup.tar")))
	defer out.Close()
	w := tar.NewWriter(out)
	r := tar.NewReader(in)
	for entry, err := r.Next(); err != io.EOF; entry, err = r.Next() {
		noError(t, err)
		text := must[[]byte](t)(io.ReadAll(r))
		if entry.Name == "spherelab-backup-end.json" {
			var tail map[string]any
			noError(t, json.Unmarshal(text, &tail))
			sequences := tail["sequences"].(map[string]any)
			for _, name := range names {
				if sequences[name] != nil {
					t.Errorf("the backup has sequence %s", name)
				}
				sequences[name] = 2
			}
			text = must[[]byte](t)(json.Marshal(tail))
			entry.Size = int64(len(text))
		}
		noError(t, w.WriteHeader(entry))
		must[int](t)(w.Write(text))
	}
	noError(t, w.Close())
	return out.Name()
}

// The artifact folder may be a mount point or a link, and folders beside it are not this program's.
func TestRestoreKeepsTheArtifactFolder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Open(t)
	fullRun(t, tr, "first")
	file, _ := backupOf(t, tr)

	dir := t.TempDir()
	root, disk := filepath.Join(dir, "artifacts"), filepath.Join(dir, "disk")
	noError(t, os.MkdirAll(filepath.Join(disk, "0"), 0o755)) // MLflow makes such folders
	noError(t, os.MkdirAll(filepath.Join(disk, "lost+found"), 0o700))
	noError(t, os.Symlink(disk, root))
	precious := filepath.Join(root+".restore", "precious")
	noError(t, os.Mkdir(filepath.Dir(precious), 0o755))
	noError(t, os.WriteFile(precious, nil, 0o644))
	killed := filepath.Join(disk, ".spherelab-restore-123", "artifacts", "0") // of a restore that was killed
	noError(t, os.MkdirAll(killed, 0o755))
	noError(t, os.WriteFile(filepath.Join(killed, "file"), nil, 0o644))
	before := must[os.FileInfo](t)(os.Stat(disk))

	copied := trackertest.OpenWith(t, trackertest.Database(t), tracker.Options{DataDir: dir})
	must[tracker.BackupReport](t)(copied.RestoreBackup(ctx, file))
	if !os.SameFile(before, must[os.FileInfo](t)(os.Stat(root))) {
		t.Error("the artifact folder is another one")
	}
	if a, b := allFiles(t, tr.ArtifactRoot()), allFiles(t, disk); !maps.Equal(a, b) || len(a) == 0 {
		t.Errorf("files %v, not %v", b, a)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
	if left := must[[]string](t)(filepath.Glob(filepath.Join(disk, ".*"))); len(left) > 0 {
		t.Errorf("the restore left %v", left)
	}
}

// The connection is lost when the restore ends: what is in the database decides whether the artifacts stay.
func TestRestoreLosesTheAnswerToItsEnd(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Open(t)
	fullRun(t, tr, "first")
	file, _ := backupOf(t, tr)
	want := allFiles(t, tr.ArtifactRoot())
	for name, c := range map[string]struct {
		lost         lost
		error, whole bool
	}{"the message": {lostMessage, true, false}, "the answer": {lostAnswer, false, true}, "the network": {lostNetwork, true, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProxy(t, trackertest.Database(t))
			copied := trackertest.OpenWith(t, p.uri, tracker.Options{RetryFor: 300 * time.Millisecond})
			p.lose(c.lost)
			_, err := copied.RestoreBackup(ctx, file)
			p.mend()
			if (err != nil) != c.error {
				t.Errorf("error %v", err)
			}
			if c.lost == lostNetwork {
				wantCode(t, err, tracker.CodeUnavailable, "look whether it has runs", copied.ArtifactRoot())
			}
			runs := must[[]tracker.RunInfo](t)(copied.Runs(ctx, tracker.Filter{}))
			files := allFiles(t, copied.ArtifactRoot())
			if (len(runs) == 1) != c.whole || maps.Equal(files, want) != c.whole || !c.whole && len(files) > 0 {
				t.Errorf("%d runs, files %v", len(runs), files)
			}
			if !c.whole { // so it can be restored again
				must[tracker.BackupReport](t)(copied.RestoreBackup(ctx, file))
			}
		})
	}
}
