package postgres

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/form"
)

// Curve reads the history of one metric or result of a run over a range of steps; nil means all steps. If it has more
// than 4*columns points, the steps are divided into that many columns of equal width. The lowest and the highest value
// of each column are read: a picture of as many px shows the same line. They are put on the first and the last step of
// their column. The first is the value that is nearer to what comes before, or farther from what comes after. NaNs are
// counted and not read then. Such a curve may be up to a minute old if only points before the newest one were added.
func (t *Store) Curve(ctx context.Context, runID, key string, steps *tracker.Steps, columns int) (
	tracker.Curve, error,
) {
	columns = max(columns, 1)
	q := curveQuery{args: []any{runID, key, nil, nil}, steps: steps, columns: columns}
	if steps != nil {
		q.args[2], q.args[3] = steps.From, steps.To
	}
	c := tracker.Curve{Key: key}
	err := t.retry(ctx, "reading the metrics of run "+runID, func(ctx context.Context) (err error) {
		began := time.Now()
		state, known, err := q.state(ctx, t.db)
		if err != nil {
			return err
		}
		if kept, ok := t.curves.get(q.memoryKey(), state, began); known && ok {
			c = kept
			return nil
		}
		c.Points, c.Total, err = q.readSome(ctx, t.db)
		if err != nil {
			return err
		}
		if len(c.Points) <= 4*columns {
			list, err := database{t}.Results(ctx, runID, &key)
			c.Points = tracker.WithResults(c.Points, list, key)
			c.Points = slices.DeleteFunc(c.Points, func(p tracker.Point) bool {
				return steps != nil && (p.Step < steps.From || p.Step > steps.To)
			})
			c.Total = len(c.Points)
			return err
		}
		err = t.InTx(ctx, func(tx *sqlx.Tx) error {
			columns, err := q.readReduced(ctx, tx, c.Points, state.Step)
			take(&c, columns)
			return err
		})
		if err == nil && known { // the state is older than what was read, so it never covers too much
			t.curves.put(keptCurve{q.memoryKey(), state, began, c})
		}
		return err
	})
	if err != nil {
		return tracker.Curve{}, err
	}
	return c, nil
}

// curveQuery reads a curve. Its arguments are the run, the key, and the ends of the range of steps or nil.
type curveQuery struct {
	args    []any
	steps   *tracker.Steps
	columns int
}

const ofCurve = ` FROM public.metrics WHERE run_uuid = $1 AND key = $2
	AND ($3::bigint IS NULL OR step >= $3) AND ($4::bigint IS NULL OR step <= $4)`

// readSome reads all points of a short curve, by step and time. Of a long curve it reads a few more than are shown.
func (q curveQuery) readSome(ctx context.Context, db sqlx.QueryerContext) ([]tracker.Point, int, error) {
	var rows []struct {
		Step      int64
		Timestamp int64
		Value     float64
		IsNaN     bool `db:"is_nan"`
	}
	err := sqlx.SelectContext(ctx, db, &rows, `SELECT step, timestamp, value, is_nan`+ofCurve+` LIMIT $5`,
		append(slices.Clip(q.args), 4*q.columns+1)...)
	points := make([]tracker.Point, len(rows))
	for i, r := range rows {
		points[i] = tracker.Point{Step: r.Step, Time: time.UnixMilli(r.Timestamp).UTC(),
			Value: form.FromMLflow(r.Value, r.IsNaN)}
	}
	slices.SortFunc(points, func(a, b tracker.Point) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), a.Time.Compare(b.Time), cmp.Compare(a.Value, b.Value))
	})
	return points, len(points), err
}

// curveColumn is what is read of a column of steps.
type curveColumn struct {
	Part        *int // 1 to columns, 0 and columns+1 for steps beyond the guess; nil: NaNs
	N           int
	Low, High   float64
	Finite      int      // number of values in Sum
	Sum         *float64 // nil without any
	First, Last int64
}

