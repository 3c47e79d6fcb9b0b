package mlflow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// pythons are the interpreters with MLflow's clients, by the variables that name them.
var pythons = map[string]string{
	"SPHERELAB_PYTHON":       "2.",
	"SPHERELAB_TEST_MLFLOW3": "3.",
}

// seen is what testdata/client.py prints.
type seen struct {
	Version     string
	RunID       string `json:"run_id"`
	Experiments map[string]any
	Run         map[string]any
	Search      struct {
		Filters map[string][]string
		Pages   [][]string
		All     []string
	}
	Fluent string
	Ours   map[string]any
}

// TestMLflowClient: the real Python clients log to the server and read from it, their runs and ours.
func TestMLflowClient(t *testing.T) {
	t.Parallel()
	for variable, version := range pythons {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			python := os.Getenv(variable)
			if python == "" {
				why := variable + " does not name a Python with mlflow " + version + "; `make test` prepares one"
				if os.Getenv("CI") == "true" {
					t.Fatal(why)
				}
				t.Skip("skipped: " + why)
			}
			ctx := context.Background()
			s := newSite(t)
			run, err := s.tr.StartRun(ctx, tracker.RunSpec{Experiment: "from-go", Name: "go-run",
				Params: map[string]string{"model": "sphere-2d"}})
			expect.NoError(t, err)
			expect.NoError(t, run.LogMetrics(3, map[string]float64{"loss": 0.5}))
			expect.NoError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), "note.txt"), []byte("hello"), 0o644))
			expect.NoError(t, run.Finish(ctx, tracker.Finished))

			command := exec.Command(python, filepath.Join("testdata", "client.py"), s.uri, run.ID())
			var stderr strings.Builder
			command.Stderr = &stderr
			command.Env = append(os.Environ(), "MLFLOW_TRACKING_URI=", "MLFLOW_TRACKING_TOKEN=", "PYTHONWARNINGS=ignore",
				"GIT_PYTHON_REFRESH=quiet", "MLFLOW_HTTP_REQUEST_MAX_RETRIES=1", "NO_PROXY=127.0.0.1")
			out, err := command.Output()
			if err != nil {
				t.Fatalf("client.py: %v\n%s", err, stderr.String())
			}
			_, line, _ := bytes.Cut(append([]byte("\n"), out...), []byte("\n{")) // MLflow prints where to look, too
			var got seen
			expect.NoError(t, json.Unmarshal(append([]byte("{"), line...), &got))
			if !strings.HasPrefix(got.Version, version) {
				t.Errorf("%s has MLflow %s", variable, got.Version)
			}
			checkSeen(t, got)
			checkStored(t, s.tr, got.RunID)
		})
	}
}

func checkSeen(t *testing.T, got seen) {
	t.Helper()
	want := seen{}
	expect.NoError(t, json.Unmarshal([]byte(`{
		"experiments": {"tags": {"colour": "blue", "purpose": "test"}, "by_name": true, "no_name": true,
			"deleted": ["renamed"], "found": ["from-rest"], "pages": ["renamed", "from-rest", "from-go", "Default"],
			"own": [true, "note.txt"], "led": ["INVALID_PARAMETER_VALUE", "INVALID_PARAMETER_VALUE", "INVALID_PARAMETER_VALUE"],
			"again": "RESOURCE_ALREADY_EXISTS", "missing": "RESOURCE_DOES_NOT_EXIST"},
		"run": {"name": "python-run", "status": "FINISHED", "ended": true,
			"params": {"batched": "yes", "model": "python-model", "größe": "л"},
			"tags": {"a": "1", "batched": "too", "colour": "blue", "größe": "ф"},
			"metrics": {"loss": 0.2, "many": 997, "odd/nan": "NaN", "odd/up": 1.7976931348623157e308, "größe/损失 ½": 2},
			"named": ["INVALID_PARAMETER_VALUE", "INVALID_PARAMETER_VALUE", "INVALID_PARAMETER_VALUE",
				"INVALID_PARAMETER_VALUE", "INVALID_PARAMETER_VALUE", "INVALID_PARAMETER_VALUE"],
			"loss": [[1, 1, 1700000000001], [2, 0.5, 1700000000002], [3, 0.3333333333333333, 1700000000003],
				[4, 0.25, 1700000000004], [5, 0.2, 1700000000005]],
			"many": 998, "dataset": [["umls", "abc", "{\"rows\": 5}", [["mlflow.data.context", "training"]]]],
			"artifacts": [["a b.txt", false], ["some", true]], "inside": [["some/folder/a b.txt", 5]],
			"artifact": "hello", "conflict": "INVALID_PARAMETER_VALUE", "uri": "mlflow-artifacts:"},
		"search": {"pages": [["r2", "r1"], ["r0", "r3"], ["python-run"]],
			"all": ["python-run", "r0", "r1", "r2", "r3", "r4"]},
		"fluent": "text",
		"ours": {"name": "go-run", "params": {"model": "sphere-2d"}, "metrics": {"loss": 0.5},
			"artifacts": ["note.txt"], "note": "hello"}}`), &want))
	// As MLflow 3.17's own server answers the same client.
	want.Search.Filters = map[string][]string{
		"metrics.x >= 1":                             {"r1", "r2"},
		"metrics.x != 1":                             {"r0", "r2", "r3"},
		"params.even = 'True'":                       {"r0", "r2"},
		"params.even ILIKE 'fal%' and metrics.x < 2": {"r1"},
		"tags.colour = 'blue'":                       {"python-run"},
		"tags.`mlflow.runName` LIKE 'r%'":            {"r0", "r1", "r2", "r3"},
		"run_name IN ('r1')":                         {"INVALID_PARAMETER_VALUE"},
		"attributes.start_time > 1700000000001 AND status = 'RUNNING'":         {"r2", "r3"},
		"datasets.name = 'umls' and dataset.context IN ('training', 'x')":      {"python-run"},
		"run_id IN ('" + got.RunID + "')":                                      {"python-run"},
		`metrics."odd/up" > 1e300`:                                             {"python-run"},
		"metrics.`größe/损失 ½` > 1 and params.größe = 'л' and tags.größe = 'ф'": {"python-run"},
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{{"experiments", got.Experiments, want.Experiments}, {"run", got.Run, want.Run}, {"search", got.Search, want.Search},
		{"fluent", got.Fluent, want.Fluent}, {"ours", got.Ours, want.Ours}} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.what, c.got, c.want)
		}
	}
}

// checkStored: what Python logged through the server is a run like any other of this package.
func checkStored(t *testing.T, tr *postgres.Store, id string) {
	t.Helper()
	info, err := tr.FindRun(context.Background(), "python-run")
	expect.NoError(t, err)
	if info.ID != id || info.Experiment != "from-rest" || info.Metrics["loss"] != 0.2 || info.Steps["loss"] != 5 ||
		info.Params["batched"] != "yes" || info.End.IsZero() {
		t.Errorf("stored: %+v", info)
	}
	folder, err := info.ArtifactDir()
	expect.NoError(t, err)
	if raw, err := os.ReadFile(filepath.Join(folder, "some", "folder", "a b.txt")); err != nil || string(raw) != "hello" {
		t.Errorf("the artifact is %q, %v", raw, err)
	}
}
