package tracker

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
)

// A backup is a tar file. Its first entry is the head, its last the tail. Between them are, in this order: the
// artifacts of runs that have not finished, copied spools, the tables of one snapshot of the database in PostgreSQL's
// text format, and the artifacts of finished runs. The points that belong to a saved state are then in a spool or in
// the tables, because these were read after it; what a resumed run logs again is skipped.
const (
	backupVersion = 1
	headEntry     = "spherelab-backup.json"
	tailEntry     = "spherelab-backup-end.json"
	runningFolder = "running"
	spoolFolder   = "spool"
	tableFolder   = "database"
	runFolder     = "artifacts"
)

// backupHead says what a backup is of.
type backupHead struct {
	Version   int           `json:"version"`
	Database  string        `json:"database"` // its identity
	At        time.Time     `json:"at"`
	Schema    int64         `json:"schema"` // version of schema spherelab
	MLflow    string        `json:"mlflow"` // revision of MLflow's tables
	Artifacts string        `json:"artifacts"`
	Tables    []backupTable `json:"tables"` // those first to which others refer
}

// backupTail closes a backup.
type backupTail struct {
	Rows      map[string]int64 `json:"rows"`
	Running   []string         `json:"running"`   // folders of runs that had not finished in the snapshot
	Elsewhere []string         `json:"elsewhere"` // BackupReport.Elsewhere
	Late      []string         `json:"late"`      // BackupReport.Late
	Sequences map[string]int64 `json:"sequences"`
	Files     int              `json:"files"`
	SHA256    string           `json:"sha256"` // of the contents of all entries before
}

// BackupReport is what Backup wrote or RestoreBackup read.
type BackupReport struct {
	Runs, Rows  int64
	Files       int
	Bytes       int64    // of the file
	Elsewhere   []string // runs whose artifacts are not below the artifact root; they are not in the backup
	Late        []string // runs that began or were resumed too late for the backup to have their artifacts
	Foreign     []string // tables of schema public that are not MLflow's and were left out
	Interrupted int      // runs that were running
}

// Backup writes everything that the tracker has to a new file: MLflow's tables and those of schema spherelab, the
// artifacts below the artifact root, and what spools of this data directory hold. Programs may log meanwhile. The file
// gets its name when it is complete.
func (t *Tracker) Backup(ctx context.Context, file string) (report BackupReport, err error) {
	if err := t.NeedSQL(); err != nil {
		return report, err
	}
	if _, err := os.Lstat(file); err == nil {
		return report, errorf(CodeConflict, nil, "%s exists; a backup does not replace a file", file)
	}
	out, err := os.CreateTemp(filepath.Dir(file), ".spherelab-backup-*")
	if err != nil {
		return report, errorf(CodeInternal, err, "writing the backup: %v", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Close(), os.Remove(out.Name()))
		}
	}()
	w := &backupWriter{t: t, dir: filepath.Dir(file), sum: sha256.New(), tail: backupTail{Rows: map[string]int64{}}}
	buffered := bufio.NewWriterSize(out, 1<<20)
	w.tar = tar.NewWriter(buffered)
	if err := w.all(ctx); err != nil {
		return report, wrap(err, "writing the backup")
	}
	if err := errors.Join(w.tar.Close(), buffered.Flush(), out.Sync()); err != nil {
		return report, errorf(CodeInternal, err, "writing the backup: %v", err)
	}
	info, err := out.Stat()
	if err != nil {
		return report, err
	}
	w.report.Bytes, w.report.Files = info.Size(), w.tail.Files
	if err := os.Link(out.Name(), file); err != nil { // unlike rename this replaces nothing
		return report, errorf(CodeInternal, err, "naming the backup: %v", err)
	}
	return w.report, errors.Join(out.Close(), os.Remove(out.Name()), syncDir(filepath.Dir(file)))
}

type backupWriter struct {
	t      *Tracker
	dir    string // for files that are not finished
	tar    *tar.Writer
	sum    hash.Hash
	tail   backupTail
	report BackupReport
}

type backupRun struct {
	ID     string `db:"run_uuid"`
	URI    string
	Status string
	Host   string // that wrote it, if it was one of our programs
}

const selectBackupRuns = `SELECT run_uuid, coalesce(artifact_uri, '') AS uri, coalesce(status, '') AS status,
	coalesce(host, '') AS host FROM public.runs LEFT JOIN spherelab.heartbeat USING (run_uuid) ORDER BY run_uuid`

