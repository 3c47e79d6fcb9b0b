package tracker

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"

	"github.com/jmoiron/sqlx"
)

// TagImported marks a run whose records came from a file. It has no artifacts.
const TagImported = "imported"

var fullID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// ImportRun stores a run that ended elsewhere, under its own id and with all its points and results, in
// one transaction. It uses ID, Name, Experiment (created if it does not exist), Status, Start, End, Params and Tags of
// info, and adds the tag TagImported. The run gets the artifact folder of a local run, which stays empty. An id that is
// taken, also by a deleted run, is an Error with CodeConflict.
func (t *Tracker) ImportRun(ctx context.Context, info RunInfo, points []MetricPoint, relations []RelationResult,
	results []EvaluationResult) error {
	info.Experiment = cmp.Or(info.Experiment, "Default")
	tags := map[string]string{"mlflow.user": t.user, TagImported: "true"}
	maps.Copy(tags, info.Tags)
	tags[tagRunName] = info.Name
	if err := errors.Join(checkImport(info, tags, points, relations), checkResults(results)); err != nil {
		return err
	}
	b := batch{params: info.Params, tags: tags, relations: relations, results: results, status: Status(info.Status)}
	b.metrics = make([]metricRow, 0, len(points))
	for _, p := range points {
		v, isNaN := toMLflow(p.Value)
		b.metrics = append(b.metrics, metricRow{p.Key, v, isNaN, p.Time.UnixMilli(), p.Step})
	}
	b.sortMetrics()
	return t.retry(ctx, "importing run "+info.ID, func(ctx context.Context) error {
		return t.inTx(ctx, func(tx *sqlx.Tx) error { return t.insertImported(ctx, tx, info, b) })
	})
}

func checkImport(info RunInfo, tags map[string]string, points []MetricPoint, relations []RelationResult) error {
	switch {
	case !fullID.MatchString(info.ID):
		return errorf(CodeInvalid, nil, "the id of an imported run must be 32 hexadecimal digits, not %.40q", info.ID)
	case !slices.Contains([]Status{Finished, Failed, Killed}, Status(info.Status)):
		return errorf(CodeInvalid, nil, "run %s has status %.40q; only a run that has ended can be imported",
			info.ID, info.Status)
	case info.Name == "" || info.Start.IsZero() || info.End.IsZero():
		return errorf(CodeInvalid, nil, "run %s lacks its name, its start or its end", info.ID)
	}
	errs := []error{checkText("the name of experiment", info.Experiment, info.Experiment, maxExperiment),
		checkText("the name of run", info.Name, info.Name, maxRunName), checkParams(info.Params), checkTags(tags),
		checkRelations(relations)}
	for _, p := range points {
		if err := checkKey("metric", p.Key); err != nil {
			errs = append(errs, err)
			break
		}
	}
	return errors.Join(errs...)
}

func (t *Tracker) insertImported(ctx context.Context, tx *sqlx.Tx, info RunInfo, b batch) error {
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
	row := newRunRow{id: info.ID, name: info.Name, user: t.user, status: Status(info.Status),
		start: info.Start.UnixMilli(), end: &end, uri: uri, experiment: experiment}
	if fresh, err := row.insert(ctx, tx); err != nil {
		return err
	} else if !fresh {
		return errorf(CodeConflict, nil, "there is a run %s already", info.ID)
	}
	// A run of this id may have been removed by MLflow, which does not know our tables.
	for _, table := range []string{"relation_result", "evaluation_result"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM spherelab.`+table+` WHERE run_uuid = $1`, info.ID); err != nil {
			return err
		}
	}
	return b.insert(ctx, tx, info.ID)
}
