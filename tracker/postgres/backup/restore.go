package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// Restore reads a file of Write into this tracker, which must be empty: no run, no experiment besides Default, no
// artifact. Runs that were running look like runs after a crash and can be resumed. If anything stops Restore, the
// tracker stays empty.
func Restore(ctx context.Context, t *postgres.Store, file string) (report Report, err error) {
	in, err := os.Open(file)
	if err != nil {
		return report, err
	}
	defer in.Close()
	r := &reader{t: t, sum: sha256.New()}
	r.tar = tar.NewReader(bufio.NewReaderSize(in, 1<<20))
	defer func() { err = errors.Join(err, r.unlock()) }()
	if err := r.commit(ctx); err != nil {
		return report, postgres.Wrap(fmt.Errorf("%s: %w", file, err), "restoring a backup")
	}
	info, err := in.Stat()
	if err != nil {
		return report, err
	}
	t.Adopt(r.head.Database)
	if err := os.RemoveAll(r.stage); err != nil {
		return report, tracker.Errorf(tracker.CodeInternal, err, "removing %s: %v", r.stage, err)
	}
	r.report.Bytes, r.report.Files = info.Size(), r.tail.Files
	r.report.Elsewhere, r.report.Late = r.tail.Elsewhere, r.tail.Late
	if _, err := t.ReplaySpools(ctx); err != nil {
		return r.report, err
	}
	return r.report, t.Summarise(ctx)
}

type reader struct {
	t      *postgres.Store
	tar    *tar.Reader
	sum    hash.Hash
	head   head
	tail   tail
	rows   map[string]int64
	files  int
	report Report
	locked *os.File // the lock of the artifact folder
	stage  string   // folder for artifacts until the restore succeeds
	spools []string // files of spools that were written
	made   []string // artifacts that have been moved to their folders
}

