package tracker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
)

// TagImported marks a run whose records came from a file. It has no artifacts.
const TagImported = "imported"

// MetricPoint is one value of one metric of a run.
type MetricPoint struct {
	Key string
	Point
}

// Points returns every value of every metric of a run, by step, time, key (bytewise) and value.
func (t *Tracker) Points(ctx context.Context, runID string) ([]MetricPoint, error) {
	var rows []struct {
		Key       string
		Step      int64
		Timestamp int64
		Value     float64
		IsNaN     bool `db:"is_nan"`
	}
	err := t.retry(ctx, "reading the metrics of run "+runID, func(ctx context.Context) error {
		rows = nil
		return t.db.SelectContext(ctx, &rows, `SELECT key, step, timestamp, value, is_nan FROM public.metrics WHERE run_uuid = $1
			ORDER BY step, timestamp, key COLLATE "C", value, is_nan`, runID)
	})
	if err != nil {
		return nil, err
	}
	points := make([]MetricPoint, len(rows))
	for i, r := range rows {
		points[i] = MetricPoint{r.Key, Point{Step: r.Step, Time: time.UnixMilli(r.Timestamp).UTC(), Value: loaded(r.Value, r.IsNaN)}}
	}
	return points, nil
}

var fullID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// ImportRun stores a run that has ended elsewhere, under its own id and with all its points, in one transaction. Of
// info it takes ID, Name, Experiment (created if there is none of this name), Status, Start, End, Params and Tags, and
// adds the tag TagImported. The artifact folder is named as for a run of our own, and stays empty. An id that is taken,
// also by a deleted run, is an Error with CodeConflict.
func (t *Tracker) ImportRun(ctx context.Context, info RunInfo, points []MetricPoint) error {
	setDefault(&info.Experiment, "Default")
	tags := map[string]string{"mlflow.user": t.user, TagImported: "true"}
	maps.Copy(tags, info.Tags)
	tags[tagRunName] = info.Name
	if err := checkImport(info, tags, points); err != nil {
		return err
	}
	b := batch{params: info.Params, tags: tags, status: Status(info.Status)}
	for _, p := range points {
		v, isNaN := stored(p.Value)
		b.metrics = append(b.metrics, metricRow{p.Key, v, isNaN, p.Time.UnixMilli(), p.Step})
	}
	return t.retry(ctx, "importing run "+info.ID, func(ctx context.Context) error {
		return t.inTx(ctx, func(tx *sqlx.Tx) error { return t.insertImported(ctx, tx, info, b) })
	})
}

func checkImport(info RunInfo, tags map[string]string, points []MetricPoint) error {
	switch {
	case !fullID.MatchString(info.ID):
		return fail(CodeInvalid, nil, "the id of an imported run must be 32 hexadecimal digits, not %.40q", info.ID)
	case !slices.Contains([]Status{Finished, Failed, Killed}, Status(info.Status)):
		return fail(CodeInvalid, nil, "run %s has status %.40q; only a run that has ended can be imported", info.ID, info.Status)
	case info.Name == "" || info.Start.IsZero() || info.End.IsZero():
		return fail(CodeInvalid, nil, "run %s lacks its name, its start or its end", info.ID)
	}
	errs := []error{checkText("the name of experiment", info.Experiment, info.Experiment, maxExperiment),
		checkText("the name of run", info.Name, info.Name, maxRunName), checkParams(info.Params), checkTags(tags)}
	for _, p := range points {
		if err := checkKey("metric", p.Key); err != nil {
			errs = append(errs, err)
			break
		}
	}
	return errors.Join(errs...)
}

func (t *Tracker) insertImported(ctx context.Context, tx *sqlx.Tx, info RunInfo, b batch) error {
	experiment, err := t.experimentID(ctx, tx, info.Experiment)
	if err != nil {
		return err
	}
	uri := fileURI(filepath.Join(t.o.DataDir, "artifacts", fmt.Sprint(experiment), info.ID, "artifacts"))
	if len(uri) > maxArtifactURI {
		return fail(CodeInvalid, nil, "the run's artifact folder %s is too long: MLflow's tables take %d characters; use a data directory with a shorter path", uri, maxArtifactURI)
	}
	res, err := tx.ExecContext(ctx, `INSERT INTO public.runs (run_uuid, name, source_type, source_name, entry_point_name, user_id, status,
			start_time, end_time, source_version, lifecycle_stage, artifact_uri, experiment_id, deleted_time)
		VALUES ($1, $2, 'LOCAL', '', '', $3, $4, $5, $6, '', 'active', $7, $8, NULL) ON CONFLICT DO NOTHING`,
		info.ID, info.Name, t.user, info.Status, info.Start.UnixMilli(), info.End.UnixMilli(), uri, experiment)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return fail(CodeConflict, nil, "there is a run %s already", info.ID)
	}
	for chunk := range slices.Chunk(b.metrics, rowsPerStatement) {
		if err := insertMetrics(ctx, tx, info.ID, chunk); err != nil {
			return err
		}
	}
	if err := upsertLatest(ctx, tx, info.ID, newest(b.metrics)); err != nil {
		return err
	}
	if err := insertParams(ctx, tx, info.ID, b.params); err != nil {
		return err
	}
	return upsertTags(ctx, tx, info.ID, b.tags)
}
