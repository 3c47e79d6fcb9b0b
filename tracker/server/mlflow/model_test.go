package mlflow_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestModelsOfMLflow3: on a database with models the real client hears that this server does not serve them; where no
// model can be meant it gets an empty list, and so the artifacts of runs.
func TestModelsOfMLflow3(t *testing.T) {
	t.Parallel()
	python := os.Getenv("SPHERELAB_TEST_MLFLOW3")
	if python == "" {
		why := "SPHERELAB_TEST_MLFLOW3 does not name a Python with mlflow 3; `make test` prepares one"
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip("skipped: " + why)
	}
	made, err := os.ReadFile(filepath.Join("..", "..", "postgres", "testdata", "mlflow_3_17.sql"))
	expect.NoError(t, err)
	uri := trackertest.Database(t)
	db, err := sqlx.Open("postgres", uri)
	expect.NoError(t, err)
	defer db.Close()
	const run = "ff5f0332db8e4db3894f978345d572aa" // of experiment 1
	_, err = db.Exec(string(made) + `;
		INSERT INTO public.logged_models VALUES ('m-used', 1, 'cat', '/m', 1, 1, 2, 'active', NULL, '` + run + `', NULL);
		INSERT INTO public.logged_models VALUES ('m-gone', 0, 'dog', '/m', 1, 1, 2, 'deleted', NULL, '` + run + `', NULL);
		INSERT INTO public.inputs VALUES ('i1', 'RUN_INPUT', '` + run + `', 'MODEL_INPUT', 'm-used', 0);
		INSERT INTO public.inputs VALUES ('i2', 'RUN_OUTPUT', '` + run + `', 'MODEL_OUTPUT', 'm-made', 7);`)
	expect.NoError(t, err)
	s := newSiteOn(t, trackertest.StoreWith(t, uri, tracker.Options{DataDir: t.TempDir()}))
	command := exec.Command(python, "-c", `
import json, sys
import mlflow
from mlflow.entities import LoggedModelInput
from mlflow.exceptions import MlflowException
mlflow.set_tracking_uri(sys.argv[1])
run = sys.argv[2]
client = mlflow.MlflowClient()
def said(call):
    try:
        return call()
    except MlflowException as error:
        return error.error_code
def models(experiment, **more):
    return said(lambda: [m.name for m in client.search_logged_models([experiment], **more)])
seen = client.get_run(run)
own = client.create_run("0").info.run_id
client.log_text(own, "hello", "cat/note.txt")
json.dump({
    "all": models("1"), "no_such": models("1", filter_string="name = 'cow'"),
    "named": models("1", filter_string="name = 'cat'"), "other": models("1", filter_string="name != 'cat'"),
    "none": models("0"),
    "inputs": [m.model_id for m in seen.inputs.model_inputs],
    "outputs": [[m.model_id, m.step] for m in seen.outputs.model_outputs],
    "get": said(lambda: client.get_logged_model("m-used").name),
    "create": said(lambda: client.create_logged_model("0", name="x").name),
    "log": said(lambda: client.log_inputs(own, models=[LoggedModelInput("m-used")])),
    "registered": said(lambda: list(client.search_registered_models())),
    "artifacts": [f.path for f in mlflow.artifacts.list_artifacts("runs:/" + own + "/cat")],
}, sys.stdout)
`, s.uri, run)
	command.Env = append(os.Environ(), "PYTHONWARNINGS=ignore", "GIT_PYTHON_REFRESH=quiet",
		"MLFLOW_HTTP_REQUEST_MAX_RETRIES=1", "NO_PROXY=127.0.0.1", "MLFLOW_DISABLE_TELEMETRY=true")
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var got, want map[string]any
	expect.NoError(t, json.Unmarshal(out, &got))
	expect.NoError(t, json.Unmarshal([]byte(`{"all": "ENDPOINT_NOT_FOUND", "no_such": [], "named": "ENDPOINT_NOT_FOUND",
		"other": "ENDPOINT_NOT_FOUND", "none": [], "inputs": ["m-used"], "outputs": [["m-made", 7]],
		"get": "ENDPOINT_NOT_FOUND", "create": "ENDPOINT_NOT_FOUND", "log": "ENDPOINT_NOT_FOUND",
		"registered": "ENDPOINT_NOT_FOUND", "artifacts": ["cat/note.txt"]}`), &want))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the client sees %v,\nnot %v", got, want)
	}
}
