package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/filter"
	"github.com/spherelab/spherelab/tracker/internal/form"
)

// ownColumns are the columns of a run itself, as SQL.
var ownColumns = map[string]string{"name": "r.name", "experiment": "e.name", "status": "r.status", "user": "r.user_id",
	"start": "r.start_time", "seconds": "r.end_time - r.start_time"}

// columnTables are the tables behind the columns, by the beginning of the columns' names.
var columnTables = map[string]string{"param": "params", "tag": "tags", "metric": "latest_metrics"}

// splitColumn splits the name of a column of Listing. The kind of a run's own columns is "".
func splitColumn(name string) (kind, key string, err error) {
	if ownColumns[name] != "" {
		return "", name, nil
	}
	kind, key, found := strings.Cut(name, "/")
	if !found || key == "" || columnTables[kind] == "" {
		return "", "", tracker.Errorf(tracker.CodeInvalid, nil, "there is no column %.100q: a column is %s, or param/KEY, tag/KEY or metric/KEY",
			name, strings.Join(slices.Sorted(maps.Keys(ownColumns)), ", "))
	}
	if kind == "metric" {
		_, _, err = parseDerived(key)
	}
	return kind, key, err
}

// listQuery is a growing query over runs r and their experiments e.
type listQuery struct {
	filter.Query
	join, order string
}

func newListQuery(l tracker.Listing) (*listQuery, error) {
	for kind, text := range map[string]string{"the search": l.Search, "experiment": l.Experiment, "column": l.Sort} {
		if err := tracker.CheckEncoding(kind, text, text); err != nil {
			return nil, err
		}
	}
	q := &listQuery{Query: filter.Query{Numbers: numberCondition}}
	q.Add("r.lifecycle_stage = '%s'", stage(l.Deleted))
	if l.Unarchived && !strings.Contains(l.Search, tracker.TagArchived) {
		q.Add("NOT EXISTS (SELECT FROM public.tags a WHERE a.run_uuid = r.run_uuid AND a.key = %s)", q.Arg(tracker.TagArchived))
	}
	if !strings.Contains(l.Search, tracker.TagGroup) {
		q.Add("%s", notGroup)
	}
	if l.Experiment != "" {
		q.Add("e.name = %s", q.Arg(l.Experiment))
	}
	if err := q.search(l.Search); err != nil {
		return nil, err
	}
	sort := l.Sort
	if sort == "" {
		sort = "start"
	}
	kind, key, err := splitColumn(sort)
	if err != nil {
		return nil, err
	}
	var terms []string
	values := ""
	if kind != "" {
		values = " LEFT JOIN public." + columnTables[kind] + " s ON s.run_uuid = r.run_uuid AND s.key = "
	}
	switch derived, isDerived, _ := parseDerived(key); {
	case kind == "":
		terms = []string{ownColumns[key]}
	case kind == "metric" && isDerived:
		terms = []string{"nullif(s.value, 'NaN')"}
		q.join = " LEFT JOIN (" + derived.rows("", q.Arg) + ") s ON s.run_uuid = r.run_uuid"
		values = ""
	case kind == "metric":
		terms = []string{"CASE WHEN NOT s.is_nan THEN s.value END"}
		if n, part, ok := tracker.ParseResultKey(key); ok {
			terms[0] = "coalesce(" + terms[0] + ", nullif(t." + resultColumn[part] + ", 'NaN'))"
			q.join = fmt.Sprintf(` LEFT JOIN spherelab.evaluation_result t ON t.run_uuid = r.run_uuid AND t.latest
				AND t.split = %s AND t.cut = %s AND t.category = %s AND t.metric = %s`, q.Arg(n.Split), q.Arg(n.Cut),
				q.Arg(n.Category), q.Arg(n.Metric))
		}
	default: // numbers by value, before texts
		terms = []string{"spherelab.param_float(s.value)", "s.value"}
	}
	if values != "" {
		q.join += values + q.Arg(key)
	}
	direction := " DESC"
	if l.Ascending {
		direction = " ASC"
	}
	if l.Within != "" {
		q.Add(foldOf+" = %s", q.Arg(l.Within))
	}
	for _, term := range terms {
		q.order += term + direction + " NULLS LAST, "
	}
	q.order = " ORDER BY " + q.order + "r.start_time DESC NULLS LAST, r.run_uuid"
	return q, nil
}

