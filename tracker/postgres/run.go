package postgres

import (
	"context"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
)

func insertRun(ctx context.Context, tx *sqlx.Tx, spec tracker.NewRun, experiment int, uri string) error {
	id, tags := spec.ID, spec.Tags
	row := newRunRow{id: id, name: spec.Name, source: filepath.Base(os.Args[0]), user: spec.User,
		status: tracker.Running,
		start:  time.Now().UnixMilli(), uri: uri, experiment: experiment,
		entry: tags["mlflow.project.entryPoint"], commit: tags["mlflow.source.git.commit"]}
	// The id is unique to this call: if it is taken, an earlier try was committed and only its answer was lost.
	if fresh, err := row.insert(ctx, tx); err != nil || !fresh {
		return err
	}
	if err := insertParams(ctx, tx, id, spec.Params); err != nil {
		return err
	}
	if err := upsertTags(ctx, tx, id, tags); err != nil {
		return err
	}
	if err := insertInputs(ctx, tx, id, spec.Inputs); err != nil {
		return err
	}
	return recordHeartbeat(ctx, tx, id)
}

// newRunRow is a new row of MLflow's table runs.
type newRunRow struct {
	id, name, source, user string
	status                 tracker.Status
	start                  int64  // Unix milliseconds
	end                    *int64 // nil while the run is RUNNING
	uri                    string // of its artifacts
	entry, commit          string // what started it and of which version; "" if unknown
	experiment             int
}

// shortText returns a text for a column of 50 characters, or "" if it is longer. The tag has all of it.
func shortText(text string) string {
	if utf8.RuneCountInString(text) > 50 {
		return ""
	}
	return text
}

// insert reports whether the id was free.
func (r newRunRow) insert(ctx context.Context, tx *sqlx.Tx) (fresh bool, err error) {
	res, err := tx.ExecContext(ctx, `INSERT INTO public.runs (run_uuid, name, source_type, source_name, entry_point_name,
			user_id, status, start_time, end_time, source_version, lifecycle_stage, artifact_uri, experiment_id, deleted_time)
		VALUES ($1, $2, 'LOCAL', $3, $10, $4, $5, $6, $7, $11, 'active', $8, $9, NULL) ON CONFLICT DO NOTHING`,
		r.id, r.name, r.source, r.user, string(r.status), r.start, r.end, r.uri, r.experiment,
		shortText(r.entry), shortText(r.commit))
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// experimentID returns the id of the experiment of that name. It creates the experiment if there is none. Since MLflow
// 3.10 names are unique within a workspace, a column that older tables lack; an insert without it goes to the workspace
// default.
func (t *Store) experimentID(ctx context.Context, tx *sqlx.Tx, name string) (int, error) {
	for {
		var e struct {
			ID    int    `db:"experiment_id"`
			Stage string `db:"lifecycle_stage"`
		}
		err := tx.GetContext(ctx, &e, `SELECT experiment_id, coalesce(lifecycle_stage, 'active') AS lifecycle_stage
			FROM public.experiments e WHERE name = $1 AND coalesce(to_jsonb(e) ->> 'workspace', 'default') = 'default'`, name)
		if err == nil && e.Stage != "active" {
			return 0, tracker.Errorf(tracker.CodeConflict, nil, "experiment %q is deleted; use another name or restore it with: "+
				"mlflow experiments restore -x %d", name, e.ID)
		}
		if !isNoRows(err) {
			return e.ID, err
		}
		now := time.Now().UnixMilli()
		err = tx.GetContext(ctx, &e.ID, `INSERT INTO public.experiments
			(name, lifecycle_stage, creation_time, last_update_time)
			VALUES ($1, 'active', $2, $2) ON CONFLICT DO NOTHING RETURNING experiment_id`, name, now)
		if isNoRows(err) {
			continue // another program has just created it
		}
		if err != nil {
			return 0, err
		}
		location := t.experimentURI(e.ID)
		if err := tracker.CheckText("the artifact folder of experiment", name, location, tracker.MaxExperiment); err != nil {
			return 0, err
		}
		_, err = tx.ExecContext(ctx, `UPDATE public.experiments SET artifact_location = $2 WHERE experiment_id = $1`,
			e.ID, location)
		return e.ID, err
	}
}

// markFailed sets a run's status to FAILED if the database can be reached.
func (t *Store) markFailed(ctx context.Context, run string) {
	_, err := t.db.ExecContext(ctx, `UPDATE public.runs SET status = 'FAILED', end_time = $2 WHERE run_uuid = $1`,
		run, time.Now().UnixMilli())
	if err != nil {
		t.say("run %s could not be marked FAILED: %s", run, DriverText(err))
	}
}
