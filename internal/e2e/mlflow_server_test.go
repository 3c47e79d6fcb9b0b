package e2e

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/rest"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestRemoteTrainingToMLflow: a training that logs to MLflow's own server, killed and resumed, has the numbers and the
// model of one that logs to a database. The server has each point once, the artifacts, the data set, the commit's place
// and the command.
func TestRemoteTrainingToMLflow(t *testing.T) {
	t.Parallel()
	for name, variable := range map[string]string{"MLflow 2": trackertest.MLflow2, "MLflow 3": trackertest.MLflow3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			python := trackertest.MLflowPython(t, variable)
			address, _ := trackertest.MLflowServer(t, python,
				"--backend-store-uri", "sqlite:///"+filepath.Join(t.TempDir(), "mlflow.db"))
			client := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir()}}
			local := newProgram(t)
			config := smallJob(t, 12)
			j := client.start(config, "--tracker", address)
			j.until(t, 4)
			j.signal(t, syscall.SIGKILL)
			j.end()
			client.env = append(client.env, "DATABASE_URL="+address)
			client.ok("train", "--resume", j.runID)
			local.ok("train", config)

			exported := filepath.Join(t.TempDir(), "run.jsonl.gz")
			client.ok("runs", "export", j.runID, "--out", exported)
			if text := local.ok("runs", "verify", "last", exported); !strings.Contains(text, "equal, bit for bit: ") {
				t.Errorf("verify says:\n%s", text)
			}
			query := []string{"query", "last", "e00", "plus1", "?"}
			here, _, _ := strings.Cut(local.ok(query...), ", run ") // its id is another one
			if there := client.ok(query...); !strings.HasPrefix(there, here) || here == "" {
				t.Errorf("the answers differ:\n%s\n%s", here, there)
			}
			checkPoints(t, address, j.runID, local)
		})
	}
}

// TestMLflowServesARunOfADatabase: MLflow's own server on our database has a run without the tables of its results.
// What needs all numbers is refused.
func TestMLflowServesARunOfADatabase(t *testing.T) {
	t.Parallel()
	python := trackertest.MLflowPython(t, trackertest.MLflow2)
	local := newProgram(t)
	local.ok("train", smallJob(t, 2))
	address, _ := trackertest.MLflowServer(t, python,
		"--backend-store-uri", strings.TrimSpace(local.ok("tracker", "url", "--owner")))
	client := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir(), "DATABASE_URL=" + address}}
	file := filepath.Join(t.TempDir(), "run.jsonl.gz")
	for _, args := range [][]string{{"runs", "export", "last", "--out", file},
		{"reproduce", "last"}} {
		client.fails(1, []string{"the server has only the metrics of run"}, args...)
	}
	if text := client.ok("runs", "show", "last"); !strings.Contains(text, "FINISHED") {
		t.Errorf("runs show says:\n%s", text)
	}
}

// checkPoints compares what MLflow's server has of a run with the newest run of a database.
func checkPoints(t *testing.T, address, id string, local *program) {
	t.Helper()
	ctx := context.Background()
	c := rest.New(address, rest.Login{})
	run, err := c.Run(ctx, id)
	expect.NoError(t, err)
	var here struct {
		ID string `json:"run_id"`
	}
	local.json(&here, "runs", "show", "last")
	tr := trackertest.OpenWith(t, strings.TrimPrefix(local.env[2], "DATABASE_URL="), tracker.Options{})
	want, err := tr.Points(ctx, here.ID)
	expect.NoError(t, err)
	type place struct {
		key  string
		step int64
	}
	values := map[place]float64{}
	for _, p := range want {
		if !strings.HasPrefix(p.Key, "system/") {
			values[place{p.Key, p.Step}] = p.Value
		}
	}
	seen := map[place]bool{}
	for _, m := range run.Data.Metrics {
		history, err := c.History(ctx, id, m.Key)
		expect.NoError(t, err)
		for _, p := range history {
			at := place{p.Key, int64(p.Step)}
			value, known := values[at]
			if seen[at] || !strings.HasPrefix(p.Key, "system/") && (!known ||
				math.Float64bits(value) != math.Float64bits(float64(p.Value))) {
				t.Errorf("%v is %v, want %v (%v), twice: %v", at, p.Value, value, known, seen[at])
			}
			seen[at] = true
		}
	}
	for at := range values {
		if !seen[at] {
			t.Errorf("%v is missing", at)
		}
	}
	if len(values) < 24 || run.Info.Status != "FINISHED" {
		t.Errorf("%d points; the run is %+v", len(values), run.Info)
	}
	tags := map[string]string{}
	for _, p := range run.Data.Tags {
		tags[p.Key] = p.Value
	}
	if tags["mlflow.project.entryPoint"] != "train" || tags["mlflow.source.type"] != "LOCAL" {
		t.Errorf("the tags are %v", tags)
	}
	files, err := c.Artifacts(ctx, id)
	if text, _ := json.Marshal(files); err != nil || !strings.Contains(string(text), `"model.safetensors"`) {
		t.Errorf("the artifacts are %s, %v", text, err)
	}
}