func (r *reader) all(ctx context.Context, tx *sqlx.Tx) error {
	notBackup := tracker.Errorf(tracker.CodeInvalid, nil, "it is not a backup of a tracker")
	entry, err := r.tar.Next()
	if err != nil || entry.Name != headEntry || entry.Size > 16<<20 {
		return notBackup
	}
	if err := r.json(&r.head); err != nil || r.head.Version < 1 {
		return notBackup
	}
	if r.head.Version > version {
		return tracker.Errorf(tracker.CodeInvalid, nil, "its format is %d, and this program reads formats up to %d", r.head.Version,
			version)
	}
	if err := r.prepare(ctx, tx); err != nil {
		return err
	}
	r.rows = map[string]int64{}
	tables := r.head.Tables
	for {
		sum := hex.EncodeToString(r.sum.Sum(nil))
		entry, err := r.tar.Next()
		if err != nil {
			return damagedError(err)
		}
		folder, rest, _ := strings.Cut(entry.Name, "/")
		switch {
		case entry.Typeflag != tar.TypeReg || !filepath.IsLocal(entry.Name):
			err = tracker.Errorf(tracker.CodeInvalid, nil, "the file has an entry %q", entry.Name)
		case entry.Name == tailEntry:
			if err := r.json(&r.tail); err != nil || r.tail.SHA256 != sum {
				return tracker.Errorf(tracker.CodeInvalid, err, "the file is damaged: its checksum is another")
			}
			return r.finish(ctx, tx)
		case len(tables) > 0 && entry.Name == tables[0].entry():
			if err = r.table(ctx, tx, tables[0]); err != nil {
				err = fmt.Errorf("table %s: %w", tables[0].sql(), err)
			}
			tables = tables[1:]
		case folder == runningFolder || folder == runFolder:
			r.files++
			err = r.save(filepath.Join(r.stage, filepath.FromSlash(entry.Name)))
		case folder == spoolFolder && strings.HasSuffix(rest, ".spool") && !strings.ContainsAny(rest, `/\`):
			path := filepath.Join(r.t.DataDir(), "spool", rest)
			if _, err := os.Lstat(path); err == nil {
				return tracker.Errorf(tracker.CodeConflict, nil, "there is a spool %s, of a run of this backup; move it away", path)
			}
			if err = r.save(path); err == nil {
				r.spools = append(r.spools, path)
			}
		default:
			err = tracker.Errorf(tracker.CodeInvalid, nil, "the file has an entry %q", entry.Name)
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// content of the entry.
func (r *reader) content() io.Reader { return io.TeeReader(wholeReader{r.tar}, r.sum) }

// wholeReader reports a read error as a damaged file. Otherwise an unexpected end would look like that of a connection.
type wholeReader struct{ r io.Reader }

func (w wholeReader) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF {
		err = damagedError(err)
	}
	return n, err
}

func damagedError(err error) error {
	return tracker.Errorf(tracker.CodeInvalid, nil, "the file is cut off or damaged: %v", err)
}

func (r *reader) json(to any) error {
	text, err := io.ReadAll(r.content())
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

func (r *reader) save(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r.content())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// prepare checks that the tables fit and are empty. It empties those in which a new tracker has rows.
func (r *reader) prepare(ctx context.Context, tx *sqlx.Tx) error {
	now, err := revision(ctx, tx)
	if err != nil {
		return err
	}
	have, err := tablesOf(ctx, tx, now)
	if err != nil {
		return err
	}
	for _, table := range r.head.Tables {
		i := slices.IndexFunc(have, func(b storedTable) bool { return b.entry() == table.entry() })
		fits := i >= 0 && !slices.ContainsFunc(table.Columns, func(c string) bool {
			return !slices.Contains(have[i].Columns, c)
		})
		if fits {
			continue
		}
		if table.Schema == "public" {
			return tracker.Errorf(tracker.CodeSchema, nil, "its table %s does not fit: the backup has MLflow's tables of revision %s, the "+
				"tracker those of %s; bring the empty tracker there first, with `mlflow db upgrade` of the MLflow that "+
				"was used", table.Name, r.head.MLflow, now)
		}
		return tracker.Errorf(tracker.CodeSchema, nil, "its table %s does not fit: a newer version of this program made the backup "+
			"(schema version %d)", table.Name, r.head.Schema)
	}
	if _, err := tx.ExecContext(ctx, `LOCK TABLE public.experiments, public.runs IN EXCLUSIVE MODE`); err != nil {
		return err
	}
	for _, table := range slices.Backward(r.head.Tables) {
		free := ""
		switch table.Schema + "." + table.Name {
		case "spherelab.instance":
			free = ` WHERE false`
		case "public.experiments":
			free = ` WHERE experiment_id <> 0`
		case "public.workspaces":
			free = ` WHERE name <> 'default'`
		}
		var full bool
		if err := tx.GetContext(ctx, &full, `SELECT EXISTS (SELECT FROM `+table.sql()+free+`)`); err != nil {
			return err
		}
		if full {
			return tracker.Errorf(tracker.CodeConflict, nil, "the tracker is not empty: there are rows in table %s; a backup is restored into "+
				"a new tracker", table.Name)
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table.sql()); err != nil {
			return err
		}
	}
	if _, err = tx.ExecContext(ctx, `DELETE FROM spherelab.summary_horizon`); err != nil {
		return err
	}
	return r.openStage()
}

func (r *reader) table(ctx context.Context, tx *sqlx.Tx, table storedTable) error {
	packed, err := gzip.NewReader(r.content())
	if err != nil {
		return damagedError(err)
	}
	columns := make([]string, len(table.Columns))
	for i, name := range table.Columns {
		columns[i] = pq.QuoteIdentifier(name)
	}
	statement, err := tx.PrepareContext(ctx, `COPY `+table.sql()+` (`+strings.Join(columns, ", ")+`) FROM STDIN`)
	if err != nil {
		return err
	}
	defer statement.Close()
	lines := bufio.NewReaderSize(packed, 1<<20)
	values := make([]any, len(table.Columns))
	n := int64(0)
	for {
		line, err := readLine(lines)
		if err == io.EOF {
			break
		}
		if err != nil {
			return damagedError(err)
		}
		i := 0
		for text := range bytes.SplitSeq(line, []byte{'\t'}) {
			if i == len(values) {
				return fmt.Errorf("row %d has too many columns", n+1)
			}
			if values[i], err = cell(text); err != nil {
				return err
			}
			i++
		}
		if i != len(values) {
			return fmt.Errorf("row %d has too few columns", n+1)
		}
		if _, err := statement.ExecContext(ctx, values...); err != nil {
			return err
		}
		n++
	}
	if _, err := statement.ExecContext(ctx); err != nil {
		return err
	}
	r.rows[table.Schema+"."+table.Name] = n
	r.report.Rows += n
	if table.Schema == "public" && table.Name == "runs" {
		r.report.Runs = n
	}
	return nil
}

// finish checks that the file is whole, moves the artifacts to their folders and changes the addresses in the rows.
func (r *reader) finish(ctx context.Context, tx *sqlx.Tx) error {
	for _, table := range r.head.Tables {
		name := table.Schema + "." + table.Name
		if n := r.rows[name]; n != r.tail.Rows[name] {
			return tracker.Errorf(tracker.CodeInvalid, nil, "the file is damaged: table %s has %d rows instead of %d", name, n,
				r.tail.Rows[name])
		}
	}
	if r.files != r.tail.Files || len(r.rows) != len(r.head.Tables) {
		return tracker.Errorf(tracker.CodeInvalid, nil, "the file is damaged: it lacks entries")
	}
	sequences, err := sequencesOf(ctx, tx, r.rows)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(sequences)) {
		last, ok := r.tail.Sequences[name]
		if !ok {
			continue
		}
		if _, err := tx.ExecContext(ctx, `SELECT setval($1::regclass, $2)`, name, last); err != nil {
			return err
		}
	}
	root := r.t.ArtifactRoot()
	from, to := tracker.FileURI(r.head.Artifacts), tracker.FileURI(root)
	for _, column := range [][2]string{{"runs", "artifact_uri"}, {"experiments", "artifact_location"}} {
		_, err := tx.ExecContext(ctx, fmt.Sprintf(`UPDATE public.%s SET %s = $2 || substr(%[2]s, length($1) + 1)
			WHERE %[2]s LIKE $3`, column[0], column[1]), from, to, likePrefix(from)+"/%")
		if e, ok := errors.AsType[*pq.Error](err); ok && e.Code == "22001" { // string_data_right_truncation
			return tracker.Errorf(tracker.CodeInvalid, err, "the artifact folder %s is too long for MLflow's tables; use a data directory "+
				"with a shorter path", root)
		}
		if err != nil {
			return err
		}
	}
	var runs []storedRun
	if err := tx.SelectContext(ctx, &runs, selectRuns); err != nil {
		return err
	}
	return r.placeArtifacts(runs)
}

// likePrefix escapes a text for LIKE.
func likePrefix(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}
