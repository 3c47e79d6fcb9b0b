package postgres

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/form"
	"github.com/spherelab/spherelab/tracker/internal/unique"
)

// Store writes records to an active run that another program may own, in one transaction and without a spool. It does
// not change a point or param that is stored already; another value of a param is an Error with CodeConflict. The run
// may have ended, as in MLflow.
func (t *Store) Store(ctx context.Context, runID string, r tracker.Records) error {
	for _, p := range r.Points {
		if err := tracker.CheckKey("metric", p.Key); err != nil {
			return err
		}
	}
	if err := tracker.CheckParams(r.Params); err != nil {
		return err
	}
	if err := tracker.CheckTags(r.Tags); err != nil {
		return err
	}
	b := tracker.Batch{Params: r.Params, Tags: r.Tags}
	for _, p := range r.Points {
		v, isNaN := form.ToMLflow(p.Value)
		b.Metrics = append(b.Metrics, tracker.MetricRow{Key: p.Key, Value: v, IsNaN: isNaN,
			Timestamp: p.Time.UnixMilli(), Step: p.Step})
	}
	b.SortMetrics()
	return t.change(ctx, runID, func(tx *sqlx.Tx) error { return insertBatch(ctx, tx, runID, b) })
}

// DeleteTag deletes a tag of an active run. A missing tag is an Error with CodeNotFound.
func (t *Store) DeleteTag(ctx context.Context, runID, key string) error {
	if err := tracker.CheckEncoding("tag", key, key); err != nil {
		return err
	}
	return t.change(ctx, runID, func(tx *sqlx.Tx) error {
		var was string
		err := tx.GetContext(ctx, &was, `DELETE FROM public.tags WHERE run_uuid = $1 AND key = $2
			RETURNING coalesce(value, '')`, runID, key)
		if isNoRows(err) {
			return tracker.Errorf(tracker.CodeNotFound, nil, "run %s has no tag %.100q", runID, key)
		}
		return err
	})
}

// TagRuns sets a tag of several active runs in one transaction, or with the value "" deletes it from the runs that have
// it. All runs are changed, or none. A run that is missing or deleted is an Error with CodeNotFound or CodeInvalid.
func (t *Store) TagRuns(ctx context.Context, runIDs []string, key, value string) error {
	if err := tracker.CheckTags(map[string]string{key: value}); err != nil {
		return err
	}
	return t.retry(ctx, "tagging runs", func(ctx context.Context) error { return t.tagRuns(ctx, runIDs, key, value) })
}

// tagRuns is one try of TagRuns.
func (t *Store) tagRuns(ctx context.Context, runIDs []string, key, value string) error {
	return t.changeRuns(ctx, runIDs, func(tx *sqlx.Tx, runs []stagedRun) error {
		if err := checkStages(runIDs, runs); err != nil {
			return err
		}
		if value == "" {
			_, err := tx.ExecContext(ctx, `DELETE FROM public.tags WHERE run_uuid = ANY($1) AND key = $2`,
				pq.Array(runIDs), key)
			return err
		}
		for _, run := range runs {
			if err := upsertTags(ctx, tx, run.ID, map[string]string{key: value}); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkStage returns why a run cannot be changed. The stage is "" if there is no such run.
func checkStage(runID, stage string) error {
	switch stage {
	case "":
		return tracker.Errorf(tracker.CodeNotFound, nil, "there is no run %.100q", runID)
	case "active":
		return nil
	}
	return tracker.Errorf(tracker.CodeInvalid, nil, "run %s is deleted; restore it first", runID)
}

// change changes an active run in one transaction. It locks the run's row exclusively: two programs that shared the
// lock would wait for each other where both rename the run.
func (t *Store) change(ctx context.Context, runID string, do func(*sqlx.Tx) error) error {
	return t.retry(ctx, "writing run "+runID, func(ctx context.Context) error {
		return t.InTx(ctx, func(tx *sqlx.Tx) error {
			if err := forgetSummary(ctx, tx, runID); err != nil {
				return err
			}
			var stage string
			err := tx.GetContext(ctx, &stage, `SELECT coalesce(lifecycle_stage, 'active') FROM public.runs
				WHERE run_uuid = $1 FOR NO KEY UPDATE`, runID)
			if err != nil && !isNoRows(err) {
				return err
			}
			if err := checkStage(runID, stage); err != nil {
				return err
			}
			return do(tx)
		})
	})
}

// ClientRun is a new run of a client of a server.
type ClientRun struct {
	Name  string // "": made from the id
	User  string
	Start int64 // Unix milliseconds
	Tags  map[string]string
}

// CreateRun creates a RUNNING run that another program logs to through a server. Unlike StartRun it creates no spool
// and no heartbeat, so the run is never swept as stale. It returns the run's id.
func (t *Store) CreateRun(ctx context.Context, experiment int, run ClientRun) (id string, err error) {
	id = unique.RandomHex(16)
	run.Name = cmp.Or(run.Name, run.Tags[tracker.TagRunName], "run-"+tracker.ShortID(id))
	tags := maps.Clone(run.Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	tags[tracker.TagRunName] = run.Name
	if err := errors.Join(tracker.CheckTags(tags), tracker.CheckText("the user of run", run.User, run.User, tracker.MaxRunName)); err != nil {
		return "", err
	}
	return id, t.retry(ctx, "creating a run", func(ctx context.Context) error {
		return t.InTx(ctx, func(tx *sqlx.Tx) error {
			var e struct{ Stage, Location string }
			err := tx.GetContext(ctx, &e, `SELECT coalesce(lifecycle_stage, 'active') AS stage,
				coalesce(artifact_location, '') AS location FROM public.experiments WHERE experiment_id = $1`, experiment)
			switch {
			case isNoRows(err):
				return tracker.Errorf(tracker.CodeNotFound, nil, "there is no experiment %d", experiment)
			case err != nil:
				return err
			case e.Stage != "active":
				return tracker.Errorf(tracker.CodeInvalid, nil, "experiment %d is deleted; restore it first", experiment)
			}
			uri := strings.TrimRight(e.Location, "/") + "/" + id + "/artifacts"
			if err := checkFollowed(e.Location); err != nil {
				return err
			}
			if e.Location == "" {
				uri = tracker.FileURI(filepath.Join(t.ArtifactRoot(), strconv.Itoa(experiment), id, "artifacts"))
			}
			if err := tracker.CheckText("the artifact folder", uri, uri, tracker.MaxArtifactURI); err != nil {
				return err
			}
			row := newRunRow{id: id, name: run.Name, user: run.User, status: tracker.Running, start: run.Start,
				uri:        uri,
				experiment: experiment}
			if fresh, err := row.insert(ctx, tx); err != nil || !fresh {
				return err // an earlier try was committed
			}
			return upsertTags(ctx, tx, id, tags)
		})
	})
}
