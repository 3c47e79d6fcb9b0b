package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/spherelab/spherelab/migrations"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/postgres/backup"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// MLflow's fixtures say what tables it has at their revisions, and our own tables of MLflow's are those of theirs.
func TestBackupKnowsMLflowsTables(t *testing.T) {
	t.Parallel()
	files := must[[]string](t)(filepath.Glob(filepath.Join("..", "testdata", "mlflow*.sql")))
	if len(files) < 8 {
		t.Fatalf("%d fixtures", len(files))
	}
	texts := map[string]string{"our own": migrations.MLflow}
	for _, file := range files {
		texts[file] = string(must[[]byte](t)(os.ReadFile(file)))
	}
	made := regexp.MustCompile(`(?m)^CREATE TABLE (?:public\.)?(\w+)`)
	stamped := regexp.MustCompile(`INSERT INTO public.alembic_version.*VALUES \('(\w+)'\)`)
	seen := map[string]bool{}
	for file, text := range texts {
		revision := stamped.FindStringSubmatch(text)
		if revision == nil {
			t.Fatalf("%s has no revision", file)
		}
		seen[revision[1]] = true
		want := []string{"alembic_version"}
		want = slices.Sorted(slices.Values(append(want, backup.MLflowTables(revision[1])...)))
		var have []string
		for _, table := range made.FindAllStringSubmatch(text, -1) {
			have = append(have, table[1])
		}
		if slices.Sort(have); !slices.Equal(have, want) {
			t.Errorf("%s has tables\n%q, at revision %s they are\n%q", file, have, revision[1], want)
		}
	}
	newest := backup.MLflowTables("dc11669786a5") // of MLflow 3.17
	if all := backup.MLflowTables("a newer one"); len(seen) < 7 || !slices.Equal(all, newest) {
		t.Errorf("%d revisions; unknown ones have %d tables, the newest %d", len(seen), len(all), len(newest))
	}
}

// Tables of other programs that share the database are left out, whatever they refer to.
func TestBackupLeavesForeignTables(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	fullRun(t, tr, "first")
	db := connect(t, tr.URL())
	execute(t, db, `CREATE TABLE public.notes (run varchar(32) REFERENCES public.runs, text text)`)
	execute(t, db, `INSERT INTO public.notes SELECT run_uuid, 'foreign' FROM public.runs`)
	execute(t, db, `CREATE TABLE public.a (x int PRIMARY KEY); CREATE TABLE public.b (x int PRIMARY KEY REFERENCES public.a);
		ALTER TABLE public.a ADD FOREIGN KEY (x) REFERENCES public.b`)
	// MLflow 3 would have a table of this name.
	execute(t, db, `CREATE TABLE public.jobs (x int); INSERT INTO public.jobs VALUES (1)`)
	file, report := trackertest.Backup(t, tr)
	if !slices.Equal(report.Foreign, []string{"a", "b", "jobs", "notes"}) {
		t.Errorf("foreign tables %v", report.Foreign)
	}
	// In the new place they do not count as rows of a tracker, and stay.
	for _, here := range []string{"", `CREATE TABLE public.jobs (x int)`, `CREATE TABLE public.jobs (x int);
		CREATE TABLE public.notes (x int); INSERT INTO public.jobs VALUES (7); INSERT INTO public.notes VALUES (7)`} {
		copied := trackertest.Store(t)
		other := connect(t, copied.URL())
		execute(t, other, here)
		foreign := func() []int {
			counts := rowsOfTables(t, other)
			return []int{counts["jobs"] + counts["public.jobs"], counts["notes"] + counts["public.notes"]}
		}
		before := foreign()
		report := must[backup.Report](t)(backup.Restore(ctx, copied, file))
		if after := foreign(); report.Runs != 1 || !slices.Equal(after, before) {
			t.Errorf("restored %+v, rows %v, not %v", report, after, before)
		}
	}
}

