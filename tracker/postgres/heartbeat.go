package postgres

import (
	"context"
	"os"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/process"
)

// Beat records a heartbeat, unless another worker has taken the run over.
func (d database) Beat(ctx context.Context, run string, by tracker.Claim) error {
	return fault(d.t.beat(ctx, run, by))
}

// beat records a heartbeat, unless another worker has taken the run over.
func (t *Store) beat(ctx context.Context, run string, by tracker.Claim) error {
	return t.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := checkClaim(ctx, tx, by); err != nil {
			return err
		}
		return recordHeartbeat(ctx, tx, run)
	})
}

// recordHeartbeat stores that the run's program is alive, by the database's clock.
func recordHeartbeat(ctx context.Context, db sqlx.ExecerContext, run string) error {
	_, err := db.ExecContext(ctx, `INSERT INTO spherelab.heartbeat (run_uuid, at, host, pid)
			VALUES ($1, clock_timestamp(), $2, $3)
		ON CONFLICT (run_uuid) DO UPDATE SET at = excluded.at, host = excluded.host, pid = excluded.pid`,
		run, process.Hostname(), os.Getpid())
	return err
}