func (w *backupWriter) all(ctx context.Context) error {
	head, err := w.head(ctx)
	if err != nil {
		return err
	}
	if err := w.json(headEntry, head); err != nil {
		return err
	}
	early, err := w.unfinished(ctx)
	if err != nil {
		return err
	}
	if err := w.spools(); err != nil {
		return err
	}
	tx, err := w.t.db.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it only read
	var runs []backupRun
	if err := tx.SelectContext(ctx, &runs, selectBackupRuns); err != nil {
		return err
	}
	for _, table := range head.Tables {
		if err := w.table(ctx, tx, table); err != nil {
			return fmt.Errorf("table %s: %w", table.sql(), err)
		}
	}
	if err := w.sequences(ctx, tx); err != nil {
		return err
	}
	w.report.Runs = int64(len(runs))
	for _, run := range runs {
		place := w.t.placeOf(run.URI, run.ID)
		switch {
		case place == "" || w.lacks(run, place):
			w.report.Elsewhere = append(w.report.Elsewhere, run.ID)
		case run.Status == string(Finished):
			if err := w.folder(ctx, runFolder, place); err != nil {
				return err
			}
		case early[run.ID]:
			w.tail.Running = append(w.tail.Running, place)
		default:
			w.report.Late = append(w.report.Late, run.ID)
		}
		if run.Status == string(Running) {
			w.report.Interrupted++
		}
	}
	w.tail.Elsewhere, w.tail.Late = w.report.Elsewhere, w.report.Late
	w.tail.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	return w.json(tailEntry, w.tail)
}

// backupListings is how often runs that began while artifacts were read are looked for.
const backupListings = 20

// unfinished writes the artifacts of runs that have not finished, and returns these runs. While it reads, others begin
// or are resumed, so it looks again until there are none.
func (w *backupWriter) unfinished(ctx context.Context) (early map[string]bool, err error) {
	early = map[string]bool{}
	for range backupListings {
		var runs []backupRun
		if err := w.t.db.SelectContext(ctx, &runs, selectBackupRuns); err != nil {
			return nil, err
		}
		known := len(early)
		for _, run := range runs {
			place := w.t.placeOf(run.URI, run.ID)
			if place == "" || run.Status == string(Finished) || early[run.ID] {
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

// lacks reports whether a run's folder is not here and another machine wrote it, or another server may have served it.
// Without that, a run has no artifacts.
func (w *backupWriter) lacks(run backupRun, place string) bool {
	_, err := os.Stat(filepath.Join(w.t.ArtifactRoot(), place))
	_, served := servedFile(run.URI)
	return errors.Is(err, fs.ErrNotExist) && (served || run.Host != "" && run.Host != hostname())
}

func (w *backupWriter) head(ctx context.Context) (h backupHead, err error) {
	h = backupHead{Version: backupVersion, Database: w.t.instance, At: time.Now().UTC(), Artifacts: w.t.ArtifactRoot()}
	if h.Schema, _, err = w.t.SchemaVersion(ctx); err != nil {
		return h, err
	}
	if h.MLflow, err = revision(ctx, w.t.db); err != nil {
		return h, err
	}
	if h.Tables, err = tablesOf(ctx, w.t.db, h.MLflow); err != nil {
		return h, err
	}
	w.report.Foreign, err = foreignTables(ctx, w.t.db, h.MLflow)
	return h, err
}

// revision of MLflow's tables.
func revision(ctx context.Context, db sqlx.QueryerContext) (text string, err error) {
	err = sqlx.GetContext(ctx, db, &text, `SELECT coalesce(max(version_num), '') FROM public.alembic_version`)
	return text, err
}

// entry writes one entry of the file.
func (w *backupWriter) entry(name string, size int64, from io.Reader) error {
	if err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: size, Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	n, err := io.Copy(io.MultiWriter(w.tar, w.sum), io.LimitReader(from, size))
	if err == nil && n < size {
		err = fmt.Errorf("%s became shorter while it was read; try again", name)
	}
	return err
}

func (w *backupWriter) json(name string, value any) error {
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	return w.entry(name, int64(len(text)), bytes.NewReader(text))
}

// folder writes the files of a run's folder. Those that vanish meanwhile had a temporary name.
func (w *backupWriter) folder(ctx context.Context, below, place string) error {
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

// spools writes what spools of this database hold.
func (w *backupWriter) spools() error {
	paths, err := filepath.Glob(filepath.Join(w.t.o.DataDir, "spool", "*.spool"))
	if err != nil {
		return err
	}
	for _, name := range paths {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its run has ended, so the database has it all
		}
		if err != nil {
			return err
		}
		first, _, _ := bytes.Cut(text, []byte{'\n'})
		if header, err := decode(first); err != nil || header.Database != w.t.instance {
			continue
		}
		name = path.Join(spoolFolder, filepath.Base(name))
		if err := w.entry(name, int64(len(text)), bytes.NewReader(text)); err != nil {
			return err
		}
	}
	return nil
}

// sequences keeps where the numbers of the tables that were written are.
func (w *backupWriter) sequences(ctx context.Context, tx *sqlx.Tx) error {
	sequences, err := sequencesOf(ctx, tx, w.tail.Rows)
	w.tail.Sequences = map[string]int64{}
	for name, last := range sequences {
		if last != nil {
			w.tail.Sequences[name] = *last
		}
	}
	return err
}
