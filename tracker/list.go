package tracker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker/filter"
)

// Listing asks for a part of the list of runs. The zero Listing is all runs that are not deleted, newest first. Groups
// are left out unless the search asks for TagGroup.
type Listing struct {
	// Search is a filter in MLflow's language where filter.Is says so. Otherwise it has words, all of which a run must
	// have: in the name, the experiment, the status, or the params graph, model, variant and data, in any case, or as
	// the beginning of the id.
	Search     string
	Experiment string
	// Sort is a column: one of "name", "experiment", "status", "user", "start" and "seconds", or "param/", "tag/" or
	// "metric/" and a key, which may be one of BestKey. Runs without a value are last. "" is "start".
	Sort      string
	Ascending bool
	// Columns are the params, tags and metrics to read, in the form of Sort. Others are not in the runs.
	Columns       []string
	Offset, Limit int // Limit 0: all
	// Fold lists in place of the runs that belong to one other, as those of a sweep do, the first of them in the order.
	// The run that they belong to is one of them if it is listed itself.
	Fold bool
	// Within is the id of the run whose runs are listed: what Fold leaves out, and its first one. "" is all runs.
	Within string
}

// Listed is a part of the list of runs.
type Listed struct {
	Runs  []RunInfo       // with no other params, tags and metrics than those asked for
	Total int             // runs, whatever the limit; with Fold those that stand for others count once
	All   int             // runs, whatever the limit and Fold
	Folds map[string]Fold // by the ids of the runs that stand for others
}

// Fold is what a run of a list stands for.
type Fold struct {
	Parent string // id of the run that the runs belong to
	Runs   int    // with the one that is listed
}

// ownColumns are the columns of a run itself, as SQL.
var ownColumns = map[string]string{"name": "r.name", "experiment": "e.name", "status": "r.status", "user": "r.user_id",
	"start": "r.start_time", "seconds": "r.end_time - r.start_time"}

// columnTables are the tables behind the columns by the beginning of their names.
var columnTables = map[string]string{"param": "params", "tag": "tags", "metric": "latest_metrics"}

// splitColumn splits the name of a column of Listing. The kind of a run's own columns is "".
func splitColumn(name string) (kind, key string, err error) {
	if ownColumns[name] != "" {
		return "", name, nil
	}
	kind, key, found := strings.Cut(name, "/")
	if !found || key == "" || columnTables[kind] == "" {
		return "", "", errorf(CodeInvalid, nil, "there is no column %.100q: a column is %s, or param/KEY, tag/KEY or metric/KEY",
			name, strings.Join(sortedKeys(ownColumns), ", "))
	}
	if kind == "metric" {
		_, _, err = parseBest(key)
	}
	return kind, key, err
}

// listQuery is a growing query over runs r and their experiments e.
type listQuery struct {
	filter.Query
	join, order string
}