// Sequences of other programs that share the database keep their numbers, also when the file has them, as those of
// earlier versions do. Those of the tracker are restored.
func TestRestoreLeavesForeignSequences(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	const notes = `CREATE TABLE public.notes (id serial PRIMARY KEY, text text); CREATE SEQUENCE public.alone;
		INSERT INTO public.notes (text) SELECT 'x' FROM generate_series(1, %[1]d);
		SELECT setval('public.alone', %[1]d)`
	execute(t, connect(t, tr.URL()), fmt.Sprintf(notes, 2)+`, setval('spherelab.fence', 42),
		setval('public.experiments_experiment_id_seq', 43)`)
	file, _ := trackertest.Backup(t, tr)
	added := withSequences(t, file, "public.notes_id_seq", "public.alone", "spherelab.goose_ledger_id_seq")
	copied := trackertest.Store(t)
	db := connect(t, copied.URL())
	execute(t, db, fmt.Sprintf(notes, 100))
	var versions int64
	noError(t, db.Get(&versions, `SELECT last_value FROM spherelab.goose_ledger_id_seq`))
	must[backup.Report](t)(backup.Restore(ctx, copied, added))
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

// The artifact folder may be a mount point or a link, and folders next to it are not this program's.
func TestRestoreKeepsTheArtifactFolder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	fullRun(t, tr, "first")
	file, _ := trackertest.Backup(t, tr)

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

	copied := trackertest.StoreWith(t, trackertest.Database(t), tracker.Options{DataDir: dir})
	must[backup.Report](t)(backup.Restore(ctx, copied, file))
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

// Two databases may share an artifact folder. One restore does not remove what the other is reading.
func TestRestoresIntoOneFolder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	fullRun(t, tr, "first")
	file, _ := trackertest.Backup(t, tr)
	root := filepath.Join(t.TempDir(), "shared")
	open := func() *postgres.Store {
		return trackertest.StoreWith(t, trackertest.Database(t), tracker.Options{ArtifactDir: root})
	}
	first, second := open(), open()
	// The first restore has the beginning of the file, and waits for the rest.
	slow := filepath.Join(t.TempDir(), "slow.tar")
	noError(t, unix.Mkfifo(slow, 0o600))
	done := make(chan error, 1)
	go func() {
		_, err := backup.Restore(ctx, first, slow)
		done <- err
	}()
	whole := must[[]byte](t)(os.ReadFile(file))
	head := must[*tar.Header](t)(tar.NewReader(bytes.NewReader(whole)).Next())
	begun := 512 + (head.Size+511)/512*512
	pipe := must[*os.File](t)(os.OpenFile(slow, os.O_WRONLY, 0))
	must[int](t)(pipe.Write(whole[:begun]))
	stages := func() []string { return must[[]string](t)(filepath.Glob(filepath.Join(root, ".spherelab-restore-*"))) }
	for len(stages()) == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	_, err := backup.Restore(ctx, second, file)
	wantCode(t, err, tracker.CodeConflict, "another restore", root)
	must[int](t)(pipe.Write(whole[begun:]))
	noError(t, pipe.Close())
	noError(t, <-done)
	if a, b := allFiles(t, tr.ArtifactRoot()), allFiles(t, root); !maps.Equal(a, b) || len(a) == 0 {
		t.Errorf("files %v, not %v", b, a)
	}
	_, err = backup.Restore(ctx, second, file)
	wantCode(t, err, tracker.CodeConflict, "there are files in its artifact folder", root)
	if runs := must[[]tracker.RunInfo](t)(second.Runs(ctx, tracker.Filter{})); len(runs) > 0 {
		t.Errorf("the refused restore has %d runs", len(runs))
	}
	if left := must[[]string](t)(filepath.Glob(filepath.Join(root, ".*"))); len(left) > 0 {
		t.Errorf("the restores left %v", left)
	}
}
