package filter

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseFilter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]Comparison{
		"":                {},
		" \n":             {},
		"metrics.x > 1":   {{field: field{metric, "x"}, operator: ">", number: 1}},
		"metric.x<=-.5e3": {{field: field{metric, "x"}, operator: "<=", number: -500}},
		"metrics.test/head_f1 != 0.5": {{field: field{metric, "test/head_f1"}, operator: "!=",
			number: 0.5}},
		"metrics.x <> 2": {{field: field{metric, "x"}, operator: "!=", number: 2}},
		"params.train.epochs = '3' AND tags.`a b` LIKE \"%x\" and param.\"c d\" ILIKE 'y'": {
			{field: field{param, "train.epochs"}, operator: "=", text: "3"},
			{field: field{tag, "a b"}, operator: "LIKE", text: "%x"},
			{field: field{param, "c d"}, operator: "ILIKE", text: "y"}},
		"status = 'FINISHED'": {{field: field{attribute, "status"}, operator: "=", text: "FINISHED"}},
		"`Run name` = 'x'":    {{field: field{attribute, "run_name"}, operator: "=", text: "x"}},
		"attribute.'Run name' = 'x'": {{field: field{attribute, "run_name"}, operator: "=",
			text: "x"}},
		"attr.created >= 5":    {{field: field{attribute, "start_time"}, operator: ">=", number: 5}},
		"`tags`.x = ''":        {{field: field{tag, "x"}, operator: "="}},
		"tags.x = 'it''s'":     {{field: field{tag, "x"}, operator: "=", text: "it's"}},
		"tag.x IS NULL":        {{field: field{tag, "x"}, operator: "IS NULL"}},
		"params.x is not null": {{field: field{param, "x"}, operator: "IS NOT NULL"}},
		"run_id NOT IN ('a', \"b\",)": {{field: field{attribute, "run_id"}, operator: "NOT IN",
			list: []string{"a", "b"}}},
		"dataset.context in('train')": {{field: field{dataset, "context"}, operator: "IN",
			list: []string{"train"}}},
	} {
		if Is(text) != (strings.TrimSpace(text) != "") {
			t.Errorf("%q: a filter is %t", text, Is(text))
		}
		got, err := Parse(text, Runs)
		if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParseFilterRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"metrics.x":                        "ends where one of =, !=, >, >=, <, <= after metric \"x\" is expected",
		"metrics.x > '1'":                  "a number for metric",
		"metrics.x > nan":                  "a number for metric",
		"metrics.x > 0x10":                 "a number for metric",
		"metrics.x LIKE 'a'":               "one of =, !=",
		"metrics.x IS NULL":                "one of =, !=",
		"params.x > '1'":                   "one of =, !=, LIKE",
		"params.x = 1":                     "a text in quotes",
		"params.x IN ('a')":                "one of =, !=, LIKE",
		"params.x = 'a' OR params.x = 'b'": "AND, the only way",
		"(params.x = 'a')":                 "a name such as",
		"params.x = 'a' AND":               "ends where a name",
		"params.x = 'a":                    "does not end",
		"params.x ! 'a'":                   "no operator !",
		"params. = 'a'":                    "a name behind the dot",
		"nothing.x = 'a'":                  "one of attribute, metric",
		"secret = 'a'":                     "an attribute, one of run_id",
		"status IN ('a')":                  "one of =, !=, LIKE, ILIKE after",
		"dataset.source = 'a'":             "one of dataset.name",
		"run_id IN ('a' 'b')":              ", or )",
		"run_id IN ()":                     "a text in quotes in the list",
		"run_id IN 'a'":                    "a list in parentheses",
		"tags.x = 'a'; DROP TABLE runs":    "AND, the only way",
		"tags.a.`b` = 'c'":                 "quoted as a whole",
		strings.Repeat("x", 1<<17):         "at most 65536",
	} {
		got, err := Parse(text, Runs)
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, new(*Error)) {
			t.Errorf("%.60q: %v, error %v; want one with %q", text, got, err, want)
		}
	}
	for _, text := range []string{"metrics.x > 1", "params.x = 'a'", "status = 'x'", "dataset.name = 'x'"} {
		if _, err := Parse(text, Experiments); err == nil {
			t.Errorf("experiments were filtered by %q", text)
		}
	}
}

func TestParseOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Order{
		"metrics.x":                {field: field{metric, "x"}},
		"metrics.`a b` desc":       {field: field{metric, "a b"}, isDescending: true},
		"attribute.start_time ASC": {field: field{attribute, "start_time"}},
		"tags.\"x y\" DESC":        {field: field{tag, "x y"}, isDescending: true},
	} {
		if got, err := ParseOrder(text, Runs); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "metrics.x up", "metrics.x desc desc", "dataset.name", "metrics.x, params.y"} {
		if got, err := ParseOrder(text, Runs); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestWordsAreNoFilter(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "sphere", "two words", "FB15k-237", "run.7", "is null", "like in and", "100%_a"} {
		if Is(text) {
			t.Errorf("%q is taken for a filter", text)
		}
	}
}

// FuzzFilter: no filter breaks the parser, and no text of a filter becomes SQL.
func FuzzFilter(f *testing.F) {
	for _, text := range []string{"metrics.x > 1 AND tags.`a b` LIKE '%x'", "run_id NOT IN ('a', \"b\",)",
		"`tags`.`x` = 'it''s'", "dataset.context IN ('a')", "params.x IS NOT NULL", "x.'y", "`", "!", "''.x = '"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Parse(text, Runs)
		if err != nil {
			if !errors.As(err, new(*Error)) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if len(all) > 0 && !Is(text) {
			t.Errorf("%q is a filter and not taken for one", text)
		}
		q, tame := &Query{}, &Query{}
		for _, c := range all {
			q.OfRun(c)
			if c.entity == metric || c.entity == param || c.entity == tag {
				c.key = "x"
			}
			c.text, c.number, c.list = "x", 1, nil
			tame.OfRun(c)
		}
		if q.Conditions() != tame.Conditions() {
			t.Errorf("%q becomes %q", text, q.Conditions())
		}
	})
}

func TestMostComparisons(t *testing.T) {
	t.Parallel()
	text := "metrics.a > 1" + strings.Repeat(" AND metrics.a > 1", maxComparisons-1)
	if all, err := Parse(text, Runs); err != nil || len(all) != maxComparisons {
		t.Errorf("%d comparisons, %v", len(all), err)
	}
	if _, err := Parse(text+" AND metrics.a > 1", Runs); err == nil || !strings.Contains(err.Error(), "more than 100") {
		t.Errorf("one more: %v", err)
	}
}
