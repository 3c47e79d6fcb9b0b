package postgres

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/form"
)

// ImportRun stores a run that ended elsewhere, under its own id and with all its points and results, in one
// transaction. It uses ID, Name, Experiment (created if it does not exist), Status, Start, End, Params and Tags of
// info, and adds the tag TagImported. The run gets the artifact folder of a local run, which stays empty. An id that
// exists already, also of a deleted run, is an Error with CodeConflict.
func (t *Store) ImportRun(ctx context.Context, info tracker.RunInfo, points []tracker.MetricPoint,
	relations []tracker.RelationResult,
	results []tracker.EvaluationResult) error {
	info.Experiment = cmp.Or(info.Experiment, "Default")
	tags := map[string]string{"mlflow.user": t.user, tracker.TagImported: "true"}
	maps.Copy(tags, info.Tags)
	tags[tracker.TagRunName] = info.Name
	if err := errors.Join(checkImport(info, tags, points, relations), tracker.CheckResults(results)); err != nil {
		return err
	}
	b := tracker.Batch{Params: info.Params, Tags: tags, Relations: relations, Results: results,
		Status: tracker.Status(info.Status)}
	b.Metrics = make([]tracker.MetricRow, 0, len(points))
	for _, p := range points {
		v, isNaN := form.ToMLflow(p.Value)
		b.Metrics = append(b.Metrics, tracker.MetricRow{Key: p.Key, Value: v, IsNaN: isNaN,
			Timestamp: p.Time.UnixMilli(), Step: p.Step})
	}
	b.SortMetrics()
	return t.retry(ctx, "importing run "+info.ID, func(ctx context.Context) error {
		return t.InTx(ctx, func(tx *sqlx.Tx) error { return t.insertImported(ctx, tx, info, b) })
	})
}

func checkImport(info tracker.RunInfo, tags map[string]string, points []tracker.MetricPoint,
	relations []tracker.RelationResult) error {
	switch {
	case !form.FullID.MatchString(info.ID):
		return tracker.Errorf(tracker.CodeInvalid, nil, "the id of an imported run must be 32 hexadecimal digits, not %.40q", info.ID)
	case !slices.Contains([]tracker.Status{tracker.Finished, tracker.Failed, tracker.Killed},
		tracker.Status(info.Status)):
		return tracker.Errorf(tracker.CodeInvalid, nil, "run %s has status %.40q; only a run that has ended can be imported",
			info.ID, info.Status)
	case info.Name == "" || info.Start.IsZero() || info.End.IsZero():
		return tracker.Errorf(tracker.CodeInvalid, nil, "run %s lacks its name, its start or its end", info.ID)
	}
	errs := []error{tracker.CheckText("the name of experiment", info.Experiment, info.Experiment, tracker.MaxExperiment),
		tracker.CheckText("the name of run", info.Name, info.Name, tracker.MaxRunName), tracker.CheckParams(info.Params), tracker.CheckTags(tags),
		tracker.CheckRelations(relations)}
	for _, p := range points {
		if err := tracker.CheckKey("metric", p.Key); err != nil {
			errs = append(errs, err)
			break
		}
	}
	return errors.Join(errs...)
}

func (t *Store) insertImported(ctx context.Context, tx *sqlx.Tx, info tracker.RunInfo, b tracker.Batch) error {
	if err := forgetSummary(ctx, tx, info.ID); err != nil {
		return err
	}
	experiment, err := t.experimentID(ctx, tx, info.Experiment)
	if err != nil {
		return err
	}
	uri, _, err := t.newArtifacts(experiment, info.ID)
	if err != nil {
		return err
	}
	end := info.End.UnixMilli()
	row := newRunRow{id: info.ID, name: info.Name, user: t.user, status: tracker.Status(info.Status),
		start: info.Start.UnixMilli(), end: &end, uri: uri, experiment: experiment}
	if fresh, err := row.insert(ctx, tx); err != nil {
		return err
	} else if !fresh {
		return tracker.Errorf(tracker.CodeConflict, nil, "there is a run %s already", info.ID)
	}
	// MLflow may have removed a run with this id. It does not know our tables.
	for _, table := range []string{"relation_result", "evaluation_result"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM spherelab.`+table+` WHERE run_uuid = $1`, info.ID); err != nil {
			return err
		}
	}
	return insertBatch(ctx, tx, info.ID, b)
}
