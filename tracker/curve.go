package tracker

import (
	"context"
	"time"
)

// Curve is the history of a metric, as much of it as a picture can show.
type Curve struct {
	Key    string
	Points []Point // by step and time
	Total  int     // points that are stored in the range of steps
}

// Reduced reports whether points were left out.
func (c Curve) Reduced() bool { return len(c.Points) < c.Total }

// Steps is a range of steps with both ends.
type Steps struct{ From, To int64 }

// Curve reads the history of one metric of a run over a range of steps; nil is all. If it has more than 4*columns
// points, the steps are divided into that many columns of equal width, and of each column the first and last point and
// those with the lowest and highest value are read: a picture of as many px shows the same line. NaNs are counted and
// not read then.
func (t *Tracker) Curve(ctx context.Context, runID, key string, steps *Steps, columns int) (Curve, error) {
	c := Curve{Key: key}
	columns = max(columns, 1)
	var from, to *int64
	if steps != nil {
		from, to = &steps.From, &steps.To
	}
	var rows []struct {
		Step      int64
		Timestamp int64
		Value     float64
		IsNaN     bool `db:"is_nan"`
	}
	const some = ` FROM public.metrics WHERE run_uuid = $1 AND key = $2
		AND ($3::bigint IS NULL OR step >= $3) AND ($4::bigint IS NULL OR step <= $4)`
	err := t.retry(ctx, "reading the metrics of run "+runID, func(ctx context.Context) error {
		var ends struct {
			Total       int
			First, Last int64
		}
		err := t.db.GetContext(ctx, &ends, `SELECT count(*) AS total, coalesce(min(step), 0) AS first,
			coalesce(max(step), 0) AS last`+some, runID, key, from, to)
		if err != nil {
			return err
		}
		rows, c.Total = nil, ends.Total
		if ends.Total <= 4*columns {
			return t.db.SelectContext(ctx, &rows, `SELECT step, timestamp, value, is_nan`+some+`
				ORDER BY step, timestamp, value, is_nan`, runID, key, from, to)
		}
		width := (float64(ends.Last) - float64(ends.First) + 1) / float64(columns)
		// The lowest of rows (value, step, timestamp) is the lowest point, and so on: one pass, no sort.
		return t.db.SelectContext(ctx, &rows, `SELECT DISTINCT p[2]::bigint AS step, p[3]::bigint AS timestamp,
				p[1] AS value, false AS is_nan
			FROM (
				SELECT min(ARRAY[value, step, timestamp]) AS low, max(ARRAY[value, step, timestamp]) AS high,
					min(ARRAY[step, timestamp, value]) AS first, max(ARRAY[step, timestamp, value]) AS last
				FROM (SELECT value, step::double precision AS step, timestamp::double precision AS timestamp,
					floor((step - $5::double precision) / $6::double precision) AS part`+some+` AND NOT is_nan) x
				GROUP BY part
			) parts
			CROSS JOIN LATERAL (VALUES (low), (high), (ARRAY[first[3], first[1], first[2]]),
				(ARRAY[last[3], last[1], last[2]])) v (p)
			ORDER BY step, timestamp, value`, runID, key, from, to, ends.First, width)
	})
	if err != nil {
		return Curve{}, err
	}
	c.Points = make([]Point, len(rows))
	for i, r := range rows {
		c.Points[i] = Point{r.Step, time.UnixMilli(r.Timestamp).UTC(), fromMLflow(r.Value, r.IsNaN)}
	}
	return c, nil
}
