package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestDocumentedPythonRuns reads runs and a query as DataFrames with the code of docs/python.md.
func TestDocumentedPythonRuns(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.ok("train", "bundled/sphere-2d", "--set", "dimension=4", "--set", "train.epochs=2", "--set", "eval.bootstrap=0",
		"--set", "name=small")
	page, err := os.ReadFile(inRoot("docs/python.md"))
	expect.NoError(t, err)
	_, rest, opened := strings.Cut(string(page), "<!-- code:runs -->\n```python\n")
	code, _, closed := strings.Cut(rest, "```\n<!-- /code:runs -->")
	if !opened || !closed {
		t.Fatal("docs/python.md has no code between the marks code:runs")
	}
	path, err := built()
	expect.NoError(t, err)
	script := code + `
import json, sys
runs = table(sys.argv[1], "runs", "ls")
relations = table(sys.argv[1], "tracker", "sql", "select relation, f1 from relation where is_default")
print(json.dumps([list(runs["run_id"]), list(runs["name"]), float(relations["f1"].max()), len(relations)]))
`
	var got []any
	expect.NoError(t, json.Unmarshal(output(t, pythonCommand(t, p.env, "-c", script, path)), &got))
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

// TestSchemaKnowsEveryConfig validates every config of the repository with Python's jsonschema, as editors do, and
// configs with one mistake each.
func TestSchemaKnowsEveryConfig(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(inRoot("experiments/configs/*/*.yaml"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d configs, %v", len(files), err)
	}
	files = append(files, inRoot("experiments/configs/default.yaml"))
	script := `
import json, re, sys, yaml
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
check = Draft202012Validator(schema)
wrong = {}
for file in sys.argv[2:]:
    content = yaml.safe_load(open(file))
    def numbers(x): # YAML 1.1 reads 2e-5 as text
        if isinstance(x, dict): return {k: numbers(v) for k, v in x.items()}
        return float(x) if isinstance(x, str) and re.fullmatch("[0-9.]+e-?[0-9]+", x) else x
    for e in check.iter_errors(numbers(content)): wrong[file] = e.message
bad = [{"gama": 6}, {"model": "sphere-4d"}, {"train": {"batch": "many"}}, {"train": {"sampling": "auto"}}, {"seed": -1},
       {"eval": {"top_l": [0]}}, {"train": {"epochs": 1.5}}]
print(json.dumps([wrong, [check.is_valid(b) for b in bad], check.is_valid({"train": {"batch": "auto"}})]))
`
	var got []any
	args := append([]string{"-c", script, inRoot("experiments/config/schema.json")}, files...)
	expect.NoError(t, json.Unmarshal(output(t, pythonCommand(t, nil, args...)), &got))
	for file, message := range got[0].(map[string]any) {
		t.Errorf("%s: %v", file, message)
	}
	for i, valid := range got[1].([]any) {
		if valid.(bool) {
			t.Errorf("wrong config %d is valid", i)
		}
	}
	if !got[2].(bool) {
		t.Error("train.batch: auto is not valid")
	}
}
