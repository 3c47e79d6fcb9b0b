package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestDocumentedPythonRuns reads the list of runs with the code of docs/python.md.
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
	script := code + "import json, sys\nprint(json.dumps(runs(sys.argv[1], 'runs', 'ls', '--format', 'csv')))"
	var rows []map[string]string
	if err := json.Unmarshal(output(t, pythonCommand(t, p.env, "-c", script, path)), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0]["name"] != "small" || len(rows[0]["run_id"]) != 32 {
		t.Errorf("Python reads %v", rows)
	}
}
