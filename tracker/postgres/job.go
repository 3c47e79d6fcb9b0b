package postgres

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/internal/spelling"
	"github.com/spherelab/spherelab/tracker"
)

// jobRow is a Job as the table has it.
type jobRow struct {
	ID                               int64
	Kind                             tracker.JobKind
	Until                            int
	Sweep, Key, Title, Config, State string
	Run, Holder, Error               string
	Fence                            int64
	Takes, Losses, Failures          int
	Started                          *time.Time
	Ended                            *time.Time
}

const jobColumns = `j.id, j.kind, j.until, j.sweep, j.key, j.title, j.config, j.state, coalesce(j.run_uuid, '') AS run,
	coalesce(j.holder, '') AS holder, coalesce(j.error, '') AS error, j.fence, j.takes, j.losses, j.failures,
	j.started_at AS started, j.ended_at AS ended`

func (r jobRow) job() tracker.Job {
	j := tracker.Job{ID: r.ID, Kind: r.Kind, Until: r.Until, Sweep: r.Sweep, Key: r.Key, Title: r.Title,
		Config: r.Config,
		State:  tracker.JobState(r.State), Run: r.Run, Holder: r.Holder, Fence: r.Fence, Takes: r.Takes,
		Losses:   r.Losses,
		Failures: r.Failures, Error: r.Error}
	if r.Started != nil {
		j.Started = *r.Started
	}
	if r.Ended != nil {
		j.Ended = *r.Ended
	}
	return j
}

// Enqueue adds jobs to a sweep, which it creates if no sweep has that name, and returns how many of them are new. A job
// that failed or was canceled waits again, and so does a job that was done and whose run is gone.
func (t *Store) Enqueue(ctx context.Context, sweep string, jobs []tracker.NewJob) (added int, err error) {
	if err := tracker.CheckText("the name of sweep", sweep, sweep, tracker.MaxExperiment); err != nil {
		return 0, err
	}
	columns := make([][]string, 7)
	for _, j := range jobs {
		state := tracker.JobWaiting
		if j.Run != "" {
			state = tracker.JobDone
		}
		for i, text := range []string{j.Key, j.Title, j.Config, j.Run, string(state),
			string(cmp.Or(j.Kind, tracker.JobRun)), strconv.Itoa(j.Until)} {
			if err := tracker.CheckEncoding("job", j.Title, text); err != nil {
				return 0, err
			}
			columns[i] = append(columns[i], text)
		}
	}
	err = t.retry(ctx, "enqueuing sweep "+sweep, func(ctx context.Context) error {
		return t.InTx(ctx, func(tx *sqlx.Tx) error {
			if _, err := tx.ExecContext(ctx, `INSERT INTO spherelab.sweep (name) VALUES ($1) ON CONFLICT DO NOTHING`,
				sweep); err != nil {
				return err
			}
			args := []any{sweep}
			for _, column := range columns {
				args = append(args, pq.Array(column))
			}
			res, err := tx.ExecContext(ctx, `INSERT INTO spherelab.job AS j (sweep, key, title, config, run_uuid, state,
					kind, until)
				SELECT $1, u.key, u.title, u.config, nullif(u.run, ''), u.state, u.kind, u.until
				FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[])
					WITH ORDINALITY AS u (key, title, config, run, state, kind, until, place)
				ORDER BY u.place
				ON CONFLICT (sweep, key) DO UPDATE SET state = excluded.state, config = excluded.config, error = NULL,
					failures = 0, losses = 0, started_at = NULL, ended_at = NULL, lease_until = NULL,
					run_uuid = coalesce(excluded.run_uuid, j.run_uuid)
				WHERE j.state IN ('failed', 'canceled') OR j.state = 'done' AND excluded.state = 'waiting'`, args...)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			added = int(n)
			return err
		})
	})
	return added, err
}

// Jobs lists the jobs of a sweep in the order in which they were enqueued. It returns none if nothing was enqueued
// under that name.
func (t *Store) Jobs(ctx context.Context, sweep string) ([]tracker.Job, error) {
	var rows []jobRow
	err := t.retry(ctx, "listing the jobs of sweep "+sweep, func(ctx context.Context) error {
		rows = nil
		return t.db.SelectContext(ctx, &rows, `SELECT `+jobColumns+` FROM spherelab.job j WHERE sweep = $1 ORDER BY id`,
			sweep)
	})
	list := make([]tracker.Job, len(rows))
	for i, r := range rows {
		list[i] = r.job()
	}
	return list, err
}

