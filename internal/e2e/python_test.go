package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

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
