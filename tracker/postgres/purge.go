package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/form"
)

// tagPurging marks a deleted run of which files may be gone already.
const tagPurging = "spherelab.purging"

// Deleted is a deleted run, as Purge takes it.
type Deleted struct {
	ID, Name string
	At       time.Time // when it was deleted; zero if unknown
	Folder   string    // with all its artifact folders; "" if these are not below the place of artifacts
	URI      string    // of its artifacts
	Files    int64     // in the folder
	Bytes    int64
}

// DeletedRuns lists the deleted runs of these ids, or all of them for nil. The run that was deleted first comes first.
func (t *Store) DeletedRuns(ctx context.Context, ids []string) ([]Deleted, error) {
	var rows []deletedRow
	err := t.retry(ctx, "listing deleted runs", func(ctx context.Context) error {
		rows = nil
		return t.db.SelectContext(ctx, &rows, `SELECT `+deletedColumns+` FROM public.runs
			WHERE lifecycle_stage = 'deleted' AND ($1::text[] IS NULL OR run_uuid = ANY ($1))
			ORDER BY deleted_time NULLS LAST, run_uuid`, pq.Array(ids))
	})
	list := make([]Deleted, len(rows))
	for i, row := range rows {
		list[i] = Deleted{ID: row.ID, Name: row.Name, At: form.UnixTime(row.At), URI: row.URI}
		if place, _ := t.PlaceOf(row.URI, row.ID); place != "" {
			list[i].Folder = filepath.Join(t.ArtifactRoot(), place)
			list[i].Files, list[i].Bytes = folderSize(list[i].Folder)
		}
		if all, _, err := t.objectsOf(row.ID, row.URI); err == nil {
			objects, err := t.objects(ctx, row.ID, all)
			if err != nil {
				return nil, err
			}
			list[i].Folder, list[i].Files = all.URI(), int64(len(objects))
			for _, o := range objects {
				list[i].Bytes += o.Size
			}
		}
	}
	return list, err
}

const deletedColumns = `run_uuid, coalesce(name, '') AS name, coalesce(artifact_uri, '') AS uri, deleted_time AS at`

type deletedRow struct {
	ID   string `db:"run_uuid"`
	Name string
	URI  string
	At   *int64
}

// folderSize counts what can be read. The number is only shown to people.
func folderSize(dir string) (files, bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return nil
	})
	return files, bytes
}

// PlaceOf returns the folder of a run below the artifact root, or "" if its artifacts are elsewhere. Any client may
// have written the URI, so only a folder that is named by the run's id is its own. served reports whether a server may
// have written it for the client.
func (t *Store) PlaceOf(uri, run string) (place string, served bool) {
	dir, err := tracker.FileFromURI(uri)
	path, served := servedFile(uri)
	if served { // clients wrote it through a server
		dir, err = filepath.Join(t.ArtifactRoot(), path), nil
	}
	if err != nil || !artifactFolder.MatchString(filepath.Base(dir)) || !form.FullID.MatchString(run) {
		return "", served
	}
	place, err = filepath.Rel(t.ArtifactRoot(), filepath.Dir(dir))
	if err != nil || !filepath.IsLocal(place) || filepath.Base(place) != run || filepath.Dir(place) == "." {
		return "", served
	}
	return place, served
}

