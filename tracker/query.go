package tracker

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"
)

// RunInfo is a run as stored.
type RunInfo struct {
	ID, Name, Experiment, Status string
	User                         string
	Start, End                   time.Time // End is zero while the run goes on
	Params, Tags                 map[string]string
	Metrics                      map[string]float64 // the latest value of each key
	Steps                        map[string]int64   // the step of the latest value
	ArtifactURI                  string
	Deleted                      bool
	SameName                     int // FindRun with a name: how many older runs have this name too; else 0
}

// Filter restricts Runs. The zero Filter is all runs that are not deleted.
type Filter struct {
	IDs        []string // nil: any
	Experiment string
	Status     Status
	Name       string
	Params     map[string]string // all of these
	Tags       map[string]string // all of these
	Deleted    bool              // only deleted runs, instead of only the others
	Limit      int               // 0: all
}

// Point is one value of a metric.
type Point struct {
	Step  int64
	Time  time.Time
	Value float64
}

type runRow struct {
	ID          string  `db:"run_uuid"`
	Name        string  `db:"name"`
	Experiment  string  `db:"experiment"`
	Status      string  `db:"status"`
	User        string  `db:"user_id"`
	Start       *int64  `db:"start_time"`
	End         *int64  `db:"end_time"`
	ArtifactURI *string `db:"artifact_uri"`
	Stage       string  `db:"lifecycle_stage"`
}

const selectRuns = `SELECT r.run_uuid, coalesce(r.name, '') AS name, coalesce(e.name, '') AS experiment, coalesce(r.status, '') AS status,
	coalesce(r.user_id, '') AS user_id, r.start_time, r.end_time, r.artifact_uri, coalesce(r.lifecycle_stage, 'active') AS lifecycle_stage
	FROM public.runs r LEFT JOIN public.experiments e ON e.experiment_id = r.experiment_id`

const newestFirst = ` ORDER BY r.start_time DESC NULLS LAST, r.run_uuid`

// Runs returns the runs that pass the filter, newest first.
func (t *Tracker) Runs(ctx context.Context, f Filter) ([]RunInfo, error) {
	stage := "active"
	if f.Deleted {
		stage = "deleted"
	}
	where := []string{"r.lifecycle_stage = $1"}
	args := []any{stage}
	add := func(condition string, values ...any) {
		marks := make([]any, len(values))
		for i, v := range values {
			args = append(args, v)
			marks[i] = len(args)
		}
		where = append(where, fmt.Sprintf(condition, marks...))
	}
	if f.IDs != nil {
		add("r.run_uuid = ANY ($%d)", pq.Array(f.IDs))
	}
	if f.Experiment != "" {
		add("e.name = $%d", f.Experiment)
	}
	if f.Status != "" {
		add("r.status = $%d", string(f.Status))
	}
	if f.Name != "" {
		add("r.name = $%d", f.Name)
	}
	for _, key := range sortedKeys(f.Params) {
		add("EXISTS (SELECT FROM public.params p WHERE p.run_uuid = r.run_uuid AND p.key = $%d AND p.value = $%d)", key, f.Params[key])
	}
	for _, key := range sortedKeys(f.Tags) {
		add("EXISTS (SELECT FROM public.tags g WHERE g.run_uuid = r.run_uuid AND g.key = $%d AND g.value = $%d)", key, f.Tags[key])
	}
	query := selectRuns + " WHERE " + strings.Join(where, " AND ") + newestFirst
	if f.Limit > 0 {
		query += fmt.Sprintf(" LIMIT %d", f.Limit)
	}
	var out []RunInfo
	err := t.retry(ctx, "reading runs", func(ctx context.Context) error {
		var rows []runRow
		if err := t.db.SelectContext(ctx, &rows, query, args...); err != nil {
			return err
		}
		var err error
		out, err = t.complete(ctx, rows)
		return err
	})
	return out, err
}

