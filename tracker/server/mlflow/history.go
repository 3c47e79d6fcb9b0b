package mlflow

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/lib/pq"
)

const (
	// maxHistory limits a page of a metric's history if the client names no size: MLflow returns everything.
	maxHistory = 1_000_000
	// historyPart is the number of points that are in memory at once.
	historyPart = 10_000
)

// place is a point's place in a history, which is ordered by time, step and value.
type place struct {
	Time  int64  `json:"t"`
	Step  int64  `json:"s"`
	Value string `json:"v"` // JSON has no infinities, which a column can hold
	IsNaN bool   `json:"n"`
}

func (p place) token() string {
	raw, _ := json.Marshal(p) // never fails
	return base64.StdEncoding.EncodeToString(raw)
}

func readPlace(token string) (*place, error) {
	if token == "" {
		return nil, nil
	}
	var p place
	raw, err := base64.StdEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	if err == nil {
		_, err = strconv.ParseFloat(p.Value, 64)
	}
	if err != nil {
		return nil, invalid("the page token %.40q is not one of this server", token)
	}
	return &p, nil
}

// historyRow is a point as it is stored.
type historyRow struct {
	Value float64 `db:"value"`
	IsNaN bool    `db:"is_nan"`
	Time  int64   `db:"timestamp"`
	Step  int64   `db:"step"`
}

func (r historyRow) place() place {
	return place{r.Time, r.Step, strconv.FormatFloat(r.Value, 'g', -1, 64), r.IsNaN}
}

// points returns the next points of a metric after a place, or the first ones.
func (a *API) points(ctx context.Context, run, key string, after *place, limit int) ([]historyRow, error) {
	ctx, cancel := context.WithTimeout(ctx, apiTime)
	defer cancel()
	query := `SELECT value, is_nan, timestamp, step FROM public.metrics WHERE run_uuid = $1 AND key = $2`
	args := []any{run, key, limit}
	if after != nil {
		query += ` AND (timestamp, step, value, is_nan) > ($4, $5, $6::float8, $7)`
		args = append(args, after.Time, after.Step, after.Value, after.IsNaN)
	}
	rows := make([]historyRow, 0, limit)
	err := a.db.SelectContext(ctx, &rows, query+` ORDER BY timestamp, step, value, is_nan LIMIT $3`, args...)
	return rows, err
}

func (a *API) history(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		runRef
		Key        string   `json:"metric_key"`
		MaxResults *integer `json:"max_results"`
		Token      string   `json:"page_token"`
	}
	id, err := readRun(r, &in)
	if err != nil {
		return nil, err
	}
	if in.Key == "" {
		return nil, invalid("the request lacks metric_key")
	}
	limit, err := pageSize(in.MaxResults, maxHistory, maxHistory)
	if err != nil {
		return nil, err
	}
	after, err := readPlace(in.Token)
	if err != nil {
		return nil, err
	}
	asked := min(historyPart, limit+1)
	part, err := a.points(ctx, id, in.Key, after, asked)
	if err != nil {
		return nil, err
	}
	if len(part) == 0 {
		if _, err := a.oneRun(ctx, id); err != nil { // a metric that a run lacks has no points; the run must exist
			return nil, err
		}
	}
	return stream(func(ctx context.Context, w *bufio.Writer) error {
		key, err := json.Marshal(in.Key)
		if err != nil {
			return err
		}
		_, _ = w.WriteString(`{"metrics":[`) // the next write returns the error again
		isFirst := true
		for left := limit; ; {
			sent := part[:min(len(part), left)]
			if err := writePoints(w, key, sent, isFirst); err != nil {
				return err
			}
			if len(sent) > 0 {
				last := sent[len(sent)-1].place()
				isFirst, after = false, &last
			}
			if len(sent) < len(part) { // there are more than fit
				return writeEnd(w, after.token())
			}
			if len(part) < asked {
				return writeEnd(w, "")
			}
			left -= len(sent)
			asked = min(historyPart, left+1)
			if part, err = a.points(ctx, id, in.Key, after, asked); err != nil {
				return err
			}
		}
	}), nil
}

