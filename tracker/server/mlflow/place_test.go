package mlflow_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres/backup"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestArtifactsOfAnotherMachine: a run that trained straight into the database on another machine has its artifacts
// there. A server elsewhere says so, in whichever way a client asks; its results it has.
func TestArtifactsOfAnotherMachine(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	writer := trackertest.Store(t)
	train := func(host string) (id, folder string) {
		t.Helper()
		run, err := writer.StartRun(ctx, tracker.RunSpec{})
		expect.NoError(t, err)
		expect.NoError(t, run.LogResults(1, []tracker.EvaluationResult{{Split: "test", Metric: "mrr", Value: .5}}, nil))
		expect.NoError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), "model"), []byte("hello"), 0o644))
		expect.NoError(t, run.Finish(ctx, tracker.Finished))
		if host != "" {
			_, err = writer.DB().Exec(`UPDATE spherelab.heartbeat SET host = $2 WHERE run_uuid = $1`, run.ID(), host)
			expect.NoError(t, err)
		}
		return run.ID(), run.ArtifactDir()
	}
	s := newSiteOn(t, trackertest.StoreWith(t, writer.URL(), tracker.Options{DataDir: t.TempDir()}))
	address := func(id string) string {
		var out struct {
			Run struct{ Info struct{ Artifact_uri string } }
		}
		_, body := s.send(http.MethodGet, "/api/2.0/mlflow/runs/get?run_id="+id, "")
		expect.NoError(t, json.Unmarshal([]byte(body), &out))
		return out.Run.Info.Artifact_uri
	}
	check := func(id, folder string) {
		t.Helper()
		place := strings.TrimPrefix(address(id), "mlflow-artifacts:/")
		if place != "0/"+id+"/artifacts" {
			t.Errorf("the address is %s", place)
		}
		for _, path := range []string{"mlflow/artifacts/list?run_id=" + id, "mlflow-artifacts/artifacts?path=" + place,
			"mlflow-artifacts/artifacts/" + place + "/model", "mlflow-artifacts/artifacts?path=" + place + "/below"} {
			status, body := s.send(http.MethodGet, "/api/2.0/"+path, "")
			if status != 404 || !strings.Contains(body, "machine \\\"far-away\\\" wrote run "+id) ||
				!strings.Contains(body, folder) {
				t.Errorf("%s: %d %s", path, status, body)
			}
		}
		status, body := s.send(http.MethodGet, "/api/2.0/mlflow-artifacts/artifacts/"+place+"/"+tracker.ResultArtifact, "")
		if status != 200 || !strings.Contains(body, "mrr") {
			t.Errorf("the results: %d %s", status, body)
		}
	}
	id, folder := train("far-away")
	if uri := address(id); uri != "file://"+folder { // the machines share it
		t.Errorf("the address is %s", uri)
	}
	expect.NoError(t, os.RemoveAll(filepath.Dir(folder)))
	check(id, folder)
	// The other machine's folder has the name of this one's.
	here := filepath.Join(s.tr.ArtifactRoot(), "0", id, "artifacts")
	_, err := writer.DB().Exec(`UPDATE public.runs SET artifact_uri = $2 WHERE run_uuid = $1`, id, "file://"+here)
	expect.NoError(t, err)
	check(id, here)
	expect.NoError(t, os.MkdirAll(here, 0o755)) // copied, or mounted since
	if status, body := s.send(http.MethodGet, "/api/2.0/mlflow/artifacts/list?run_id="+id, ""); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	// A run of this machine's has no folder: it has no artifacts.
	id, folder = train("")
	expect.NoError(t, os.RemoveAll(filepath.Dir(folder)))
	_, err = writer.DB().Exec(`UPDATE public.runs SET artifact_uri = $2 WHERE run_uuid = $1`, id,
		"file://"+filepath.Join(s.tr.ArtifactRoot(), "0", id, "artifacts"))
	expect.NoError(t, err)
	status, body := s.send(http.MethodGet, "/api/2.0/mlflow/artifacts/list?run_id="+id, "")
	if status != 200 || !strings.Contains(body, `"files":[]`) {
		t.Errorf("%d %s", status, body)
	}
}

// TestArtifactsAfterARestore: a machine that has restored a backup has the artifacts of the machine that wrote it, and
// a run without any has none. What that machine did not have either is still where it was.
func TestArtifactsAfterARestore(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	old := trackertest.Store(t)
	train := func(host, artifact string) string {
		t.Helper()
		run, err := old.StartRun(ctx, tracker.RunSpec{})
		expect.NoError(t, err)
		if artifact != "" {
			expect.NoError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), artifact), nil, 0o644))
		}
		expect.NoError(t, run.Finish(ctx, tracker.Finished))
		if host != "" {
			expect.NoError(t, os.RemoveAll(filepath.Dir(run.ArtifactDir())))
			_, err = old.DB().Exec(`UPDATE spherelab.heartbeat SET host = $2 WHERE run_uuid = $1`, run.ID(), host)
			expect.NoError(t, err)
		}
		return run.ID()
	}
	here, err := os.Hostname()
	expect.NoError(t, err)
	want := map[string]string{train("", "model"): `"model"`, train("", ""): `"files":[]`, train(here, ""): `"files":[]`,
		train("far-away", ""): "machine \\\"far-away\\\" wrote run"}
	file := filepath.Join(t.TempDir(), "backup.tar")
	report, err := backup.Write(ctx, old, file)
	expect.NoError(t, err)
	if len(report.Elsewhere) != 1 || !strings.Contains(want[report.Elsewhere[0]], "far-away") {
		t.Errorf("artifacts of %v are elsewhere", report.Elsewhere)
	}
	restored := trackertest.Store(t)
	_, err = backup.Restore(ctx, restored, file)
	expect.NoError(t, err)
	_, err = restored.DB().Exec(`UPDATE spherelab.heartbeat SET host = 'old-machine' WHERE host = $1`, here)
	expect.NoError(t, err)
	s := newSiteOn(t, restored)
	for id, text := range want {
		status, body := s.send(http.MethodGet, "/api/2.0/mlflow/artifacts/list?run_id="+id, "")
		if !strings.Contains(body, text) {
			t.Errorf("%d %s, not %s", status, body, text)
		}
	}
}
