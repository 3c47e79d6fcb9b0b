package mlflow

import (
	"fmt"
	"strings"

	"github.com/lib/pq"
)

// query collects a statement's conditions and its arguments. Texts of clients are arguments, never SQL.
type query struct {
	where []string
	args  []any
}

// arg adds an argument and returns its place.
func (q *query) arg(value any) string {
	q.args = append(q.args, value)
	return fmt.Sprintf("$%d", len(q.args))
}

func (q *query) add(format string, args ...any) {
	q.where = append(q.where, fmt.Sprintf(format, args...))
}

func (q *query) conditions() string {
	if len(q.where) == 0 {
		return "true"
	}
	return strings.Join(q.where, " AND ")
}

// compare is the condition that a column fits a comparison.
func (q *query) compare(column string, c comparison, number bool) string {
	switch {
	case number:
		return column + " " + c.operator + " " + q.arg(c.number) + "::float8"
	case c.operator == "IN":
		return column + " = ANY (" + q.arg(pq.Array(c.list)) + "::text[])"
	case c.operator == "NOT IN":
		return column + " <> ALL (" + q.arg(pq.Array(c.list)) + "::text[])"
	}
	return column + " " + c.operator + " " + q.arg(c.text) + "::text" // = != LIKE ILIKE
}

// runColumns are the columns of MLflow's table runs for attributes.
var runColumns = map[string]string{"run_id": "r.run_uuid", "user_id": "r.user_id", "status": "r.status",
	"artifact_uri": "r.artifact_uri", "start_time": "r.start_time", "end_time": "r.end_time"}

// experimentColumns are the same for experiments. Their ids are numbers that clients write as texts.
var experimentColumns = map[string]string{"name": "e.name", "experiment_id": "e.experiment_id::text",
	"creation_time": "e.creation_time", "last_update_time": "e.last_update_time"}

// pair is the condition that the owner has a row of this key in a table of pairs that fits.
func (q *query) pair(table, owner, id string, c comparison, number bool) string {
	rows := fmt.Sprintf("EXISTS (SELECT FROM public.%s x WHERE x.%s = %s AND x.key = %s", table, owner, id,
		q.arg(c.key))
	switch {
	case c.operator == "IS NOT NULL":
		return rows + ")"
	case c.operator == "IS NULL":
		return "NOT " + rows + ")"
	case number && c.operator == "!=": // NaN is stored as 0, and differs from every number
		return rows + " AND (" + q.compare("x.value", c, true) + " OR x.is_nan))"
	case number:
		return rows + " AND " + q.compare("x.value", c, true) + " AND NOT x.is_nan)"
	}
	return rows + " AND " + q.compare("x.value", c, false) + ")"
}

// ofRun adds the condition that run r fits a comparison.
func (q *query) ofRun(c comparison) {
	switch c.entity {
	case metric:
		q.add("%s", q.pair("latest_metrics", "run_uuid", "r.run_uuid", c, true))
	case param:
		q.add("%s", q.pair("params", "run_uuid", "r.run_uuid", c, false))
	case tag:
		q.add("%s", q.pair("tags", "run_uuid", "r.run_uuid", c, false))
	case dataset:
		column := "d." + c.key // one of datasetAttributes
		join := ""
		if c.key == "context" {
			column, join = "t.value",
				" JOIN public.input_tags t ON t.input_uuid = i.input_uuid AND t.name = 'mlflow.data.context'"
		}
		q.add("EXISTS (SELECT FROM public.inputs i JOIN public.datasets d ON d.dataset_uuid = i.source_id%s"+
			" WHERE i.destination_id = r.run_uuid AND %s)", join, q.compare(column, c, false))
	case attribute:
		if c.key == "run_name" { // old runs have it in the tag alone
			c.key = tagRunName
			q.add("%s", q.pair("tags", "run_uuid", "r.run_uuid", c, false))
			return
		}
		q.add("%s", q.compare(runColumns[c.key], c, runWords.isNumber(c.field)))
	}
}

// ofExperiment adds the condition that experiment e fits a comparison.
func (q *query) ofExperiment(c comparison) {
	if c.entity == tag {
		q.add("%s", q.pair("experiment_tags", "experiment_id", "e.experiment_id", c, false))
		return
	}
	q.add("%s", q.compare(experimentColumns[c.key], c, experimentWords.isNumber(c.field)))
}

// orderRuns returns the joins and the ORDER BY of a search for runs: what was asked for, then the newest first. Missing
// values are last, NaN before them.
func (q *query) orderRuns(orders []order) (joins, by string, err error) {
	seen := map[field]bool{}
	var terms []string
	for i, o := range orders {
		if seen[o.field] {
			return "", "", invalid("order_by names %s %q twice", o.entity, o.key)
		}
		seen[o.field] = true
		way := ""
		if o.descending {
			way = " DESC"
		}
		table, key := "", o.key
		switch o.entity {
		case metric:
			table = "latest_metrics"
		case param:
			table = "params"
		case tag:
			table = "tags"
		case attribute:
			if key == "run_name" {
				table, key = "tags", tagRunName
			}
		}
		if table == "" {
			terms = append(terms, runColumns[key]+way+" NULLS LAST")
			continue
		}
		alias := fmt.Sprintf("o%d", i)
		joins += fmt.Sprintf(" LEFT JOIN public.%s %s ON %[2]s.run_uuid = r.run_uuid AND %[2]s.key = %s", table, alias,
			q.arg(key))
		if o.entity == metric {
			terms = append(terms, fmt.Sprintf("CASE WHEN %[1]s.is_nan THEN 1 WHEN %[1]s.value IS NULL THEN 2 ELSE 0 END",
				alias))
		}
		terms = append(terms, alias+".value"+way+" NULLS LAST")
	}
	if !seen[field{attribute, "start_time"}] {
		terms = append(terms, "r.start_time DESC NULLS LAST")
	}
	return joins, strings.Join(append(terms, "r.run_uuid"), ", "), nil
}

// orderExperiments is the ORDER BY of a search for experiments, by default the newest first.
func orderExperiments(orders []order) (string, error) {
	var terms []string
	for _, o := range orders {
		if o.entity != attribute {
			return "", invalid("experiments are ordered by attributes only, not by %s %q", o.entity, o.key)
		}
		column, way := experimentColumns[o.key], ""
		if o.key == "experiment_id" {
			column = "e.experiment_id"
		}
		if o.descending {
			way = " DESC"
		}
		terms = append(terms, column+way+" NULLS LAST")
	}
	if len(terms) == 0 {
		terms = []string{"e.creation_time DESC NULLS LAST"}
	}
	return strings.Join(append(terms, "e.experiment_id"), ", "), nil
}
