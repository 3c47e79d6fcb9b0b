package postgres

import (
	"context"
	"io"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/jsonlines"
)

// EvaluationArtifact returns the artifact of that name as the database's tables have it, or nil if they have none of
// its rows.
func (t *Store) EvaluationArtifact(ctx context.Context, run, name string) ([]byte, error) {
	if name == tracker.RelationArtifact {
		list, err := t.Relations(ctx, run)
		if err != nil {
			return nil, err
		}
		return jsonlines.Encode(list)
	}
	list, err := t.Results(ctx, run)
	if err != nil {
		return nil, err
	}
	return jsonlines.Encode(list)
}

// StoreEvaluation stores the artifact of that name in the database's tables, for an active run that another program may
// own. It returns an Error with CodeInvalid if the artifact is not one of this project, and with CodeConflict if the
// run has other results.
func (t *Store) StoreEvaluation(ctx context.Context, run, name string, from io.Reader) (err error) {
	var b tracker.Batch
	if name == tracker.RelationArtifact {
		if b.Relations, err = jsonlines.Decode[tracker.RelationResult](name, from); err == nil {
			err = tracker.CheckRelations(b.Relations)
		}
	} else {
		if b.Results, err = jsonlines.Decode[tracker.EvaluationResult](name, from); err == nil {
			err = tracker.CheckResults(b.Results)
		}
	}
	if err != nil {
		return tracker.Errorf(tracker.CodeInvalid, err, "artifact %s: %v", name, err)
	}
	return t.change(ctx, run, func(tx *sqlx.Tx) error { return insertBatch(ctx, tx, run, b) })
}