// readReduced reads the lowest and highest value of each column in one pass. It guesses where the steps begin and end
// from some points and from the newest one. A pass that finds the guess wrong is repeated once with the true ends.
// Points that a running run adds meanwhile form one more column.
func (q curveQuery) readReduced(ctx context.Context, tx *sqlx.Tx, some []tracker.Point, newest int64) (
	[]curveColumn, error,
) {
	// Compiling would take longer than the pass, and so would sorting a million rows. Every core may take part in the
	// pass.
	if _, err := tx.ExecContext(ctx, `SET LOCAL jit = off; SET LOCAL enable_mergejoin = off;
		SET LOCAL parallel_setup_cost = 0; SET LOCAL min_parallel_table_scan_size = 0`); err != nil {
		return nil, err
	}
	first, last := some[0].Step, some[len(some)-1].Step
	if q.steps != nil {
		newest = min(newest, q.steps.To)
	}
	last = max(last, newest)
	for pass := 1; ; pass++ {
		columns, err := q.pass(ctx, tx, first, last)
		if err != nil {
			return nil, err
		}
		from, to := int64(math.MaxInt64), int64(math.MinInt64)
		for _, c := range columns {
			from, to = min(from, c.First), max(to, c.Last)
		}
		fits := from >= first && to <= last && 2*(float64(to)-float64(from)) >= float64(last)-float64(first)
		if fits || pass == 2 {
			return columns, nil
		}
		first, last = from, to
	}
}

func (q curveQuery) pass(ctx context.Context, tx *sqlx.Tx, first, last int64) (columns []curveColumn, err error) {
	// Beyond large steps, the next float64 is the same number.
	end := max(float64(last)+1, math.Nextafter(float64(first), math.Inf(1)))
	// The join tells the planner how few groups there are. Otherwise it sorts all rows instead of adding them up per
	// core. Infinite values are stored as the greatest numbers, whose sum does not fit. PostgreSQL's avg needs squares
	// that fit.
	err = tx.SelectContext(ctx, &columns, `SELECT part, count(*) AS n, min(value) AS low, max(value) AS high,
			count(*) FILTER (WHERE abs(value) < 1e290) AS finite, sum(value) FILTER (WHERE abs(value) < 1e290) AS sum,
			min(step) AS first, max(step) AS last FROM (SELECT step, value, is_nan`+ofCurve+`) AS points
		LEFT JOIN generate_series(0, $7::int + 1) AS part
			ON NOT is_nan AND part = width_bucket(step::float8, $5::float8, $6::float8, $7::int)
		GROUP BY part ORDER BY part`, append(slices.Clip(q.args), float64(first), end, q.columns)...)
	return columns, err
}

// linePoints returns two points of each column, or one where they are equal.
func linePoints(columns []curveColumn) []tracker.Point {
	var points []tracker.Point
	before := math.NaN()
	for i, c := range columns {
		a, b := form.FromMLflow(c.Low, false), form.FromMLflow(c.High, false)
		turned := math.Abs(b-before) < math.Abs(a-before)
		if i == 0 && len(columns) > 1 { // what comes after is nearer to its end than to its beginning
			after := (form.FromMLflow(columns[1].Low, false) + form.FromMLflow(columns[1].High, false)) / 2
			turned = math.Abs(a-after) < math.Abs(b-after)
		}
		if turned {
			a, b = b, a
		}
		points = append(points, tracker.Point{Step: c.First, Value: a})
		if c.First != c.Last || a != b {
			points = append(points, tracker.Point{Step: c.Last, Value: b})
		}
		before = b
	}
	return points
}

// take fills a curve from its columns.
func take(c *tracker.Curve, columns []curveColumn) {
	c.Points, c.Means, c.Counts, c.Total, c.NaNs = nil, nil, nil, 0, 0
	var numbers []curveColumn
	for _, column := range columns {
		c.Total += column.N
		if column.Part == nil {
			c.NaNs += column.N
			continue
		}
		numbers = append(numbers, column)
		if column.Sum != nil {
			c.Means = append(c.Means, tracker.Point{Step: column.First + (column.Last-column.First)/2,
				Value: *column.Sum / float64(column.Finite)})
			c.Counts = append(c.Counts, column.Finite)
		}
	}
	c.Points = linePoints(numbers)
}