// foldOf returns the id by which a run r is folded, as SQL.
const foldOf = `coalesce((SELECT nullif(f.value, '') FROM public.tags f WHERE f.run_uuid = r.run_uuid
	AND f.key = '` + tracker.TagParent + `'), r.run_uuid)`

// foldedRow is a run that stands for a fold, in a part of the list.
type foldedRow struct {
	runRow
	Fold  string
	Runs  int // of the fold
	Total int // folds in the whole list
}

// folded returns a query for a part of the list with one run of each fold: the first one in the order. The order is
// computed once; the rest is arithmetic on the places in it.
func (q *listQuery) folded(part string) string {
	return `WITH numbered AS MATERIALIZED (SELECT r.run_uuid, coalesce(nullif(f.value, ''), r.run_uuid) AS fold,
			row_number() OVER (` + q.order + `) AS place
			FROM public.runs r LEFT JOIN public.experiments e ON e.experiment_id = r.experiment_id
				LEFT JOIN public.tags f ON f.run_uuid = r.run_uuid AND f.key = '` + tracker.TagParent + `'` + q.join + `
			WHERE ` + q.Conditions() + `),
		folds AS (SELECT fold, min(place) AS place, count(*) AS runs FROM numbered GROUP BY fold),
		part AS (SELECT *, count(*) OVER () AS total FROM folds ORDER BY place` + part + `)
		SELECT x.*, part.fold, part.runs, part.total FROM part JOIN numbered ON numbered.place = part.place
			JOIN (` + selectRuns + `) x ON x.run_uuid = numbered.run_uuid ORDER BY part.place`
}

// maxWords is the max number of different words in a search: the database looks for each of them in several places.
const maxWords = 20

// search adds the conditions of a search.
func (q *listQuery) search(text string) error {
	if !filter.Is(text) {
		words := strings.Fields(text)
		slices.Sort(words)
		if words = slices.Compact(words); len(words) > maxWords {
			return tracker.Errorf(tracker.CodeInvalid, nil, "a search has at most %d words, not %d; a filter such as run_name LIKE '%%...%%' "+
				"finds longer texts", maxWords, len(words))
		}
		for _, word := range words {
			q.Add("(%s)", q.condition(word))
		}
		return nil
	}
	comparisons, err := filter.Parse(text, filter.Runs)
	if err != nil {
		return tracker.Errorf(tracker.CodeInvalid, err, "%v", err)
	}
	for _, c := range comparisons {
		if _, _, err := parseDerived(c.Metric()); err != nil {
			return err
		}
		q.OfRun(c)
	}
	return nil
}

// condition returns the SQL of a word of a search.
func (q *listQuery) condition(word string) string {
	plain := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(word)
	has := func(column string) string { return q.ILike(column, "%"+plain+"%") }
	return has("r.name") + " OR " + has("e.name") + " OR " + has("r.status") +
		" OR r.run_uuid LIKE lower(" + q.Arg(plain+"%") + ")" +
		" OR EXISTS (SELECT FROM public.params x WHERE x.run_uuid = r.run_uuid AND" +
		" x.key IN ('graph', 'model', 'variant', 'data') AND " + has("x.value") + ")"
}

