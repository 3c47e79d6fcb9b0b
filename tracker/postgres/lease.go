package postgres

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/process"
)

// maxLosses is how many workers a job may lose. A training that kills its worker, for lack of memory for example, must
// not be tried forever.
const maxLosses = 5

// Lease is a job that this program has taken. No other worker can take the job until the lease runs out; Renew moves
// its end. When another worker has taken the job over, every write to the run that was started or resumed with this
// lease is refused with CodeFenced.
type Lease struct {
	Job tracker.Job
	t   *Store
	d   time.Duration
}

// Claim returns what the lease says to the store. It is zero for nil.
func (l *Lease) Claim() tracker.Claim {
	if l == nil {
		return tracker.Claim{}
	}
	return tracker.Claim{Job: l.Job.ID, Fence: l.Job.Fence, Run: l.Job.Run}
}

// TakeJob takes the next job for a duration: one whose lease has run out, or else the first that waits in the sweep of
// greatest priority. holder names this worker for people. own are the jobs that it has already: it keeps them when
// their leases ran out in an outage, since Renew is enough. The lease is nil if there is no job to take.
func (t *Store) TakeJob(ctx context.Context, holder string, d time.Duration, own ...int64) (*Lease, error) {
	var row jobRow
	own = append([]int64{}, own...) // nil would be NULL, and no comparison with NULL is true
	err := t.retry(ctx, "taking a job", func(ctx context.Context) error {
		row = jobRow{}
		return t.InTx(ctx, func(tx *sqlx.Tx) error {
			if _, err := tx.ExecContext(ctx, `UPDATE spherelab.job SET state = 'failed', ended_at = clock_timestamp(),
					losses = losses + 1, error = 'its workers ended without a word, the last one on ' || holder
				WHERE id IN (SELECT id FROM spherelab.job WHERE state = 'running' AND lease_until < clock_timestamp()
					AND losses >= $1 AND id <> ALL($2::bigint[]) FOR UPDATE SKIP LOCKED)`, maxLosses-1, own); err != nil {
				return err
			}
			err := tx.GetContext(ctx, &row, `SELECT `+jobColumns+` FROM spherelab.job j JOIN spherelab.sweep s ON s.name = j.sweep
				WHERE j.state = 'running' AND j.lease_until < clock_timestamp() AND NOT s.paused
					AND j.id <> ALL($1::bigint[])
				ORDER BY s.priority DESC, j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED`, own)
			if isNoRows(err) {
				err = tx.GetContext(ctx, &row, `SELECT n.* FROM (SELECT * FROM spherelab.sweep WHERE NOT paused) s
					CROSS JOIN LATERAL (SELECT `+jobColumns+` FROM spherelab.job j WHERE j.sweep = s.name AND j.state = 'waiting'
						AND (j.lease_until IS NULL OR j.lease_until < clock_timestamp())
						ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED) n
					ORDER BY s.priority DESC, n.id LIMIT 1`)
			}
			if isNoRows(err) {
				return nil // and commit
			}
			if err != nil {
				return err
			}
			return tx.GetContext(ctx, &row, `UPDATE spherelab.job j SET losses = losses + (state = 'running')::int,
					state = 'running', fence = nextval('spherelab.fence'), takes = takes + 1, holder = $2,
					lease_until = clock_timestamp() + make_interval(secs => $3),
					started_at = coalesce(started_at, clock_timestamp())
				WHERE id = $1 RETURNING `+jobColumns, row.ID, holder, d.Seconds())
		})
	})
	if err != nil || row.ID == 0 {
		return nil, err
	}
	return &Lease{Job: row.job(), t: t, d: d}, nil
}

// Renew moves the end of the lease to its full length from now. The error has CodeFenced if another worker has the job
// now, and CodeCanceled if the job was canceled.
func (l *Lease) Renew(ctx context.Context) error {
	return l.change(ctx, "renewing a lease", `lease_until = clock_timestamp() + make_interval(secs => $3)`, l.d.Seconds())
}

// Release returns the job to the queue: another worker may take it and resumes its run, after a pause or at once.
func (l *Lease) Release(ctx context.Context, pause time.Duration) error {
	return l.change(ctx, "giving a job back", `state = 'waiting',
		lease_until = clock_timestamp() + make_interval(secs => $3)`, pause.Seconds())
}

// Done records that the job's run is finished.
func (l *Lease) Done(ctx context.Context, run string) error {
	return l.change(ctx, "ending a job", `state = 'done', run_uuid = $3, lease_until = NULL, error = NULL,
		ended_at = clock_timestamp()`, run)
}

// Fail records why the job failed. It waits again after a pause, until it has failed too often.
func (l *Lease) Fail(ctx context.Context, cause error, often int, pause time.Duration) error {
	return l.change(ctx, "ending a job", `failures = failures + 1, error = $3,
		lease_until = clock_timestamp() + make_interval(secs => $5),
		state = CASE WHEN failures + 1 >= $4 THEN 'failed' ELSE 'waiting' END,
		ended_at = CASE WHEN failures + 1 >= $4 THEN clock_timestamp() END`, cause.Error(), often,
		pause.Seconds())
}