// Purge removes a deleted run permanently: its artifact folders, if they are below the artifact root, then its rows. A
// purge that is interrupted leaves a deleted run that cannot be restored and can be purged again.
func (t *Store) Purge(ctx context.Context, id string) error {
	if err := t.RefuseLive(ctx, id); err != nil { // another client may have deleted the experiment of a running one
		return err
	}
	var run deletedRow
	err := t.retry(ctx, "purging run "+id, func(ctx context.Context) error {
		return t.InTx(ctx, func(tx *sqlx.Tx) error {
			err := tx.GetContext(ctx, &run, `SELECT `+deletedColumns+` FROM public.runs
				WHERE run_uuid = $1 AND lifecycle_stage = 'deleted' FOR UPDATE`, id)
			if isNoRows(err) {
				return tracker.Errorf(tracker.CodeNotFound, nil, "there is no deleted run %s", id)
			}
			if err == nil {
				err = upsertTags(ctx, tx, id, map[string]string{tagPurging: time.Now().UTC().Format(time.RFC3339)})
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	if err := t.RemoveSpools(id); err != nil {
		return err
	}
	if err := t.purgeObjects(ctx, id, run.URI); err != nil {
		return err
	}
	if place, _ := t.PlaceOf(run.URI, id); place != "" {
		if err := removeBelow(t.ArtifactRoot(), place); err != nil {
			return tracker.Errorf(tracker.CodeInternal, err, "removing the artifacts of run %s: %v; purging it again continues", id, err)
		}
	}
	return t.retry(ctx, "purging run "+id, func(ctx context.Context) error {
		return t.InTx(ctx, func(tx *sqlx.Tx) error { return deleteRows(ctx, tx, id) })
	})
}

// purgeObjects removes the artifacts of a run from the bucket, if they are in it, and this machine's copy.
func (t *Store) purgeObjects(ctx context.Context, id, uri string) error {
	dir, ok := t.copyOfURI(uri)
	if _, _, err := t.objectsOf(id, uri); !ok || err != nil {
		return nil
	}
	if err := t.removeObjects(ctx, id, uri, false); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		return tracker.Errorf(tracker.CodeInternal, err, "removing the artifacts of run %s: %v; purging it again continues", id, err)
	}
	return nil
}

// removeBelow removes a folder without following a link that leads out of the root.
func removeBelow(root, place string) error {
	r, err := os.OpenRoot(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	return r.RemoveAll(place)
}

// deleteRows deletes what the database has of a deleted run: the rows of all MLflow's tables that refer to its row, its
// inputs, and the rows of our tables except the job that made it.
func deleteRows(ctx context.Context, tx *sqlx.Tx, id string) error {
	if err := forgetSummary(ctx, tx, id); err != nil {
		return err
	}
	var there bool
	err := tx.GetContext(ctx, &there, `SELECT true FROM public.runs WHERE run_uuid = $1 AND lifecycle_stage = 'deleted'
		FOR UPDATE`, id)
	if isNoRows(err) {
		return tracker.Errorf(tracker.CodeConflict, nil, "run %s was restored or purged by another program meanwhile", id)
	}
	if err != nil {
		return err
	}
	var referring []struct{ Table, Column string }
	if err := tx.SelectContext(ctx, &referring, `SELECT c.conrelid::regclass::text AS table, quote_ident(a.attname) AS column
		FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
		WHERE c.contype = 'f' AND c.confrelid = 'public.runs'::regclass AND cardinality(c.conkey) = 1
		ORDER BY 1`); err != nil {
		return err
	}
	var statements []string
	for _, r := range referring {
		statements = append(statements, fmt.Sprintf(`DELETE FROM %s WHERE %s = $1`, r.Table, r.Column))
	}
	statements = append(statements,
		`DELETE FROM spherelab.epoch_summary WHERE run_uuid = $1`,
		`DELETE FROM spherelab.relation_result WHERE run_uuid = $1`,
		`DELETE FROM spherelab.evaluation_result WHERE run_uuid = $1`,
		`DELETE FROM spherelab.heartbeat WHERE run_uuid = $1`,
		`UPDATE spherelab.job SET run_uuid = NULL WHERE run_uuid = $1`)
	var inputs bool
	if err := tx.GetContext(ctx, &inputs, `SELECT to_regclass('public.inputs') IS NOT NULL
		AND to_regclass('public.input_tags') IS NOT NULL AND to_regclass('public.datasets') IS NOT NULL`); err != nil {
		return err
	}
	if inputs {
		statements = append(statements,
			`DELETE FROM public.input_tags WHERE input_uuid IN (SELECT input_uuid FROM public.inputs
				WHERE destination_type = 'RUN' AND destination_id = $1)`,
			`WITH gone AS (DELETE FROM public.inputs WHERE destination_type = 'RUN' AND destination_id = $1
					RETURNING source_type, source_id)
				DELETE FROM public.datasets d USING gone WHERE gone.source_type = 'DATASET' AND d.dataset_uuid = gone.source_id
				AND NOT EXISTS (SELECT FROM public.inputs i WHERE i.source_id = d.dataset_uuid AND i.destination_id <> $1)`)
	}
	for _, statement := range append(statements, `DELETE FROM public.runs WHERE run_uuid = $1`) {
		if _, err := tx.ExecContext(ctx, statement, id); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(strings.Fields(statement), " "), err)
		}
	}
	return nil
}
