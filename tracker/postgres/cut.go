package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// Cuts returns the cuts at which the runs of a list have a metric whose key names none. It reads all runs that fit,
// whatever the limit. If they have it at one cut of their own there is nothing to choose, and Cuts returns none.
func (t *Store) Cuts(ctx context.Context, l tracker.Listing, metric string) ([]tracker.Cut, error) {
	n, _, ok := tracker.ParseResultKey(metric)
	if !ok || n.Cut != "" {
		return nil, nil
	}
	l.Sort = ""
	q, err := newListQuery(l)
	if err != nil {
		return nil, err
	}
	split, category, name := q.Arg(n.Split), q.Arg(n.Category), q.Arg(n.Metric)
	between, _ := tracker.ResultAtCut(metric, "\x00")
	like := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`, "\x00", "%").Replace(between.Key())
	query := fmt.Sprintf(`WITH found AS MATERIALIZED (SELECT r.run_uuid FROM public.runs r
			LEFT JOIN public.experiments e ON e.experiment_id = r.experiment_id WHERE %s),
		own AS (SELECT f.run_uuid, g.value AS cut FROM found f
			JOIN public.tags g ON g.run_uuid = f.run_uuid AND g.key = '`+tracker.TagCriterion+`' AND g.value <> ''
			WHERE EXISTS (SELECT FROM public.latest_metrics m WHERE m.run_uuid = f.run_uuid AND m.key = %s)
				OR EXISTS (SELECT FROM spherelab.evaluation_result t WHERE t.run_uuid = f.run_uuid AND t.latest
					AND t.split = %[3]s AND t.cut = '' AND t.category = %[4]s AND t.metric = %[5]s))
		SELECT cut AS name, count(DISTINCT run_uuid) FILTER (WHERE of_run) AS own, count(DISTINCT run_uuid) AS runs FROM (
			SELECT run_uuid, cut, true AS of_run FROM own
			UNION ALL SELECT t.run_uuid, t.cut, false FROM spherelab.evaluation_result t JOIN found USING (run_uuid)
				WHERE t.latest AND t.split = %[3]s AND t.cut <> '' AND t.category = %[4]s AND t.metric = %[5]s
			UNION ALL SELECT m.run_uuid, split_part(m.key, '/', 2), false FROM public.latest_metrics m
				JOIN found USING (run_uuid) WHERE m.key LIKE %[6]s ESCAPE '\'
				AND cardinality(string_to_array(m.key, '/')) = %[7]d AND split_part(m.key, '/', 2) <> '`+tracker.CategoryPart+`'
		) c WHERE (SELECT count(DISTINCT cut) FROM own) > 1 GROUP BY cut ORDER BY cut COLLATE "C"`, q.Conditions(), q.Arg(n.Key()),
		split, category, name, q.Arg(like), strings.Count(between.Key(), "/")+1)
	var cuts []tracker.Cut
	err = t.retry(ctx, "reading at which cuts runs have "+metric, func(ctx context.Context) error {
		cuts = nil
		return t.db.SelectContext(ctx, &cuts, query, q.Args...)
	})
	return cuts, err
}