// writePoints writes points as metrics of a key, which is in JSON.
func writePoints(w *bufio.Writer, key []byte, rows []historyRow, isFirst bool) error {
	var line []byte
	for i, row := range rows {
		line = line[:0]
		if i > 0 || !isFirst {
			line = append(line, ',')
		}
		value := float(row.Value)
		if row.IsNaN {
			value = nan
		}
		raw, err := value.MarshalJSON()
		if err != nil {
			return err
		}
		line = append(append(append(line, `{"key":`...), key...), `,"value":`...)
		line = append(append(line, raw...), `,"timestamp":`...)
		line = append(strconv.AppendInt(line, row.Time, 10), `,"step":`...)
		line = append(strconv.AppendInt(line, row.Step, 10), '}')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// Limits of bulk intervals, as in MLflow.
const (
	maxBulkRuns    = 100
	maxBulkResults = 2500
	usualBulk      = 320
)

// historyBulkInterval returns a metric of several runs at evenly spaced steps of an interval, and at the first and last
// step of each run.
func (a *API) historyBulkInterval(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		Runs       []string `json:"run_ids"`
		Key        string   `json:"metric_key"`
		Start      *integer `json:"start_step"`
		End        *integer `json:"end_step"`
		MaxResults *integer `json:"max_results"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	switch {
	case len(in.Runs) == 0:
		return nil, invalid("the request lacks run_ids")
	case len(in.Runs) > maxBulkRuns:
		return nil, invalid("the request names %d runs; at most %d fit", len(in.Runs), maxBulkRuns)
	case in.Key == "":
		return nil, invalid("the request lacks metric_key")
	case (in.Start == nil) != (in.End == nil):
		return nil, invalid("start_step and end_step go together")
	case in.Start != nil && *in.Start > *in.End:
		return nil, invalid("start_step is %d and end_step is %d", *in.Start, *in.End)
	}
	limit, err := pageSize(in.MaxResults, usualBulk, maxBulkResults)
	if err != nil {
		return nil, err
	}
	var steps []int64
	// Evenly spaced places: place i is chosen if the scaled place changes there.
	if err := a.db.SelectContext(ctx, &steps, `SELECT step FROM (
			SELECT step, bool_or(step IN (first, last)) AS edge, row_number() OVER (ORDER BY step) - 1 AS i,
				count(*) OVER () AS n
			FROM (SELECT step, min(step) OVER w AS first, max(step) OVER w AS last FROM public.metrics
				WHERE run_uuid = ANY ($1) AND key = $2 AND ($3::bigint IS NULL OR step BETWEEN $3 AND $4)
				WINDOW w AS (PARTITION BY run_uuid)) all_steps
			GROUP BY step) numbered
		WHERE n <= $5::bigint OR edge OR i * $5 / n <> (i - 1) * $5 / n ORDER BY step`,
		pq.Array(in.Runs), in.Key, in.Start, in.End, limit); err != nil {
		return nil, err
	}
	return stream(func(ctx context.Context, w *bufio.Writer) error {
		_, _ = w.WriteString(`{"metrics":[`) // the next write returns the error again
		isFirst := true
		for _, run := range in.Runs {
			points, err := a.pointsAt(ctx, run, in.Key, steps)
			if err == nil {
				err = writeList(w, points, isFirst)
			}
			if err != nil {
				return err
			}
			isFirst = isFirst && len(points) == 0
		}
		return writeEnd(w, "")
	}), nil
}

type pointOfRun struct {
	metricValue
	Run string `json:"run_id" db:"run_uuid"`
}

// pointsAt returns a run's points at steps. A step may have any number of points. pointsAt does not return all of them.
func (a *API) pointsAt(ctx context.Context, run, key string, steps []int64) (points []pointOfRun, err error) {
	ctx, cancel := context.WithTimeout(ctx, apiTime)
	defer cancel()
	err = a.db.SelectContext(ctx, &points, `SELECT run_uuid, key, `+valueOf+`, timestamp, step FROM public.metrics
		WHERE run_uuid = $1 AND key = $2 AND step = ANY ($3)
		ORDER BY step, timestamp, public.metrics.value LIMIT $4`, run, key, pq.Array(steps), maxBulkResults+2*maxBulkRuns)
	return points, err
}