// List returns a part of the list of runs and the number of all runs. It reads only what Columns names, so it is fast
// where runs have hundreds of metrics.
func (t *Store) List(ctx context.Context, l tracker.Listing) (tracker.Listed, error) {
	keys := map[string][]string{} // by kind
	for _, name := range l.Columns {
		kind, key, err := splitColumn(name)
		if err == nil {
			err = tracker.CheckEncoding("column", name, name)
		}
		if err != nil {
			return tracker.Listed{}, err
		}
		if kind != "" {
			keys[kind] = append(keys[kind], key)
		}
	}
	q, err := newListQuery(l)
	if err != nil {
		return tracker.Listed{}, err
	}
	part := fmt.Sprintf(" OFFSET %d", max(l.Offset, 0))
	if l.Limit > 0 {
		part += fmt.Sprintf(" LIMIT %d", l.Limit)
	}
	query := selectRuns + q.join + " WHERE " + q.Conditions() + q.order + part
	const from = ` FROM public.runs r LEFT JOIN public.experiments e ON e.experiment_id = r.experiment_id`
	var out tracker.Listed
	err = t.retry(ctx, "listing runs", func(ctx context.Context) error {
		if err := t.db.GetContext(ctx, &out.All, "SELECT count(*)"+from+q.join+" WHERE "+q.Conditions(), q.Args...); err != nil {
			return err
		}
		out.Total = out.All
		var rows []runRow
		if l.Fold {
			if rows, err = t.readFolds(ctx, q, part, &out); err != nil {
				return err
			}
		} else if err := t.db.SelectContext(ctx, &rows, query, q.Args...); err != nil {
			return err
		}
		var index map[string]*tracker.RunInfo
		out.Runs, index = t.runInfos(rows)
		return t.fill(ctx, index, keys)
	})
	return out, err
}

// readFolds reads a part of the list with one run of each fold, what these represent, and how many there are.
func (t *Store) readFolds(ctx context.Context, q *listQuery, part string, out *tracker.Listed) ([]runRow, error) {
	var found []foldedRow
	if err := t.db.SelectContext(ctx, &found, q.folded(part), q.Args...); err != nil {
		return nil, err
	}
	if len(found) == 0 && out.All > 0 { // the part is after the end
		if err := t.db.SelectContext(ctx, &found, q.folded(" LIMIT 1"), q.Args...); err != nil || len(found) == 0 {
			return nil, err
		}
		out.Total, out.Folds = found[0].Total, nil
		return nil, nil
	}
	out.Total, out.Folds = 0, map[string]tracker.Fold{}
	rows := make([]runRow, len(found))
	for i, x := range found {
		rows[i], out.Total = x.runRow, x.Total
		if x.Runs > 1 {
			out.Folds[x.ID] = tracker.Fold{Parent: x.Fold, Runs: x.Runs}
		}
	}
	return rows, nil
}

// fill adds the values of some keys, by kind, to runs.
func (t *Store) fill(ctx context.Context, index map[string]*tracker.RunInfo, keys map[string][]string) error {
	ids := pq.Array(slices.Sorted(maps.Keys(index)))
	for kind, texts := range map[string]func(*tracker.RunInfo) map[string]string{
		"param": func(r *tracker.RunInfo) map[string]string { return r.Params },
		"tag":   func(r *tracker.RunInfo) map[string]string { return r.Tags },
	} {
		if len(keys[kind]) == 0 {
			continue
		}
		var rows []struct {
			Run        string `db:"run_uuid"`
			Key, Value string
		}
		err := t.db.SelectContext(ctx, &rows, `SELECT run_uuid, key, coalesce(value, '') AS value FROM public.`+
			columnTables[kind]+` WHERE run_uuid = ANY ($1) AND key = ANY ($2)`, ids, pq.Array(keys[kind]))
		if err != nil {
			return err
		}
		for _, x := range rows {
			texts(index[x.Run])[x.Key] = x.Value
		}
	}
	if len(keys["metric"]) == 0 {
		return nil
	}
	metrics, err := t.fillDerived(ctx, index, keys["metric"])
	if err != nil {
		return err
	}
	if err := t.fillMetrics(ctx, index, ` AND key = ANY ($2)`, ids, pq.Array(metrics)); err != nil {
		return err
	}
	return t.fillResults(ctx, index, metrics)
}

