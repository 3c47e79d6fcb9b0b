package tracker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/jmoiron/sqlx"
)

// MLflow's API has no tables for the results of evaluations: to its clients they are artifacts, a line of JSON each.
const (
	RelationArtifact = "evaluation/relations.jsonl"
	ResultArtifact   = "evaluation/results.jsonl"
)

// The tags say that a run has such an artifact, and change with it.
const (
	TagRelations = "spherelab.relations"
	TagResults   = "spherelab.results"
)

// IsEvaluationArtifact reports whether an artifact is one of the two.
func IsEvaluationArtifact(name string) bool {
	return name == RelationArtifact || name == ResultArtifact
}

// EvaluationArtifact is the artifact of that name as the database's tables have it, nil if they have nothing of it.
func (t *Tracker) EvaluationArtifact(ctx context.Context, run, name string) ([]byte, error) {
	if name == RelationArtifact {
		list, err := t.Relations(ctx, run)
		if err != nil {
			return nil, err
		}
		return encodeRows(list)
	}
	list, err := t.Results(ctx, run)
	if err != nil {
		return nil, err
	}
	return encodeRows(list)
}

// StoreEvaluation stores the artifact of that name in the database's tables, of an active run that another program may
// own. An Error with CodeInvalid says that it is not of this project, and one with CodeConflict that the run has other
// results.
func (t *Tracker) StoreEvaluation(ctx context.Context, run, name string, from io.Reader) (err error) {
	var b batch
	if name == RelationArtifact {
		if b.relations, err = decodeRows[RelationResult](name, from); err == nil {
			err = checkRelations(b.relations)
		}
	} else {
		if b.results, err = decodeRows[EvaluationResult](name, from); err == nil {
			err = checkResults(b.results)
		}
	}
	if err != nil {
		return errorf(CodeInvalid, err, "artifact %s: %v", name, err)
	}
	return t.change(ctx, run, func(tx *sqlx.Tx) error { return b.insert(ctx, tx, run) })
}

func encodeRows[R any](list []R) ([]byte, error) {
	var text bytes.Buffer
	out := json.NewEncoder(&text) // which ends each with a newline
	for _, r := range list {
		if err := out.Encode(r); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

func decodeRows[R any](file string, from io.Reader) ([]R, error) {
	var list []R
	for in := json.NewDecoder(from); ; {
		var r R
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, r)
	}
}