// Sweeps lists the sweeps that were enqueued, the newest first.
func (t *Store) Sweeps(ctx context.Context) ([]tracker.SweepState, error) {
	var rows []struct {
		Name     string
		Paused   bool
		Priority int
		State    string
		N, Runs  int
	}
	err := t.retry(ctx, "listing sweeps", func(ctx context.Context) error {
		rows = nil
		return t.db.SelectContext(ctx, &rows, `SELECT s.name, s.paused, s.priority, coalesce(j.state, '') AS state,
				count(j.id) AS n, count(j.id) FILTER (WHERE j.kind = 'run') AS runs
			FROM spherelab.sweep s LEFT JOIN spherelab.job j ON j.sweep = s.name
			GROUP BY s.name, j.state ORDER BY s.created_at DESC, s.name`)
	})
	var list []tracker.SweepState
	for _, r := range rows {
		if len(list) == 0 || list[len(list)-1].Name != r.Name {
			list = append(list, tracker.SweepState{Name: r.Name, Paused: r.Paused, Priority: r.Priority,
				Count: map[tracker.JobState]int{}})
		}
		last := &list[len(list)-1]
		if r.State != "" {
			last.Count[tracker.JobState(r.State)] = r.N
		}
		if r.State == string(tracker.JobWaiting) {
			last.Trainings = r.Runs
		}
	}
	return list, err
}

// PauseSweep keeps workers from taking further jobs of a sweep, or allows it again.
func (t *Store) PauseSweep(ctx context.Context, sweep string, paused bool) error {
	return t.changeSweep(ctx, sweep, `UPDATE spherelab.sweep SET paused = $2 WHERE name = $1`, paused)
}

// SetPriority orders sweeps: workers take jobs of the sweep with the greatest priority first. A new sweep has priority
// 0.
func (t *Store) SetPriority(ctx context.Context, sweep string, priority int) error {
	return t.changeSweep(ctx, sweep, `UPDATE spherelab.sweep SET priority = $2 WHERE name = $1`, priority)
}

func (t *Store) changeSweep(ctx context.Context, sweep, statement string, value any) error {
	return t.retry(ctx, "changing sweep "+sweep, func(ctx context.Context) error {
		res, err := t.db.ExecContext(ctx, statement, sweep, value)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return t.noSweep(ctx, sweep)
	})
}

// CancelSweep takes the waiting and running jobs of a sweep out of the queue and returns their number. The workers that
// have some of them save their runs, which can be resumed.
func (t *Store) CancelSweep(ctx context.Context, sweep string) (canceled int, err error) {
	err = t.retry(ctx, "canceling sweep "+sweep, func(ctx context.Context) error {
		res, err := t.db.ExecContext(ctx, `UPDATE spherelab.job SET state = 'canceled', ended_at = clock_timestamp()
			WHERE sweep = $1 AND state IN ('waiting', 'running')`, sweep)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if canceled = int(n); err != nil || n > 0 {
			return err
		}
		var there bool
		err = t.db.GetContext(ctx, &there, `SELECT EXISTS (SELECT FROM spherelab.sweep WHERE name = $1)`, sweep)
		if err != nil || there {
			return err
		}
		return t.noSweep(ctx, sweep)
	})
	return canceled, err
}

// noSweep returns an error that nothing was enqueued under that name, with the nearest name.
func (t *Store) noSweep(ctx context.Context, sweep string) error {
	var names []string
	if err := t.db.SelectContext(ctx, &names, `SELECT name FROM spherelab.sweep`); err != nil {
		return err
	}
	message := fmt.Sprintf("no sweep %q was enqueued", sweep)
	if near := spelling.Nearest(names, sweep, 1); len(near) > 0 {
		message += "; nearest: " + near[0]
	}
	return tracker.Errorf(tracker.CodeNotFound, nil, "%s", message)
}
