package filter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lib/pq"
)

// Query collects a statement's conditions and its arguments.
type Query struct {
	where []string
	Args  []any
	// Numbers returns the condition that run r has a number of this key that is not a metric and fits. fits makes the
	// condition of a column. Numbers returns "" if there are no such numbers; a nil Numbers means that there are none
	// for any key.
	Numbers func(q *Query, key string, fits func(column string) string) string
}

// Arg adds an argument and returns its place.
func (q *Query) Arg(value any) string {
	q.Args = append(q.Args, value)
	return fmt.Sprintf("$%d", len(q.Args))
}

// Add adds a condition; format makes SQL of fixed words and of what Arg returned.
func (q *Query) Add(format string, args ...any) {
	q.where = append(q.where, fmt.Sprintf(format, args...))
}

// Conditions returns all conditions as SQL.
func (q *Query) Conditions() string {
	if len(q.where) == 0 {
		return "true"
	}
	return strings.Join(q.where, " AND ")
}

// compare returns the condition that a column fits a comparison.
func (q *Query) compare(column string, c Comparison, isNumber bool) string {
	switch {
	case isNumber:
		return column + " " + c.operator + " " + q.Arg(c.number) + "::float8"
	case c.operator == "IN":
		return column + " = ANY (" + q.Arg(pq.Array(c.list)) + "::text[])"
	case c.operator == "NOT IN":
		return column + " <> ALL (" + q.Arg(pq.Array(c.list)) + "::text[])"
	}
	text := c.text
	if strings.HasSuffix(c.operator, "LIKE") {
		text = pattern(text)
	}
	if c.operator == "ILIKE" {
		return q.ILike(column, text)
	}
	return column + " " + c.operator + " " + q.Arg(text) + "::text" // = != LIKE
}

// ILike returns the condition that a column fits a LIKE pattern, ignoring case. A database with locale C, such as that
// of a private cluster, only knows the cases of ASCII letters. So every other letter of the pattern is replaced by the
// least of its case variants, in the column too.
func (q *Query) ILike(column, pattern string) string {
	var from, to []rune
	one := map[rune]rune{}
	for _, letter := range pattern {
		least := letter
		others := []rune{letter}
		for r := unicode.SimpleFold(letter); r != letter; r = unicode.SimpleFold(r) {
			least, others = min(least, r), append(others, r)
		}
		if one[letter] != 0 || letter < utf8.RuneSelf || len(others) == 1 {
			continue
		}
		for _, r := range others {
			one[r] = least
			if r != least {
				from, to = append(from, r), append(to, least)
			}
		}
	}
	if len(from) == 0 {
		return column + " ILIKE " + q.Arg(pattern) + "::text"
	}
	pattern = strings.Map(func(r rune) rune { return cmp.Or(one[r], r) }, pattern)
	return "translate(" + column + ", " + q.Arg(string(from)) + "::text, " + q.Arg(string(to)) + "::text) ILIKE " +
		q.Arg(pattern) + "::text"
}

