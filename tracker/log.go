package tracker

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
)

// Records are what a client of a server logs to a run in one request.
type Records struct {
	Points       []MetricPoint
	Params, Tags map[string]string
}

// Store writes records to an active run that another program may own, in one transaction and without a spool. A point
// or param that is stored already stays, and another value of a param is an Error with CodeConflict. The run may have
// ended, as in MLflow.
func (t *Tracker) Store(ctx context.Context, runID string, r Records) error {
	for _, p := range r.Points {
		if err := checkKey("metric", p.Key); err != nil {
			return err
		}
	}
	if err := checkParams(r.Params); err != nil {
		return err
	}
	if err := checkTags(r.Tags); err != nil {
		return err
	}
	b := batch{params: r.Params, tags: r.Tags}
	for _, p := range r.Points {
		v, isNaN := toMLflow(p.Value)
		b.metrics = append(b.metrics, metricRow{p.Key, v, isNaN, p.Time.UnixMilli(), p.Step})
	}
	b.sortMetrics()
	return t.change(ctx, runID, func(tx *sqlx.Tx) error { return b.insert(ctx, tx, runID) })
}

// DeleteTag deletes a tag of an active run. A tag that is not there is an Error with CodeNotFound.
func (t *Tracker) DeleteTag(ctx context.Context, runID, key string) error {
	if err := checkEncoding("tag", key, key); err != nil {
		return err
	}
	return t.change(ctx, runID, func(tx *sqlx.Tx) error {
		var was string
		err := tx.GetContext(ctx, &was, `DELETE FROM public.tags WHERE run_uuid = $1 AND key = $2
			RETURNING coalesce(value, '')`, runID, key)
		if isNoRows(err) {
			return errorf(CodeNotFound, nil, "run %s has no tag %.100q", runID, key)
		}
		return err
	})
}

// TagRuns sets a tag of several active runs, or with the value "" deletes it where it is, in one transaction: all runs
// are changed, or none. A run that is not there or is deleted is an Error with CodeNotFound or CodeInvalid.
func (t *Tracker) TagRuns(ctx context.Context, runIDs []string, key, value string) error {
	if err := checkTags(map[string]string{key: value}); err != nil {
		return err
	}
	return t.retry(ctx, "tagging runs", func(ctx context.Context) error {
		return t.inTx(ctx, func(tx *sqlx.Tx) error {
			if err := forgetSummary(ctx, tx, runIDs...); err != nil {
				return err
			}
			var runs []struct {
				ID    string `db:"run_uuid"`
				Stage string
			}
			// Requests that share runs wait for one another in the order of the ids and not in a circle.
			if err := tx.SelectContext(ctx, &runs, `SELECT run_uuid, coalesce(lifecycle_stage, 'active') AS stage
				FROM public.runs WHERE run_uuid = ANY($1) ORDER BY run_uuid FOR NO KEY UPDATE`,
				pq.Array(runIDs)); err != nil {
				return err
			}
			stages := make(map[string]string, len(runs))
			for _, r := range runs {
				stages[r.ID] = r.Stage
			}
			for _, id := range runIDs {
				if err := checkStage(id, stages[id]); err != nil {
					return err
				}
			}
			if value == "" {
				_, err := tx.ExecContext(ctx, `DELETE FROM public.tags WHERE run_uuid = ANY($1) AND key = $2`,
					pq.Array(runIDs), key)
				return err
			}
			for id := range stages {
				if err := upsertTags(ctx, tx, id, map[string]string{key: value}); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// checkStage says why a run cannot be changed. The stage "" is that of no run.
func checkStage(runID, stage string) error {
	switch stage {
	case "":
		return errorf(CodeNotFound, nil, "there is no run %.100q", runID)
	case "active":
		return nil
	}
	return errorf(CodeInvalid, nil, "run %s is deleted; restore it first", runID)
}

// change changes an active run in one transaction. It locks the run's row for itself: two that shared it would wait for
// each other where both rename the run.
func (t *Tracker) change(ctx context.Context, runID string, do func(*sqlx.Tx) error) error {
	return t.retry(ctx, "writing run "+runID, func(ctx context.Context) error {
		return t.inTx(ctx, func(tx *sqlx.Tx) error {
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

// DB is the database's pool of connections, with the owner's rights, for package tracker/server, which serves MLflow's
// tables as they are. Its statements take values as parameters only.
func (t *Tracker) DB() *sqlx.DB { return t.db }

// DataDir is the folder on this machine that holds what the tracker keeps here.
func (t *Tracker) DataDir() string { return t.o.DataDir }

// ArtifactRoot is the folder that holds the artifacts of local experiments, each in a folder named by its id.
func (t *Tracker) ArtifactRoot() string {
	if t.inBucket {
		return filepath.Join(t.o.DataDir, "artifacts")
	}
	return cmp.Or(t.o.ArtifactDir, filepath.Join(t.o.DataDir, "artifacts"))
}

// ClientRun is a new run of a client of a server.
type ClientRun struct {
	Name  string // "": made from the id
	User  string
	Start int64 // Unix milliseconds
	Tags  map[string]string
}

// CreateRun creates a RUNNING run that another program logs to through a server. Unlike StartRun it gives it no spool
// and no heartbeat, so the run is never swept as stale. It returns the run's id.
func (t *Tracker) CreateRun(ctx context.Context, experiment int, run ClientRun) (id string, err error) {
	id = randomHex(16)
	run.Name = cmp.Or(run.Name, run.Tags[tagRunName], "run-"+ShortID(id))
	tags := maps.Clone(run.Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	tags[tagRunName] = run.Name
	if err := errors.Join(checkTags(tags), checkText("the user of run", run.User, run.User, maxRunName)); err != nil {
		return "", err
	}
	return id, t.retry(ctx, "creating a run", func(ctx context.Context) error {
		return t.inTx(ctx, func(tx *sqlx.Tx) error {
			var e struct{ Stage, Location string }
			err := tx.GetContext(ctx, &e, `SELECT coalesce(lifecycle_stage, 'active') AS stage,
				coalesce(artifact_location, '') AS location FROM public.experiments WHERE experiment_id = $1`, experiment)
			switch {
			case isNoRows(err):
				return errorf(CodeNotFound, nil, "there is no experiment %d", experiment)
			case err != nil:
				return err
			case e.Stage != "active":
				return errorf(CodeInvalid, nil, "experiment %d is deleted; restore it first", experiment)
			}
			uri := strings.TrimRight(e.Location, "/") + "/" + id + "/artifacts"
			if err := followed(e.Location); err != nil {
				return err
			}
			if e.Location == "" {
				uri = fileURI(filepath.Join(t.ArtifactRoot(), strconv.Itoa(experiment), id, "artifacts"))
			}
			if err := checkText("the artifact folder", uri, uri, maxArtifactURI); err != nil {
				return err
			}
			row := newRunRow{id: id, name: run.Name, user: run.User, status: Running, start: run.Start, uri: uri,
				experiment: experiment}
			if fresh, err := row.insert(ctx, tx); err != nil || !fresh {
				return err // an earlier try was committed
			}
			return upsertTags(ctx, tx, id, tags)
		})
	})
}
