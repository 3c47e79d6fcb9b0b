package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
)

// A long curve is read in one pass over all of its points, and its pictures are drawn repeatedly: with other axes,
// smoothed, as SVG and PDF. So the last maxKept reduced curves stay in memory, each for keptFor at most. Another
// program may add points before the newest one, and no cheap query would notice them.
const (
	maxKept = 64
	keptFor = time.Minute
)

// curveState is what changes when a run's metric gets newer points, or when the run ends or resumes.
type curveState struct {
	Status    string
	End       int64
	Value     float64
	Timestamp int64
	Step      int64
}

// curveKey names a reduced curve. Ends are 0 without a range of steps.
type curveKey struct {
	run, key string
	steps    bool
	from, to int64
	columns  int
}

type keptCurve struct {
	key   curveKey
	state curveState
	read  time.Time
	curve tracker.Curve
}

// curveMemory keeps reduced curves, newest first.
type curveMemory struct {
	mu   sync.Mutex
	kept []keptCurve
}

// get returns a curve that was read in the same state.
func (m *curveMemory) get(key curveKey, state curveState, now time.Time) (tracker.Curve, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.kept {
		if k.key == key && k.state == state && now.Sub(k.read) < keptFor {
			c := k.curve
			c.Points = slices.Clone(c.Points)
			return c, true
		}
	}
	return tracker.Curve{}, false
}

func (m *curveMemory) put(k keptCurve) {
	k.curve.Points = slices.Clone(k.curve.Points)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = slices.DeleteFunc(m.kept, func(old keptCurve) bool { return old.key == k.key })
	m.kept = slices.Insert(m.kept, 0, k)
	m.kept = m.kept[:min(len(m.kept), maxKept)]
}

func (q curveQuery) memoryKey() curveKey {
	k := curveKey{run: q.args[0].(string), key: q.args[1].(string), columns: q.columns}
	if q.steps != nil {
		k.steps, k.from, k.to = true, q.steps.From, q.steps.To
	}
	return k
}

// state reads the state of a metric; ok is false if there is none.
func (q curveQuery) state(ctx context.Context, db sqlx.QueryerContext) (s curveState, ok bool, err error) {
	err = sqlx.GetContext(ctx, db, &s, `SELECT coalesce(r.status, '') AS status, coalesce(r.end_time, 0) AS end, l.value,
			coalesce(l.timestamp, 0) AS timestamp, l.step
		FROM public.latest_metrics AS l JOIN public.runs AS r USING (run_uuid) WHERE l.run_uuid = $1 AND l.key = $2`,
		q.args[:2]...)
	if isNoRows(err) {
		return s, false, nil
	}
	return s, err == nil, err
}
