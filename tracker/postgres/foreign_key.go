package postgres

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// manyPoints is from how many on one look for their run is worth two statements.
const manyPoints = 100

// asOneRun stores points of one run. MLflow's table of points has a foreign key, for which PostgreSQL looks for the run
// once per point, in half the time that a point takes it. Where this role may leave that out, a superuser as in the
// private database, the run is looked for once and held until the transaction ends: no point is without its run. A
// table that has other triggers or keys is left alone, and so is a run that is not there: its points fail as ever.
func asOneRun(ctx context.Context, tx *sqlx.Tx, run string, store func() error) error {
	var held []string
	// The rows of held are there only when they are locked.
	err := tx.SelectContext(ctx, &held, `WITH held AS MATERIALIZED
			(SELECT run_uuid FROM public.runs WHERE run_uuid = $1 FOR KEY SHARE)
		SELECT set_config('session_replication_role', 'replica', true) FROM held
		WHERE (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)
			AND current_setting('session_replication_role') = 'origin'
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger
				WHERE tgrelid = 'public.metrics'::regclass AND NOT tgisinternal)
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint WHERE conrelid = 'public.metrics'::regclass
				AND contype = 'f' AND confrelid <> 'public.runs'::regclass)`, run)
	if err != nil {
		return err
	}
	if err := store(); err != nil || len(held) == 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `SELECT set_config('session_replication_role', 'origin', true)`)
	return err
}
