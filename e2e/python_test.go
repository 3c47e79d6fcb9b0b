package e2e

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestDocumentedPythonRuns reads runs and a query as DataFrames with the code of docs/python.md.
func TestDocumentedPythonRuns(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.ok("train", "bundled/sphere-2d", "--set", "dimension=4", "--set", "train.epochs=2", "--set", "eval.bootstrap=0",
		"--set", "name=small")
	page, err := os.ReadFile(inRoot("docs/python.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, opened := strings.Cut(string(page), "<!-- code:runs -->\n```python\n")
	code, _, closed := strings.Cut(rest, "```\n<!-- /code:runs -->")
	if !opened || !closed {
		t.Fatal("docs/python.md has no code between the marks code:runs")
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	script := code + `
import json, sys
runs = table(sys.argv[1], "runs", "ls")
relations = table(sys.argv[1], "tracker", "sql", "select relation, f1 from relation where is_default")
print(json.dumps([list(runs["run_id"]), list(runs["name"]), float(relations["f1"].max()), len(relations)]))
`
	var got []any
	if err := json.Unmarshal(output(t, pythonCommand(t, p.env, "-c", script, path)), &got); err != nil {
		t.Fatal(err)
	}
	var want []struct {
		RunID string `json:"run_id"`
		F1    float64
		Rows  float64
	}
	p.json(&want, "tracker", "sql", "select run_id, max(f1) as f1, count(*) as rows from relation where is_default group by run_id")
	if len(want) != 1 || want[0].Rows < 2 || !reflect.DeepEqual(got,
		[]any{[]any{want[0].RunID}, []any{"small"}, want[0].F1, want[0].Rows}) {
		t.Errorf("Python reads %v, want %v", got, want)
	}
}
