package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/unique"
)

// LogInputs stores which data an active run used. It does not change what is stored already.
func (t *Store) LogInputs(ctx context.Context, runID string, inputs []tracker.Dataset) error {
	return t.change(ctx, runID, func(tx *sqlx.Tx) error { return insertInputs(ctx, tx, runID, inputs) })
}

// insertInputs stores which data a run used, and the datasets that its experiment does not know. Databases that MLflow
// made before 2.4 have no tables for them.
func insertInputs(ctx context.Context, tx *sqlx.Tx, run string, inputs []tracker.Dataset) error {
	if len(inputs) == 0 {
		return nil
	}
	var there bool
	if err := tx.GetContext(ctx, &there, `SELECT to_regclass('public.datasets') IS NOT NULL
		AND to_regclass('public.inputs') IS NOT NULL AND to_regclass('public.input_tags') IS NOT NULL`); err != nil || !there {
		return err
	}
	for _, d := range inputs {
		if err := insertInput(ctx, tx, run, d); err != nil {
			return err
		}
	}
	return nil
}

func insertInput(ctx context.Context, tx *sqlx.Tx, run string, d tracker.Dataset) error {
	var stored string
	// The update changes nothing. It makes RETURNING return the row that existed.
	err := tx.GetContext(ctx, &stored, `INSERT INTO public.datasets (dataset_uuid, experiment_id, name, digest,
			dataset_source_type, dataset_source, dataset_schema, dataset_profile)
		SELECT $1, experiment_id, $3, $4, $5, $6, nullif($7, ''), nullif($8, '') FROM public.runs WHERE run_uuid = $2
		ON CONFLICT (experiment_id, name, digest) DO UPDATE SET digest = excluded.digest RETURNING dataset_uuid`,
		unique.RandomHex(16), run, d.Name, d.Digest, d.SourceType, d.Source, d.Schema, d.Profile)
	if err != nil {
		return err
	}
	var input string
	err = tx.GetContext(ctx, &input, `INSERT INTO public.inputs
			(input_uuid, source_type, source_id, destination_type, destination_id) VALUES ($1, 'DATASET', $2, 'RUN', $3)
		ON CONFLICT (source_type, source_id, destination_type, destination_id)
			DO UPDATE SET source_id = excluded.source_id RETURNING input_uuid`, unique.RandomHex(16), stored, run)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(d.Tags)) {
		if _, err := tx.ExecContext(ctx, `INSERT INTO public.input_tags (input_uuid, name, value) VALUES ($1, $2, $3)
			ON CONFLICT (input_uuid, name) DO UPDATE SET value = excluded.value`, input, key, d.Tags[key]); err != nil {
			return err
		}
	}
	return nil
}