// complete adds params, tags and latest metrics to run rows.
func (t *Tracker) complete(ctx context.Context, rows []runRow) ([]RunInfo, error) {
	out := make([]RunInfo, len(rows))
	index := make(map[string]*RunInfo, len(rows))
	ids := make([]string, len(rows))
	for i, r := range rows {
		out[i] = RunInfo{ID: r.ID, Name: r.Name, Experiment: r.Experiment, Status: r.Status, User: r.User, Start: milli(r.Start), End: milli(r.End),
			Params: map[string]string{}, Tags: map[string]string{}, Metrics: map[string]float64{}, Steps: map[string]int64{}, Deleted: r.Stage == "deleted"}
		if r.ArtifactURI != nil {
			out[i].ArtifactURI = *r.ArtifactURI
		}
		index[r.ID], ids[i] = &out[i], r.ID
	}
	if len(ids) == 0 {
		return out, nil
	}
	var texts []struct {
		Run   string `db:"run_uuid"`
		Param bool
		Key   string
		Value string
	}
	if err := t.db.SelectContext(ctx, &texts, `SELECT run_uuid, true AS param, key, value FROM public.params WHERE run_uuid = ANY ($1)
		UNION ALL SELECT run_uuid, false, key, coalesce(value, '') FROM public.tags WHERE run_uuid = ANY ($1)`, pq.Array(ids)); err != nil {
		return nil, err
	}
	for _, x := range texts {
		if x.Param {
			index[x.Run].Params[x.Key] = x.Value
		} else {
			index[x.Run].Tags[x.Key] = x.Value
		}
	}
	var metrics []struct {
		Run   string `db:"run_uuid"`
		Key   string
		Value float64
		Step  int64
		IsNaN bool `db:"is_nan"`
	}
	if err := t.db.SelectContext(ctx, &metrics, `SELECT run_uuid, key, value, step, is_nan FROM public.latest_metrics WHERE run_uuid = ANY ($1)`, pq.Array(ids)); err != nil {
		return nil, err
	}
	for _, m := range metrics {
		index[m.Run].Metrics[m.Key] = loaded(m.Value, m.IsNaN)
		index[m.Run].Steps[m.Key] = m.Step
	}
	return out, nil
}

func milli(ms *int64) time.Time {
	if ms == nil {
		return time.Time{}
	}
	return time.UnixMilli(*ms).UTC()
}

// FindRun finds a run that is not deleted by its id, its name, a unique beginning of its id, or "last" (the newest).
// A name that several runs have means the newest of them, and SameName of the result counts the others. The error has
// CodeNotFound and offers what is near, or, for a beginning of several ids, CodeAmbiguous and lists the candidates.
func (t *Tracker) FindRun(ctx context.Context, ref string) (RunInfo, error) {
	return t.findRun(ctx, ref, false)
}

// FindDeletedRun is FindRun among the deleted runs.
func (t *Tracker) FindDeletedRun(ctx context.Context, ref string) (RunInfo, error) {
	return t.findRun(ctx, ref, true)
}

var hexPattern = regexp.MustCompile(`^[0-9a-f]{1,32}$`)

func (t *Tracker) findRun(ctx context.Context, ref string, deleted bool) (RunInfo, error) {
	stage := "active"
	if deleted {
		stage = "deleted"
	}
	var found RunInfo
	err := t.retry(ctx, "looking for run "+ref, func(ctx context.Context) error {
		rows, named, err := t.candidates(ctx, strings.TrimSpace(ref), stage)
		switch {
		case err != nil:
			return err
		case len(rows) == 0:
			return t.notFound(ctx, ref, stage)
		case len(rows) > 1 && !named:
			return ambiguous(ref, rows)
		}
		infos, err := t.complete(ctx, rows[:1])
		if err == nil {
			found = infos[0]
			found.SameName = len(rows) - 1
		}
		return err
	})
	return found, err
}

// candidates returns the runs that ref may mean, newest first, by the first rule under which there is one, and whether
// that rule was the name.
func (t *Tracker) candidates(ctx context.Context, ref, stage string) (rows []runRow, named bool, err error) {
	const active = " WHERE r.lifecycle_stage = $1"
	if ref == "last" {
		err := t.db.SelectContext(ctx, &rows, selectRuns+active+newestFirst+" LIMIT 1", stage)
		return rows, false, err
	}
	if err := t.db.SelectContext(ctx, &rows, selectRuns+active+" AND r.run_uuid = $2", stage, strings.ToLower(ref)); err != nil || len(rows) > 0 {
		return rows, false, err
	}
	if err := t.db.SelectContext(ctx, &rows, selectRuns+active+" AND r.name = $2"+newestFirst, stage, ref); err != nil || len(rows) > 0 {
		return rows, true, err
	}
	if id := strings.ToLower(ref); hexPattern.MatchString(id) {
		err := t.db.SelectContext(ctx, &rows, selectRuns+active+" AND r.run_uuid LIKE $2"+newestFirst, stage, id+"%")
		return rows, false, err
	}
	return nil, false, nil
}