// pattern returns a LIKE pattern in which a final backslash stands for itself, as in SQLite. PostgreSQL would return an
// error.
func pattern(text string) string {
	if slashes := len(text) - len(strings.TrimRight(text, `\`)); slashes%2 == 1 {
		return text + `\`
	}
	return text
}

// runNameTag is where MLflow keeps the name of a run.
const runNameTag = "mlflow.runName"

// runColumns are the columns of MLflow's table runs for attributes.
var runColumns = map[string]string{"run_id": "r.run_uuid", "user_id": "r.user_id", "status": "r.status",
	"artifact_uri": "r.artifact_uri", "start_time": "r.start_time", "end_time": "r.end_time"}

// experimentColumns are the same for experiments, whose ids are numbers that clients write as text.
var experimentColumns = map[string]string{"name": "e.name", "experiment_id": "e.experiment_id::text",
	"creation_time": "e.creation_time", "last_update_time": "e.last_update_time"}

// pair returns the condition that a table of pairs has a fitting row of this owner and key.
func (q *Query) pair(table, owner, id string, c Comparison, isNumber bool) string {
	rows := fmt.Sprintf("EXISTS (SELECT FROM public.%s x WHERE x.%s = %s AND x.key = %s", table, owner, id,
		q.Arg(c.key))
	switch {
	case c.operator == "IS NOT NULL":
		return rows + ")"
	case c.operator == "IS NULL":
		return "NOT " + rows + ")"
	case isNumber && c.operator == "!=": // NaN is stored as 0 and differs from every number
		return rows + " AND (" + q.compare("x.value", c, true) + " OR x.is_nan))"
	case isNumber:
		return rows + " AND " + q.compare("x.value", c, true) + " AND NOT x.is_nan)"
	}
	return rows + " AND " + q.compare("x.value", c, false) + ")"
}

// OfRun adds the condition that run r fits a comparison.
func (q *Query) OfRun(c Comparison) {
	switch c.entity {
	case metric:
		condition := q.pair("latest_metrics", "run_uuid", "r.run_uuid", c, true)
		if q.Numbers != nil {
			more := q.Numbers(q, c.key, func(column string) string {
				if c.operator == "!=" { // NaN differs from every number, and is greater than all
					return q.compare(column, c, true)
				}
				return q.compare(column, c, true) + " AND " + column + " <> 'NaN'"
			})
			if more != "" {
				condition = "(" + condition + " OR " + more + ")"
			}
		}
		q.Add("%s", condition)
	case param:
		q.Add("%s", q.pair("params", "run_uuid", "r.run_uuid", c, false))
	case tag:
		q.Add("%s", q.pair("tags", "run_uuid", "r.run_uuid", c, false))
	case dataset:
		column := "d." + c.key // one of datasetAttributes
		join := ""
		if c.key == "context" {
			column, join = "t.value",
				" JOIN public.input_tags t ON t.input_uuid = i.input_uuid AND t.name = 'mlflow.data.context'"
		}
		q.Add("EXISTS (SELECT FROM public.inputs i JOIN public.datasets d ON d.dataset_uuid = i.source_id%s"+
			" WHERE i.destination_id = r.run_uuid AND %s)", join, q.compare(column, c, false))
	case attribute:
		if c.key == "run_name" { // old runs have it in the tag alone
			c.key = runNameTag
			q.Add("%s", q.pair("tags", "run_uuid", "r.run_uuid", c, false))
			return
		}
		if c.key == "status" { // pages and tables write it in lower case
			c.text = strings.ToUpper(c.text)
			c.list = slices.Clone(c.list)
			for i, text := range c.list {
				c.list[i] = strings.ToUpper(text)
			}
		}
		q.Add("%s", q.compare(runColumns[c.key], c, Runs.isNumber(c.field)))
	}
}

// OfExperiment adds the condition that experiment e fits a comparison.
func (q *Query) OfExperiment(c Comparison) {
	if c.entity == tag {
		q.Add("%s", q.pair("experiment_tags", "experiment_id", "e.experiment_id", c, false))
		return
	}
	q.Add("%s", q.compare(experimentColumns[c.key], c, Experiments.isNumber(c.field)))
}

// OrderRuns returns the joins and the ORDER BY of a search for runs: the requested order, then the newest first.
// Missing values are last, NaN before them.
func (q *Query) OrderRuns(orders []Order) (joins, by string, err error) {
	seen := map[field]bool{}
	var terms []string
	for i, o := range orders {
		if seen[o.field] {
			return "", "", invalid("order_by names %s %q twice", o.entity, o.key)
		}
		seen[o.field] = true
		way := ""
		if o.isDescending {
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
				table, key = "tags", runNameTag
			}
		}
		if table == "" {
			terms = append(terms, runColumns[key]+way+" NULLS LAST")
			continue
		}
		alias := fmt.Sprintf("o%d", i)
		joins += fmt.Sprintf(" LEFT JOIN public.%s %s ON %[2]s.run_uuid = r.run_uuid AND %[2]s.key = %s", table, alias,
			q.Arg(key))
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

// OrderExperiments returns the ORDER BY of a search for experiments, by default the newest first.
func OrderExperiments(orders []Order) (string, error) {
	var terms []string
	for _, o := range orders {
		if o.entity != attribute {
			return "", invalid("experiments are ordered by attributes only, not by %s %q", o.entity, o.key)
		}
		column, way := experimentColumns[o.key], ""
		if o.key == "experiment_id" {
			column = "e.experiment_id"
		}
		if o.isDescending {
			way = " DESC"
		}
		terms = append(terms, column+way+" NULLS LAST")
	}
	if len(terms) == 0 {
		terms = []string{"e.creation_time DESC NULLS LAST"}
	}
	return strings.Join(append(terms, "e.experiment_id"), ", "), nil
}
