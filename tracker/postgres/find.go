package postgres

import (
	"context"
	"strings"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/form"
)

// Candidates returns the runs that a reference may mean, without params, tags and metrics.
func (d database) Candidates(ctx context.Context, ref string, deleted bool) (
	list []tracker.RunInfo, named bool, err error,
) {
	rows, named, err := d.t.candidates(ctx, ref, stage(deleted))
	list, _ = d.t.runInfos(rows)
	return list, named, fault(err)
}

// candidates returns the runs that ref may mean, newest first, by the first rule that finds any: "last", the id, the
// name, the beginning of an id. named reports whether it was the name.
func (t *Store) candidates(ctx context.Context, ref, stage string) (rows []runRow, named bool, err error) {
	const active = " WHERE r.lifecycle_stage = $1"
	if ref == "last" {
		err := t.db.SelectContext(ctx, &rows, selectRuns+active+" AND "+notGroup+newestFirst+" LIMIT 1", stage)
		return rows, false, err
	}
	id := strings.ToLower(ref)
	err = t.db.SelectContext(ctx, &rows, selectRuns+active+" AND r.run_uuid = $2", stage, id)
	if err != nil || len(rows) > 0 {
		return rows, false, err
	}
	err = t.db.SelectContext(ctx, &rows, selectRuns+active+" AND r.name = $2"+newestFirst, stage, ref)
	if err != nil || len(rows) > 0 {
		return rows, true, err
	}
	if form.HexPattern.MatchString(id) {
		err := t.db.SelectContext(ctx, &rows, selectRuns+active+" AND r.run_uuid LIKE $2"+newestFirst, stage, id+"%")
		return rows, false, err
	}
	return nil, false, nil
}

// Complete adds params, tags and latest metrics to a run.
func (d database) Complete(ctx context.Context, run tracker.RunInfo) (tracker.RunInfo, error) {
	err := d.t.addValues(ctx, map[string]*tracker.RunInfo{run.ID: &run})
	return run, fault(err)
}

// Names returns the ids and names of the newest runs.
func (d database) Names(ctx context.Context, deleted bool) (names []tracker.RunName, err error) {
	err = d.t.db.SelectContext(ctx, &names, `SELECT run_uuid, coalesce(name, '') AS name FROM public.runs r
		WHERE lifecycle_stage = $1`+newestFirst+` LIMIT 2000`, stage(deleted))
	return names, fault(err)
}
