package postgres

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// manyPoints is the number of points from which on a check for their run is worth two statements.
const manyPoints = 100

// asOneRun stores points of one run. MLflow's table of points has a foreign key, for which PostgreSQL looks up the run
// once per point. That takes half of the time of a point. Where this role may skip it, as a superuser in the private
// database may, the run is looked up once and locked until the transaction ends: no point is without its run. A table
// that has other triggers or keys is stored as usual. So is a run that does not exist: its points fail as always.
func asOneRun(ctx context.Context, tx *sqlx.Tx, run string, store func() error) error {
	var held []string
	// The rows of held exist only when they are locked.
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
