package postgres

import (
	"context"
	"os"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/process"
)

// Resume marks a run RUNNING if no other program writes it, and returns what is stored of it.
func (d database) Resume(ctx context.Context, run string, by tracker.Claim, at tracker.Place) (
	stored tracker.Batch, err error,
) {
	t := d.t
	err = t.InTx(ctx, func(tx *sqlx.Tx) error {
		if by.Job != 0 {
			if err := checkClaim(ctx, tx, by); err != nil {
				return err
			}
			if stored, err = reload(ctx, tx, run); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, `UPDATE public.runs SET artifact_uri = $2 WHERE run_uuid = $1`, run, at.URI)
			return err
		}
		if err := t.refuseOther(ctx, tx, run); err != nil {
			return err
		}
		if err := detach(ctx, tx, tracker.Claim{}, run); err != nil {
			return err
		}
		stored, err = reload(ctx, tx, run)
		return err
	})
	return stored, fault(err)
}

// reload reads the stored params, points and results, and marks the run RUNNING.
func reload(ctx context.Context, tx *sqlx.Tx, run string) (b tracker.Batch, err error) {
	var params []struct{ Key, Value string }
	err = tx.SelectContext(ctx, &params, `SELECT key, value FROM public.params WHERE run_uuid = $1`, run)
	if err != nil {
		return b, err
	}
	b.Params = map[string]string{}
	for _, p := range params {
		b.Params[p.Key] = p.Value
	}
	var points []struct {
		Key   string
		Step  int64
		Value float64
		IsNaN bool `db:"is_nan"`
	}
	err = tx.SelectContext(ctx, &points, `SELECT DISTINCT ON (key, step) key, step, value, is_nan FROM public.metrics
		WHERE run_uuid = $1 ORDER BY key, step, timestamp DESC, value DESC`, run)
	if err != nil {
		return b, err
	}
	for _, p := range points {
		b.Metrics = append(b.Metrics, tracker.MetricRow{Key: p.Key, Step: p.Step, Value: p.Value, IsNaN: p.IsNaN})
	}
	if err := tx.SelectContext(ctx, &b.Relations, selectRelations, run); err != nil {
		return b, err
	}
	var rows []resultRow
	if err := tx.SelectContext(ctx, &rows, selectResults, run); err != nil {
		return b, err
	}
	b.Results = results(rows)
	_, err = tx.ExecContext(ctx, `UPDATE public.runs SET status = 'RUNNING', end_time = NULL WHERE run_uuid = $1`, run)
	if err != nil {
		return b, err
	}
	return b, recordHeartbeat(ctx, tx, run)
}

// refuseOther returns an error if another program writes the run. The spool's lock excludes programs with this data
// directory. Heartbeats show those with other data directories or on other machines.
func (t *Store) refuseOther(ctx context.Context, tx *sqlx.Tx, run string) error {
	var other struct {
		Host string
		PID  int
	}
	err := tx.GetContext(ctx, &other, `SELECT h.host, h.pid FROM spherelab.heartbeat h JOIN public.runs r USING (run_uuid)
		WHERE h.run_uuid = $1 AND r.status = 'RUNNING' AND h.at > clock_timestamp() - make_interval(secs => $2)`,
		run, t.o.StaleAfter.Seconds())
	switch {
	case isNoRows(err):
		return nil
	case err != nil:
		return err
	}
	if other.Host == process.Hostname() && (other.PID == os.Getpid() || !process.Alive(other.PID)) {
		return nil
	}
	return tracker.Errorf(tracker.CodeBusy, nil, "run %s is being written by process %d on %s", run, other.PID, other.Host)
}

// State returns a run's name and status. A missing run was removed, and does not come back.
func (d database) State(ctx context.Context, run string) (tracker.State, error) {
	var s tracker.State
	err := d.t.db.GetContext(ctx, &s, `SELECT coalesce(name, '') AS name, coalesce(status, '') AS status
		FROM public.runs WHERE run_uuid = $1`, run)
	if isNoRows(err) {
		return tracker.State{Missing: true, Gone: true}, nil
	}
	return s, fault(err)
}

// EndDead ends a run whose program is dead, unless it had finished, and returns its status.
func (d database) EndDead(ctx context.Context, run string, by tracker.Claim, at int64) (tracker.Status, error) {
	err := d.t.InTx(ctx, func(tx *sqlx.Tx) error { return endDead(ctx, tx, by, run, at) })
	if err != nil {
		return "", fault(err)
	}
	s, err := d.State(ctx, run)
	return s.Status, err
}

// Stale marks as FAILED the RUNNING runs whose last heartbeat is older than Options.StaleAfter, except those with a
// spool here.
func (d database) Stale(ctx context.Context, spooled []string) ([]string, error) {
	var stale []string
	err := d.t.db.SelectContext(ctx, &stale, `UPDATE public.runs r
		SET status = 'FAILED', end_time = greatest(r.start_time, (extract(epoch FROM h.at) * 1000)::bigint)
		FROM spherelab.heartbeat h
		WHERE h.run_uuid = r.run_uuid AND r.status = 'RUNNING' AND h.at < clock_timestamp() - make_interval(secs => $1)
			AND r.run_uuid <> ALL ($2)
		RETURNING r.run_uuid`, d.t.o.StaleAfter.Seconds(), pq.Array(spooled))
	return stale, fault(err)
}
