package postgres

import (
	"context"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/form"
)

// Pulse reads a run's status and progress, without its values.
func (t *Store) Pulse(ctx context.Context, runID string) (tracker.Pulse, error) {
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
			return tracker.Errorf(tracker.CodeNotFound, nil, "there is no run %s", runID)
		}
		return err
	})
	return tracker.Pulse{Status: tracker.Status(row.Status), Step: row.Step, Time: form.UnixTime(row.Time)}, err
}
