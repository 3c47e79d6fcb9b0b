// Package backup writes a whole tracker to one file, and reads it into an empty tracker on any machine.
//
// pg_dump is not part of the PostgreSQL programs that a private server is installed with, and refuses servers that are
// newer than itself. It also knows nothing about artifacts. A backup here reads the artifacts of unfinished runs before
// the snapshot of the tables, so that a run can be resumed from the copy. Restoring changes their addresses with the
// folder.
package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/disk"
	"github.com/spherelab/spherelab/tracker/internal/process"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// A backup is a tar file. Its first entry is the head, its last the tail. Between them are, in this order: the
// artifacts of runs that have not finished, copied spools, the tables of one snapshot of the database in PostgreSQL's
// text format, and the artifacts of finished runs. The spools and tables are read after a saved state, so the points
// that belong to it are in one of them. What a resumed run logs again is skipped.
const (
	version       = 1
	headEntry     = "spherelab-backup.json"
	tailEntry     = "spherelab-backup-end.json"
	runningFolder = "running"
	spoolFolder   = "spool"
	tableFolder   = "database"
	runFolder     = "artifacts"
)

// head describes the source of a backup.
type head struct {
	Version   int           `json:"version"`
	Database  string        `json:"database"` // its identity
	At        time.Time     `json:"at"`
	Schema    int64         `json:"schema"` // version of schema spherelab
	MLflow    string        `json:"mlflow"` // revision of MLflow's tables
	Artifacts string        `json:"artifacts"`
	Tables    []storedTable `json:"tables"` // those first to which others refer
}

// tail closes a backup.
type tail struct {
	Rows      map[string]int64 `json:"rows"`
	Running   []string         `json:"running"`   // folders of runs that had not finished in the snapshot
	Elsewhere []string         `json:"elsewhere"` // Report.Elsewhere
	Late      []string         `json:"late"`      // Report.Late
	Sequences map[string]int64 `json:"sequences"`
	Files     int              `json:"files"`
	SHA256    string           `json:"sha256"` // of the contents of all entries before
}

// Report describes what Write wrote or Restore read.
type Report struct {
	Runs, Rows  int64
	Files       int
	Bytes       int64    // of the file
	Elsewhere   []string // runs whose artifacts are outside the artifact root; they are not in the backup
	Late        []string // runs that began or were resumed too late for the backup to have their artifacts
	Foreign     []string // tables of schema public that are not MLflow's and were left out
	Interrupted int      // runs that were running
}

// Write writes everything that the tracker has to a new file: MLflow's tables and those of schema spherelab, the
// artifacts below the artifact root, and the spools of this data directory. Programs may log meanwhile. The file gets
// its name when it is complete.
func Write(ctx context.Context, t *postgres.Store, file string) (report Report, err error) {
	if _, err := os.Lstat(file); err == nil {
		return report, tracker.Errorf(tracker.CodeConflict, nil, "%s exists; a backup does not replace a file", file)
	}
	out, err := os.CreateTemp(filepath.Dir(file), ".spherelab-backup-*")
	if err != nil {
		return report, tracker.Errorf(tracker.CodeInternal, err, "writing the backup: %v", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Close(), os.Remove(out.Name()))
		}
	}()
	w := &writer{t: t, dir: filepath.Dir(file), sum: sha256.New(), tail: tail{Rows: map[string]int64{}}}
	buffered := bufio.NewWriterSize(out, 1<<20)
	w.tar = tar.NewWriter(buffered)
	if err := w.all(ctx); err != nil {
		return report, postgres.Wrap(err, "writing the backup")
	}
	if err := errors.Join(w.tar.Close(), buffered.Flush(), out.Sync()); err != nil {
		return report, tracker.Errorf(tracker.CodeInternal, err, "writing the backup: %v", err)
	}
	info, err := out.Stat()
	if err != nil {
		return report, err
	}
	w.report.Bytes, w.report.Files = info.Size(), w.tail.Files
	if err := os.Link(out.Name(), file); err != nil { // unlike rename this replaces nothing
		return report, tracker.Errorf(tracker.CodeInternal, err, "naming the backup: %v", err)
	}
	return w.report, errors.Join(out.Close(), os.Remove(out.Name()), disk.SyncDir(filepath.Dir(file)))
}

type writer struct {
	t      *postgres.Store
	dir    string // for files that are not finished
	tar    *tar.Writer
	sum    hash.Hash
	tail   tail
	report Report
}

type storedRun struct {
	ID     string `db:"run_uuid"`
	URI    string
	Status string
	Host   string // that wrote it, if it was one of our programs
}

const selectRuns = `SELECT run_uuid, coalesce(artifact_uri, '') AS uri, coalesce(status, '') AS status,
	coalesce(host, '') AS host FROM public.runs LEFT JOIN spherelab.heartbeat USING (run_uuid) ORDER BY run_uuid`