// change updates the job of a lease if this program still has it.
func (l *Lease) change(ctx context.Context, doing, set string, args ...any) error {
	return l.t.retry(ctx, doing, func(ctx context.Context) error {
		res, err := l.t.db.ExecContext(ctx, `UPDATE spherelab.job SET `+set+` WHERE id = $1 AND fence = $2
			AND state = 'running'`, append([]any{l.Job.ID, l.Job.Fence}, args...)...)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return l.lost(ctx)
	})
}

// lost returns why this program no longer has a lease.
func (l *Lease) lost(ctx context.Context) error {
	var now struct {
		State  string
		Fence  int64
		Holder string
	}
	err := l.t.db.GetContext(ctx, &now, `SELECT state, fence, coalesce(holder, '') AS holder FROM spherelab.job
		WHERE id = $1`, l.Job.ID)
	switch {
	case isNoRows(err):
		return tracker.Errorf(tracker.CodeCanceled, nil, "job %d (%s) was removed", l.Job.ID, l.Job.Title)
	case err != nil:
		return err
	case now.Fence != l.Job.Fence:
		return fenced(l.Job.ID, now.Holder)
	}
	return tracker.Errorf(tracker.CodeCanceled, nil, "job %d (%s) is %s", l.Job.ID, l.Job.Title, now.State)
}

func fenced(job int64, holder string) error {
	return tracker.Errorf(tracker.CodeFenced, nil, "job %d belongs to another worker now (%s); this one's lease had run out", job, holder)
}

// checkClaim returns an error with CodeFenced if the claim is no longer valid. No other worker can take the job before
// tx ends.
func checkClaim(ctx context.Context, tx *sqlx.Tx, c tracker.Claim) error {
	if c.Job == 0 {
		return nil
	}
	var now struct {
		Fence  int64
		Holder string
	}
	err := tx.GetContext(ctx, &now, `SELECT fence, coalesce(holder, '') AS holder FROM spherelab.job WHERE id = $1
		FOR SHARE`, c.Job)
	switch {
	case isNoRows(err):
		return tracker.Errorf(tracker.CodeFenced, nil, "job %d was removed", c.Job)
	case err != nil:
		return err
	case now.Fence != c.Fence:
		return fenced(c.Job, now.Holder)
	}
	return nil
}

// attach attaches a run to the job. A run that the job had before is FAILED, because no program writes it any more.
func attach(ctx context.Context, tx *sqlx.Tx, c tracker.Claim, run string) error {
	if c.Job == 0 {
		return nil
	}
	if err := checkClaim(ctx, tx, c); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE public.runs r SET status = 'FAILED', end_time = greatest(r.start_time, $3)
		FROM spherelab.job j WHERE j.id = $1 AND r.run_uuid = j.run_uuid AND r.run_uuid <> $2 AND r.status = 'RUNNING'`,
		c.Job, run, time.Now().UnixMilli()); err != nil {
		return err
	}
	if err := detach(ctx, tx, c, run); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE spherelab.job SET run_uuid = $2 WHERE id = $1`, c.Job, run)
	return err
}

// detach takes a run from the other jobs that have it and are not done, and cuts their workers off. It returns an error
// with CodeBusy if a worker has one of them, and for a program without a job also if one of them is still to be done.
func detach(ctx context.Context, tx *sqlx.Tx, c tracker.Claim, run string) error {
	var other struct{ Sweep, Title string }
	err := tx.GetContext(ctx, &other, `SELECT sweep, title FROM spherelab.job WHERE run_uuid = $1 AND id <> $2
		AND (state = 'running' AND (lease_until > clock_timestamp() OR $2 = 0) OR state = 'waiting' AND $2 = 0) LIMIT 1`,
		run, c.Job)
	if err == nil {
		return tracker.Errorf(tracker.CodeBusy, nil, "run %s is job %q of sweep %s, for workers; let a worker resume it, or cancel the sweep",
			tracker.ShortID(run), other.Title, other.Sweep)
	}
	if !isNoRows(err) {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE spherelab.job SET run_uuid = NULL, fence = nextval('spherelab.fence')
		WHERE run_uuid = $1 AND id <> $2 AND state <> 'done'`, run, c.Job)
	return err
}

// expire lets another worker take the job at once, because this claim's program is dead.
func expire(ctx context.Context, db sqlx.ExecerContext, c tracker.Claim) error {
	if c.Job == 0 {
		return nil
	}
	_, err := db.ExecContext(ctx, `UPDATE spherelab.job SET lease_until = clock_timestamp()
		WHERE id = $1 AND fence = $2 AND state = 'running'`, c.Job, c.Fence)
	return err
}

// WorkerName names this process for people: machine and process number.
func WorkerName() string { return fmt.Sprintf("%s:%d", process.Hostname(), os.Getpid()) }