func newListQuery(l Listing) (*listQuery, error) {
	for kind, text := range map[string]string{"the search": l.Search, "experiment": l.Experiment, "column": l.Sort} {
		if err := checkEncoding(kind, text, text); err != nil {
			return nil, err
		}
	}
	q := &listQuery{Query: filter.Query{Numbers: numberFits}}
	q.Add("r.lifecycle_stage = 'active'")
	if !strings.Contains(l.Search, TagGroup) {
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
	switch metric, isBest, _ := parseBest(key); {
	case kind == "":
		terms = []string{ownColumns[key]}
	case kind == "metric" && isBest:
		terms = []string{"s.value"}
		q.join = " LEFT JOIN (" + bestRows(metric, "", q.Arg) + ") s ON s.run_uuid = r.run_uuid"
		values = ""
	case kind == "metric":
		terms = []string{"CASE WHEN NOT s.is_nan THEN s.value END"}
		if n, part, ok := parseResultKey(key); ok {
			terms[0] = "coalesce(" + terms[0] + ", nullif(t." + resultColumn[part] + ", 'NaN'))"
			q.join = fmt.Sprintf(` LEFT JOIN spherelab.evaluation_result t ON t.run_uuid = r.run_uuid AND t.latest
				AND t.split = %s AND t.cut = %s AND t.category = %s AND t.metric = %s`, q.Arg(n.split), q.Arg(n.cut),
				q.Arg(n.category), q.Arg(n.metric))
		}
	default: // numbers by their size, before texts
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

// foldOf is the id by which a run r is folded, as SQL.
const foldOf = `coalesce((SELECT nullif(f.value, '') FROM public.tags f WHERE f.run_uuid = r.run_uuid
	AND f.key = '` + TagParent + `'), r.run_uuid)`

// foldedRow is a run that stands for a fold, in a part of the list.
type foldedRow struct {
	runRow
	Fold  string
	Runs  int // of the fold
	Total int // folds in the whole list
}

// folded is a query for a part of the list with one run of each fold: the first one in the order. The order is made
// once; the rest is arithmetic on its places.
func (q *listQuery) folded(part string) string {
	return `WITH numbered AS MATERIALIZED (SELECT r.run_uuid, coalesce(nullif(f.value, ''), r.run_uuid) AS fold,
			row_number() OVER (` + q.order + `) AS place
			FROM public.runs r LEFT JOIN public.experiments e ON e.experiment_id = r.experiment_id
				LEFT JOIN public.tags f ON f.run_uuid = r.run_uuid AND f.key = '` + TagParent + `'` + q.join + `
			WHERE ` + q.Conditions() + `),
		folds AS (SELECT fold, min(place) AS place, count(*) AS runs FROM numbered GROUP BY fold),
		part AS (SELECT *, count(*) OVER () AS total FROM folds ORDER BY place` + part + `)
		SELECT x.*, part.fold, part.runs, part.total FROM part JOIN numbered ON numbered.place = part.place
			JOIN (` + selectRuns + `) x ON x.run_uuid = numbered.run_uuid ORDER BY part.place`
}

// mostWords is how many different words a search may have: the database looks for each in several places.
const mostWords = 20

// search adds the conditions of a search.
func (q *listQuery) search(text string) error {
	if !filter.Is(text) {
		words := strings.Fields(text)
		slices.Sort(words)
		if words = slices.Compact(words); len(words) > mostWords {
			return errorf(CodeInvalid, nil, "a search has at most %d words, not %d; a filter such as run_name LIKE '%%...%%' "+
				"finds longer texts", mostWords, len(words))
		}
		for _, word := range words {
			q.Add("(%s)", q.condition(word))
		}
		return nil
	}
	comparisons, err := filter.Parse(text, filter.Runs)
	if err != nil {
		return errorf(CodeInvalid, err, "%v", err)
	}
	for _, c := range comparisons {
		if _, _, err := parseBest(c.Metric()); err != nil {
			return err
		}
		q.OfRun(c)
	}
	return nil
}

// condition is the SQL of a word of a search.
func (q *listQuery) condition(word string) string {
	plain := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(word)
	inside := q.Arg("%" + plain + "%")
	return "r.name ILIKE " + inside + " OR e.name ILIKE " + inside + " OR r.status ILIKE " + inside +
		" OR r.run_uuid LIKE lower(" + q.Arg(plain+"%") + ")" +
		" OR EXISTS (SELECT FROM public.params x WHERE x.run_uuid = r.run_uuid AND" +
		" x.key IN ('graph', 'model', 'variant', 'data') AND x.value ILIKE " + inside + ")"
}

// List returns a part of the list of runs and how many there are. It reads what Columns names and no more, so it is
// fast where runs have hundreds of metrics.
func (t *Tracker) List(ctx context.Context, l Listing) (Listed, error) {
	keys := map[string][]string{} // by kind
	for _, name := range l.Columns {
		kind, key, err := splitColumn(name)
		if err == nil {
			err = checkEncoding("column", name, name)
		}
		if err != nil {
			return Listed{}, err
		}
		if kind != "" {
			keys[kind] = append(keys[kind], key)
		}
	}
	q, err := newListQuery(l)
	if err != nil {
		return Listed{}, err
	}
	part := fmt.Sprintf(" OFFSET %d", max(l.Offset, 0))
	if l.Limit > 0 {
		part += fmt.Sprintf(" LIMIT %d", l.Limit)
	}
	query := selectRuns + q.join + " WHERE " + q.Conditions() + q.order + part
	const from = ` FROM public.runs r LEFT JOIN public.experiments e ON e.experiment_id = r.experiment_id`
	var out Listed
	err = t.retry(ctx, "listing runs", func(ctx context.Context) error {
		if err := t.db.GetContext(ctx, &out.All, "SELECT count(*)"+from+q.join+" WHERE "+q.Conditions(), q.Args...); err != nil {
			return err
		}
		out.Total = out.All
		var rows []runRow
		if l.Fold {
			if rows, err = t.folds(ctx, q, part, &out); err != nil {
				return err
			}
		} else if err := t.db.SelectContext(ctx, &rows, query, q.Args...); err != nil {
			return err
		}
		var index map[string]*RunInfo
		out.Runs, index = t.runInfos(rows)
		return t.fill(ctx, index, keys)
	})
	return out, err
}

// folds reads a part of the list with one run of each fold, what these stand for, and how many there are.
func (t *Tracker) folds(ctx context.Context, q *listQuery, part string, out *Listed) ([]runRow, error) {
	var found []foldedRow
	if err := t.db.SelectContext(ctx, &found, q.folded(part), q.Args...); err != nil {
		return nil, err
	}
	if len(found) == 0 && out.All > 0 { // the part is behind the end
		if err := t.db.SelectContext(ctx, &found, q.folded(" LIMIT 1"), q.Args...); err != nil || len(found) == 0 {
			return nil, err
		}
		out.Total, out.Folds = found[0].Total, nil
		return nil, nil
	}
	out.Total, out.Folds = 0, map[string]Fold{}
	rows := make([]runRow, len(found))
	for i, x := range found {
		rows[i], out.Total = x.runRow, x.Total
		if x.Runs > 1 {
			out.Folds[x.ID] = Fold{x.Fold, x.Runs}
		}
	}
	return rows, nil
}

// fill adds the values of some keys, by kind, to runs.
func (t *Tracker) fill(ctx context.Context, index map[string]*RunInfo, keys map[string][]string) error {
	ids := pq.Array(sortedKeys(index))
	for kind, texts := range map[string]func(*RunInfo) map[string]string{
		"param": func(r *RunInfo) map[string]string { return r.Params },
		"tag":   func(r *RunInfo) map[string]string { return r.Tags },
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
	metrics, err := t.fillBest(ctx, index, keys["metric"])
	if err != nil {
		return err
	}
	if err := t.fillMetrics(ctx, index, ` AND key = ANY ($2)`, ids, pq.Array(metrics)); err != nil {
		return err
	}
	return t.fillResults(ctx, index, metrics)
}

// Columns returns the params, tags and metrics that any run has, in the form of Listing.Sort: params, then metrics,
// then tags, each by name. It visits an index once per key, however many runs there are.
func (t *Tracker) Columns(ctx context.Context) ([]string, error) {
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

// ExperimentInfo is an experiment with its newest run.
type ExperimentInfo struct {
	ID     string // MLflow's
	Name   string
	Runs   int     // that are not deleted and are no groups
	Newest RunInfo // without params, tags and metrics; the zero RunInfo if there is none
}

// ExperimentInfos returns the experiments that are not deleted, sorted bytewise by name.
func (t *Tracker) ExperimentInfos(ctx context.Context) ([]ExperimentInfo, error) {
	var list []ExperimentInfo
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
		list = make([]ExperimentInfo, len(rows))
		for i, r := range rows {
			list[i] = ExperimentInfo{ID: r.Number, Name: r.Experiment, Runs: r.Runs}
			if r.ID != "" {
				list[i].Newest = RunInfo{ID: r.ID, Name: r.Name, Experiment: r.Experiment, Status: r.Status,
					Start: unixTime(r.Start)}
			}
		}
		return err
	})
	return list, err
}

// Experiments returns the names of the experiments that are not deleted, sorted bytewise.
func (t *Tracker) Experiments(ctx context.Context) ([]string, error) {
	var names []string
	err := t.retry(ctx, "reading experiments", func(ctx context.Context) error {
		names = nil
		return t.db.SelectContext(ctx, &names, `SELECT name FROM public.experiments
			WHERE lifecycle_stage = 'active' AND name IS NOT NULL ORDER BY name COLLATE "C"`)
	})
	return names, err
}