func (w *writer) all(ctx context.Context) error {
	head, err := w.head(ctx)
	if err != nil {
		return err
	}
	if err := w.json(headEntry, head); err != nil {
		return err
	}
	early, err := w.writeUnfinished(ctx)
	if err != nil {
		return err
	}
	if err := w.writeSpools(); err != nil {
		return err
	}
	tx, err := w.t.DB().BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it only read
	var runs []storedRun
	if err := tx.SelectContext(ctx, &runs, selectRuns); err != nil {
		return err
	}
	for _, table := range head.Tables {
		if err := w.table(ctx, tx, table); err != nil {
			return fmt.Errorf("table %s: %w", table.sql(), err)
		}
	}
	if err := w.storeSequences(ctx, tx); err != nil {
		return err
	}
	w.report.Runs = int64(len(runs))
	for _, run := range runs {
		place, served := w.t.PlaceOf(run.URI, run.ID)
		switch {
		case place == "" || w.lacksFolder(run, place, served):
			w.report.Elsewhere = append(w.report.Elsewhere, run.ID)
		case run.Status == string(tracker.Finished):
			if err := w.folder(ctx, runFolder, place); err != nil {
				return err
			}
		case early[run.ID]:
			w.tail.Running = append(w.tail.Running, place)
		default:
			w.report.Late = append(w.report.Late, run.ID)
		}
		if run.Status == string(tracker.Running) {
			w.report.Interrupted++
		}
	}
	w.tail.Elsewhere, w.tail.Late = w.report.Elsewhere, w.report.Late
	w.tail.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	return w.json(tailEntry, w.tail)
}

// listings is the max number of passes over runs that began while artifacts were read.
const listings = 20

// writeUnfinished writes the artifacts of runs that have not finished, and returns these runs. Others may begin or
// resume while it reads, so it repeats until there are none.
func (w *writer) writeUnfinished(ctx context.Context) (early map[string]bool, err error) {
	early = map[string]bool{}
	for range listings {
		var runs []storedRun
		if err := w.t.DB().SelectContext(ctx, &runs, selectRuns); err != nil {
			return nil, err
		}
		known := len(early)
		for _, run := range runs {
			place, _ := w.t.PlaceOf(run.URI, run.ID)
			if place == "" || run.Status == string(tracker.Finished) || early[run.ID] {
				continue
			}
			early[run.ID] = true
			if err := w.folder(ctx, runningFolder, place); err != nil {
				return nil, err
			}
		}
		if len(early) == known {
			break
		}
	}
	return early, nil
}

// lacksFolder reports whether a run's folder is missing here and another machine wrote it, or another server may have
// served it. A run whose folder is missing for another reason has no artifacts.
func (w *writer) lacksFolder(run storedRun, place string, served bool) bool {
	_, err := os.Stat(filepath.Join(w.t.ArtifactRoot(), place))
	return errors.Is(err, fs.ErrNotExist) && (served || run.Host != "" && run.Host != process.Hostname())
}

func (w *writer) head(ctx context.Context) (h head, err error) {
	h = head{Version: version, Database: w.t.Instance(), At: time.Now().UTC(), Artifacts: w.t.ArtifactRoot()}
	if h.Schema, _, err = w.t.SchemaVersion(ctx); err != nil {
		return h, err
	}
	if h.MLflow, err = revision(ctx, w.t.DB()); err != nil {
		return h, err
	}
	if h.Tables, err = tablesOf(ctx, w.t.DB(), h.MLflow); err != nil {
		return h, err
	}
	w.report.Foreign, err = foreignTables(ctx, w.t.DB(), h.MLflow)
	return h, err
}

// revision of MLflow's tables.
func revision(ctx context.Context, db sqlx.QueryerContext) (text string, err error) {
	err = sqlx.GetContext(ctx, db, &text, `SELECT coalesce(max(version_num), '') FROM public.alembic_version`)
	return text, err
}

// entry writes one entry of the file.
func (w *writer) entry(name string, size int64, from io.Reader) error {
	if err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: size, Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	n, err := io.Copy(io.MultiWriter(w.tar, w.sum), io.LimitReader(from, size))
	if err == nil && n < size {
		err = fmt.Errorf("%s became shorter while it was read; try again", name)
	}
	return err
}

func (w *writer) json(name string, value any) error {
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	return w.entry(name, int64(len(text)), bytes.NewReader(text))
}

// folder writes the files of a run's folder. Files that vanish meanwhile had a temporary name.
func (w *writer) folder(ctx context.Context, below, place string) error {
	root, err := os.OpenRoot(w.t.ArtifactRoot())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), filepath.ToSlash(place), func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f, err := root.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		w.tail.Files++
		return w.entry(path.Join(below, name), info.Size(), f)
	})
	return err
}

// writeSpools writes the spools of this database.
func (w *writer) writeSpools() error {
	paths, err := filepath.Glob(filepath.Join(w.t.DataDir(), "spool", "*.spool"))
	if err != nil {
		return err
	}
	for _, name := range paths {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its run has ended, so the database has everything
		}
		if err != nil {
			return err
		}
		if store, ok := tracker.SpoolInstance(text); !ok || store != w.t.Instance() {
			continue
		}
		name = path.Join(spoolFolder, filepath.Base(name))
		if err := w.entry(name, int64(len(text)), bytes.NewReader(text)); err != nil {
			return err
		}
	}
	return nil
}

// storeSequences stores the current numbers of the sequences of the tables that were written.
func (w *writer) storeSequences(ctx context.Context, tx *sqlx.Tx) error {
	sequences, err := sequencesOf(ctx, tx, w.tail.Rows)
	w.tail.Sequences = map[string]int64{}
	for name, last := range sequences {
		if last != nil {
			w.tail.Sequences[name] = *last
		}
	}
	return err
}