// Columns returns the params, tags and metrics that any run has, in the form of Listing.Sort: params, then metrics,
// then tags, each by name. It visits an index once per key, whatever the number of runs.
func (t *Store) Columns(ctx context.Context) ([]string, error) {
	var names []string
	err := t.retry(ctx, "reading the names of params and metrics", func(ctx context.Context) error {
		names = nil
		for _, kind := range []string{"param", "metric", "tag"} {
			var keys []string
			table := columnTables[kind]
			err := t.db.SelectContext(ctx, &keys, `WITH RECURSIVE k AS (
				(SELECT key FROM public.`+table+` ORDER BY key LIMIT 1)
				UNION ALL SELECT (SELECT x.key FROM public.`+table+` x WHERE x.key > k.key ORDER BY x.key LIMIT 1)
					FROM k WHERE k.key IS NOT NULL
			) SELECT key FROM k WHERE key IS NOT NULL`)
			if err != nil {
				return err
			}
			if kind == "metric" {
				results, err := t.resultKeys(ctx)
				if err != nil {
					return err
				}
				keys = append(keys, results...)
			}
			slices.Sort(keys)
			for _, key := range slices.Compact(keys) {
				names = append(names, kind+"/"+key)
			}
		}
		return nil
	})
	return names, err
}

// ExperimentInfos returns the experiments that are not deleted, sorted bytewise by name.
func (t *Store) ExperimentInfos(ctx context.Context) ([]tracker.ExperimentInfo, error) {
	var list []tracker.ExperimentInfo
	err := t.retry(ctx, "reading experiments", func(ctx context.Context) error {
		var rows []struct {
			Number, Experiment, ID, Name, Status string
			Runs                                 int
			Start                                *int64
		}
		err := t.db.SelectContext(ctx, &rows, `WITH counted AS (
				SELECT r.experiment_id, count(*) AS runs,
					(array_agg(r.run_uuid ORDER BY r.start_time DESC NULLS LAST, r.run_uuid))[1] AS newest
				FROM public.runs r WHERE r.lifecycle_stage = 'active' AND `+notGroup+` GROUP BY r.experiment_id
			) SELECT e.experiment_id::text AS number, e.name AS experiment, coalesce(c.runs, 0) AS runs,
				coalesce(n.run_uuid, '') AS id, coalesce(n.name, '') AS name, coalesce(n.status, '') AS status, n.start_time AS start
			FROM public.experiments e LEFT JOIN counted c ON c.experiment_id = e.experiment_id
				LEFT JOIN public.runs n ON n.run_uuid = c.newest
			WHERE e.lifecycle_stage = 'active' AND e.name IS NOT NULL ORDER BY e.name COLLATE "C"`)
		list = make([]tracker.ExperimentInfo, len(rows))
		for i, r := range rows {
			list[i] = tracker.ExperimentInfo{ID: r.Number, Name: r.Experiment, Runs: r.Runs}
			if r.ID != "" {
				list[i].Newest = tracker.RunInfo{ID: r.ID, Name: r.Name, Experiment: r.Experiment, Status: r.Status,
					Start: form.UnixTime(r.Start)}
			}
		}
		return err
	})
	return list, err
}

// Experiments returns the names of the experiments that are not deleted, sorted bytewise.
func (t *Store) Experiments(ctx context.Context) ([]string, error) {
	var names []string
	err := t.retry(ctx, "reading experiments", func(ctx context.Context) error {
		names = nil
		return t.db.SelectContext(ctx, &names, `SELECT name FROM public.experiments
			WHERE lifecycle_stage = 'active' AND name IS NOT NULL ORDER BY name COLLATE "C"`)
	})
	return names, err
}
