package tracker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/lib/pq"
)

// bestSuffix makes a key that stands for the best value that a run logged under a metric, in place of the newest one:
// "valid/mrr@best". MLflow's clients refuse such a key, so no metric has one.
const bestSuffix = "@best"

// BestKey is the key of the best value of a metric. It is not ok where best has no meaning: of values on test data, by
// which nothing may be chosen, of ends of intervals, of what a machine measured of itself, and of a best value.
func BestKey(metric string) (key string, ok bool) {
	first := strings.FieldsFunc(strings.ToLower(metric), func(r rune) bool { return !unicode.IsLetter(r) })
	switch {
	case len(first) == 0, first[0] == "test", first[0] == "system",
		strings.HasSuffix(metric, lowSuffix), strings.HasSuffix(metric, highSuffix), strings.Contains(metric, "@"):
		return "", false
	}
	return metric + bestSuffix, true
}

// parseBest is the metric of a key of BestKey. An error says that its best value is not to be read.
func parseBest(key string) (metric string, ok bool, err error) {
	metric, ok = strings.CutSuffix(key, bestSuffix)
	if !ok {
		return "", false, nil
	}
	if _, has := BestKey(metric); !has {
		return "", false, errorf(CodeInvalid, nil, "%.100q has no best value: nothing is chosen by test data, and ends of "+
			"intervals and system metrics are not compared; take the newest value, %.100q", metric, metric)
	}
	return metric, true, nil
}

// lowWords are words in the names of metrics whose lowest value is the best: errors, and mean ranks (mr).
var lowWords = []string{"err", "error", "mse", "rmse", "mae", "mape", "nll", "perplexity", "ppl", "wer", "cer", "mr",
	"ece", "brier"}

// LowestIsBest reports whether the lowest value of a metric, or of a key of BestKey, is the best, as its name says.
func LowestIsBest(metric string) bool {
	metric = strings.ToLower(strings.TrimSuffix(metric, bestSuffix))
	if strings.Contains(metric, "loss") {
		return true
	}
	words := strings.FieldsFunc(metric, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(lowWords, word) })
}

// bestRows is SQL for run_uuid, value and step of the best value that each run logged under a metric: the first of
// equal ones, without NaN. arg places an argument; more is a further condition on run_uuid.
func bestRows(metric, more string, arg func(any) string) string {
	rows := "SELECT run_uuid, value, step FROM public.metrics WHERE NOT is_nan AND key = " + arg(metric) + more
	if n, part, ok := parseResultKey(metric); ok {
		column := resultColumn[part]
		rows += fmt.Sprintf(` UNION ALL SELECT run_uuid, %[1]s, step FROM spherelab.evaluation_result
			WHERE %[1]s <> 'NaN' AND split = %[2]s AND cut = %[3]s AND category = %[4]s AND metric = %[5]s`, column,
			arg(n.split), arg(n.cut), arg(n.category), arg(n.metric)) + more
	}
	way := " DESC"
	if LowestIsBest(metric) {
		way = ""
	}
	return "SELECT DISTINCT ON (run_uuid) run_uuid, value, step FROM (" + rows + ") h ORDER BY run_uuid, value" + way + ", step"
}

// Best returns the best values of metrics of runs, and their steps, by run and by metric. Metrics that BestKey refuses
// are left out, and so are those that a run does not have as a number.
func (t *Tracker) Best(ctx context.Context, ids, metrics []string) (map[string]map[string]Point, error) {
	var best map[string]map[string]Point
	err := t.retry(ctx, "reading the best values of metrics", func(ctx context.Context) error {
		best = map[string]map[string]Point{}
		for _, metric := range metrics {
			if _, ok := BestKey(metric); !ok {
				continue
			}
			args := []any{pq.Array(ids)}
			var rows []struct {
				Run   string `db:"run_uuid"`
				Value float64
				Step  int64
			}
			query := bestRows(metric, " AND run_uuid = ANY ($1)", func(x any) string {
				args = append(args, x)
				return fmt.Sprintf("$%d", len(args))
			})
			if err := t.db.SelectContext(ctx, &rows, query, args...); err != nil {
				return err
			}
			for _, r := range rows {
				if best[r.Run] == nil {
					best[r.Run] = map[string]Point{}
				}
				best[r.Run][metric] = Point{Value: fromMLflow(r.Value, false), Step: r.Step}
			}
		}
		return nil
	})
	return best, err
}

// fillBest adds the best values that some keys ask for to runs, and returns the other keys.
func (t *Tracker) fillBest(ctx context.Context, index map[string]*RunInfo, keys []string) ([]string, error) {
	var metrics, others []string
	for _, key := range keys {
		if metric, ok, _ := parseBest(key); ok {
			metrics = append(metrics, metric)
		} else {
			others = append(others, key)
		}
	}
	if len(metrics) == 0 {
		return keys, nil
	}
	best, err := t.Best(ctx, sortedKeys(index), metrics)
	for id, points := range best {
		for metric, p := range points {
			index[id].Metrics[metric+bestSuffix], index[id].Steps[metric+bestSuffix] = p.Value, p.Step
		}
	}
	return others, err
}
