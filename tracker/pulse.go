package tracker

import (
	"context"
	"time"
)

// Pulse is what changes while a program works on a run.
type Pulse struct {
	Status Status
	Step   int64     // the latest of any metric
	Time   time.Time // of the newest value of any metric; zero without metrics
}

// Pulse reads a run's status and how far it is, without its values.
func (t *Tracker) Pulse(ctx context.Context, runID string) (Pulse, error) {
	var row struct {
		Status string
		Step   int64
		Time   *int64
	}
	err := t.retry(ctx, "reading run "+runID, func(ctx context.Context) error {
		err := t.db.GetContext(ctx, &row, `SELECT coalesce(r.status, '') AS status, coalesce(m.step, 0) AS step, m.time
			FROM public.runs r CROSS JOIN LATERAL (SELECT max(step) AS step, max(timestamp) AS time
				FROM public.latest_metrics WHERE run_uuid = r.run_uuid) m
			WHERE r.run_uuid = $1`, runID)
		if isNoRows(err) {
			return errorf(CodeNotFound, nil, "there is no run %s", runID)
		}
		return err
	})
	return Pulse{Status(row.Status), row.Step, unixTime(row.Time)}, err
}