func ambiguous(ref string, rows []runRow) error {
	var list []string
	for i, r := range rows {
		if i == 8 {
			list = append(list, fmt.Sprintf("and %d more", len(rows)-i))
			break
		}
		list = append(list, fmt.Sprintf("%s %s (%s, %s)", r.ID[:min(8, len(r.ID))], r.Name, r.Status, milli(r.Start).Format("2006-01-02 15:04:05")))
	}
	return fail(CodeAmbiguous, nil, "%q may be any of %d runs: %s. Give more of the id", ref, len(rows), strings.Join(list, "; "))
}

func (t *Tracker) notFound(ctx context.Context, ref, stage string) error {
	other := "deleted"
	if stage == "deleted" {
		other = "active"
	}
	if rows, _, err := t.candidates(ctx, strings.TrimSpace(ref), other); err == nil && len(rows) > 0 && ref != "last" {
		if other == "deleted" {
			return fail(CodeNotFound, nil, "run %s (%s) is deleted; bring it back with: spherelab runs restore %s", ref, rows[0].Name, rows[0].ID[:8])
		}
		return fail(CodeNotFound, nil, "run %s (%s) is not deleted", ref, rows[0].Name)
	}
	var names []struct {
		ID   string `db:"run_uuid"`
		Name string
	}
	if err := t.db.SelectContext(ctx, &names, `SELECT run_uuid, coalesce(name, '') AS name FROM public.runs r WHERE lifecycle_stage = $1`+newestFirst+` LIMIT 2000`, stage); err != nil {
		return err
	}
	if len(names) == 0 {
		if stage == "deleted" {
			return fail(CodeNotFound, nil, "there is no deleted run")
		}
		return fail(CodeNotFound, nil, "there are no runs yet; make one with: spherelab train")
	}
	type near struct {
		text     string
		distance int
	}
	var all []near
	seen := map[string]bool{}
	for _, n := range names {
		d := min(editDistance(strings.ToLower(ref), strings.ToLower(n.Name)), editDistance(strings.ToLower(ref), n.ID[:min(len(ref), len(n.ID))]))
		text := fmt.Sprintf("%s (%s)", n.Name, n.ID[:min(8, len(n.ID))])
		if !seen[text] {
			seen[text] = true
			all = append(all, near{text, d})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return a.distance - b.distance })
	var offers []string
	for _, n := range all[:min(3, len(all))] {
		offers = append(offers, n.text)
	}
	return fail(CodeNotFound, nil, "there is no run %q; nearest: %s. `spherelab runs ls` lists all", ref, strings.Join(offers, ", "))
}

// editDistance is the Levenshtein distance in runes.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}

// History returns all values of one metric of a run, by step and time.
func (t *Tracker) History(ctx context.Context, runID, key string) ([]Point, error) {
	var rows []struct {
		Step      int64
		Timestamp int64
		Value     float64
		IsNaN     bool `db:"is_nan"`
	}
	err := t.retry(ctx, "reading metric "+key, func(ctx context.Context) error {
		rows = nil
		return t.db.SelectContext(ctx, &rows, `SELECT step, timestamp, value, is_nan FROM public.metrics WHERE run_uuid = $1 AND key = $2
			ORDER BY step, timestamp, value`, runID, key)
	})
	if err != nil {
		return nil, err
	}
	points := make([]Point, len(rows))
	for i, r := range rows {
		points[i] = Point{Step: r.Step, Time: time.UnixMilli(r.Timestamp).UTC(), Value: loaded(r.Value, r.IsNaN)}
	}
	return points, nil
}

// Keys returns the names of a run's metrics, sorted bytewise.
func (t *Tracker) Keys(ctx context.Context, runID string) ([]string, error) {
	var keys []string
	err := t.retry(ctx, "reading the metrics of run "+runID, func(ctx context.Context) error {
		keys = nil
		return t.db.SelectContext(ctx, &keys, `SELECT key FROM public.latest_metrics WHERE run_uuid = $1 ORDER BY key COLLATE "C"`, runID)
	})
	return keys, err
}
