package mlflow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/server/mlflow"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// site is an API on a database of its own.
type site struct {
	t   *testing.T
	tr  *postgres.Store
	uri string
}

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteOn(t, trackertest.Store(t))
}

func newSiteOn(t *testing.T, tr *postgres.Store) *site {
	t.Helper()
	api, err := mlflow.New(tr, func(line string) { t.Error("the API failed: ", line) })
	expect.NoError(t, err)
	s := httptest.NewServer(api)
	t.Cleanup(func() {
		s.Close()
		expect.NoError(t, api.Close())
	})
	return &site{t: t, tr: tr, uri: s.URL}
}

// send sends a request and returns status and body.
func (s *site) send(method, path, body string) (int, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, s.uri, strings.NewReader(body))
	expect.NoError(s.t, err)
	request.URL.Opaque = path // as it is, also where it is not a clean path
	response, err := http.DefaultClient.Do(request)
	expect.NoError(s.t, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	expect.NoError(s.t, err)
	return response.StatusCode, string(raw)
}

// post expects an answer without an error and decodes it.
func (s *site) post(path, body string, into any) {
	s.t.Helper()
	status, answer := s.send(http.MethodPost, "/api/2.0/mlflow/"+path, body)
	if status != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, status, answer)
	}
	if into != nil {
		expect.NoError(s.t, json.Unmarshal([]byte(answer), into))
	}
}

func (s *site) newRun() string {
	s.t.Helper()
	var out struct {
		Run struct{ Info struct{ Run_id string } }
	}
	s.post("runs/create", `{"experiment_id": "0", "run_name": "r"}`, &out)
	return out.Run.Info.Run_id
}

// repeat joins n items made from a format with one %d.
func repeat(n int, format string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(items, ",")
}

// Errors have MLflow's codes and statuses, and say what is wrong.
func TestErrors(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	run := s.newRun()
	s.post("runs/log-parameter", `{"run_id": "`+run+`", "key": "p", "value": "1"}`, nil)
	gone := s.newRun()
	s.post("runs/delete", `{"run_id": "`+gone+`"}`, nil)
	ofRun := func(rest string) string { return `{"run_id": "` + run + `", ` + rest + `}` }
	for _, c := range []struct {
		path, body string
		status     int
		code, want string
	}{
		{"runs/create", `{"experiment_id": "x"}`, 400, "INVALID_PARAMETER_VALUE", "is not a number"},
		{"runs/create", `{"experiment_id": "4711"}`, 404, "RESOURCE_DOES_NOT_EXIST", "4711"},
		{"runs/create", `{"experiment_id": "0"`, 400, "BAD_REQUEST", "not JSON"},
		{"runs/create", `[]`, 400, "INVALID_PARAMETER_VALUE", "the request must not be an array"},
		{"runs/log-metric", ofRun(`"key": "k", "timestamp": 1`), 400, "INVALID_PARAMETER_VALUE", "lacks its value"},
		{"runs/log-metric", ofRun(`"key": "k", "value": 1`), 400, "INVALID_PARAMETER_VALUE", "lacks its timestamp"},
		{"runs/log-metric", ofRun(`"key": "k", "value": "x", "timestamp": 1`), 400, "INVALID_PARAMETER_VALUE",
			"not a number"},
		{"runs/log-metric", ofRun(`"key": "../k", "value": 1, "timestamp": 1`), 400, "INVALID_PARAMETER_VALUE", "path"},
		{"runs/log-metric", `{"key": "k", "value": 1, "timestamp": 1}`, 400, "INVALID_PARAMETER_VALUE", "lacks run_id"},
		{"runs/log-metric", `{"run_id": "none", "key": "k", "value": 1, "timestamp": 1}`, 404, "RESOURCE_DOES_NOT_EXIST",
			"no run"},
		{"runs/log-metric", `{"run_id": "` + gone + `", "key": "k", "value": 1, "timestamp": 1}`, 400,
			"INVALID_PARAMETER_VALUE", "is deleted"},
		{"runs/log-parameter", ofRun(`"key": "p", "value": "2"`), 400, "INVALID_PARAMETER_VALUE", "do not change"},
		{"runs/log-parameter", ofRun(`"key": "q", "value": "` + strings.Repeat("v", 6001) + `"`), 400,
			"INVALID_PARAMETER_VALUE", "at most 6000"},
		{"runs/set-tag", ofRun(`"key": "` + strings.Repeat("k", 251) + `", "value": ""`), 400, "INVALID_PARAMETER_VALUE",
			"at most 250"},
		{"runs/set-tag", ofRun(`"key": "k", "value": "a\u0000b"`), 400, "INVALID_PARAMETER_VALUE", "zero byte"},
		{"runs/delete-tag", ofRun(`"key": "nothing"`), 404, "RESOURCE_DOES_NOT_EXIST", "no tag"},
		{"runs/update", ofRun(`"status": "DONE"`), 400, "INVALID_PARAMETER_VALUE", "not one of"},
		{"runs/log-batch", ofRun(`"metrics": [` + repeat(1001, `{"key": "k", "value": 1, "timestamp": 1, "step": %d}`) + `]`),
			400, "INVALID_PARAMETER_VALUE", "1001 metrics"},
		{"runs/log-batch", ofRun(`"params": [` + repeat(101, `{"key": "k%d", "value": "1"}`) + `]`), 400,
			"INVALID_PARAMETER_VALUE", "101 params"},
		{"runs/log-batch", ofRun(`"tags": [{"key": "k", "value": "` + strings.Repeat("v", 1_000_000) + `"}]`), 400,
			"INVALID_PARAMETER_VALUE", "more than 1000000 bytes"},
		{"runs/log-inputs", ofRun(`"datasets": [{"dataset": {"name": "n"}}]`), 400, "INVALID_PARAMETER_VALUE", "digest"},
		{"runs/search", `{"experiment_ids": ["0"], "max_results": 50001}`, 400, "INVALID_PARAMETER_VALUE", "50000"},
		{"runs/search", `{"experiment_ids": ["0"], "max_results": 0}`, 400, "INVALID_PARAMETER_VALUE", "between 1"},
		{"runs/search", `{"experiment_ids": ["0"], "page_token": "x"}`, 400, "INVALID_PARAMETER_VALUE", "page token"},
		{"runs/search", `{"experiment_ids": ["0"], "filter": "x"}`, 400, "INVALID_PARAMETER_VALUE", "expected"},
		{"runs/search", `{"experiment_ids": ["0"], "order_by": ["metrics.x", "metrics.x DESC"]}`, 400,
			"INVALID_PARAMETER_VALUE", "twice"},
		{"experiments/create", `{"name": " "}`, 400, "INVALID_PARAMETER_VALUE", "needs a name"},
		{"experiments/create", `{"name": "Default"}`, 400, "RESOURCE_ALREADY_EXISTS", "Default"},
		{"experiments/create", `{"name": "a\u0000b"}`, 400, "INVALID_PARAMETER_VALUE", "cannot be stored"},
		{"experiments/update", `{"experiment_id": "4711", "new_name": "x"}`, 404, "RESOURCE_DOES_NOT_EXIST", "4711"},
		{"experiments/restore", `{"experiment_id": "0"}`, 404, "RESOURCE_DOES_NOT_EXIST", "no deleted experiment"},
		{"experiments/delete-experiment-tag", `{"experiment_id": "0", "key": "nothing"}`, 404, "RESOURCE_DOES_NOT_EXIST",
			"experiment 0 has no tag"},
		{"experiments/delete-experiment-tag", `{"experiment_id": "4711", "key": "k"}`, 404, "RESOURCE_DOES_NOT_EXIST",
			"no experiment 4711"},
		// Fields have the names that requests have, none of Go's.
		{"runs/log-metric", `{"run_id": 7}`, 400, "INVALID_PARAMETER_VALUE", `field "run_id" of the request must not be a number`},
		{"runs/log-metric", `{"key": []}`, 400, "INVALID_PARAMETER_VALUE", `field "key" of the request must not be an array`},
		{"runs/set-tag", `{"value": 7.5}`, 400, "INVALID_PARAMETER_VALUE", `field "value" of the request must not be a number`},
		{"runs/log-batch", ofRun(`"metrics": [{"key": {}}]`), 400, "INVALID_PARAMETER_VALUE",
			`field "metrics.key" of the request must not be an object`},
		{"runs/log-batch", ofRun(`"tags": true`), 400, "INVALID_PARAMETER_VALUE",
			`field "tags" of the request must not be a bool`},
		{"experiments/create", `{"artifact_location": 1}`, 400, "INVALID_PARAMETER_VALUE", `field "artifact_location" of`},
		{"runs/log-inputs", `{"datasets": [{"dataset": {"source_type": 1}}]}`, 400, "INVALID_PARAMETER_VALUE",
			`field "datasets.dataset.source_type" of`},
		{"experiments/nothing", `{}`, 404, "ENDPOINT_NOT_FOUND", "experiments/nothing"},
		{"experiments/get", `{}`, 400, "BAD_REQUEST", "does not take"},
	} {
		status, body := s.send(http.MethodPost, "/api/2.0/mlflow/"+c.path, c.body)
		var fault struct{ Error_code, Message string }
		err := json.Unmarshal([]byte(body), &fault)
		if err != nil || status != c.status || fault.Error_code != c.code ||
			!strings.Contains(fault.Message, c.want) {
			t.Errorf("%s %.80s: %d %.300s; want %d %s %q", c.path, c.body, status, body, c.status, c.code, c.want)
		}
	}
}

// TestPathsThatAreNotServed: what clients of newer MLflow and its pages ask at is answered in MLflow's words.
func TestPathsThatAreNotServed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"/api/3.0/mlflow/traces/search", "/ajax-api/3.0/mlflow/ui-telemetry", "/graphql",
		"/gateway/x/invocations", "/v1/traces", "/api/", "/api/2.0/mlflow/traces", "/api/3.0/mlflow/runs/get",
		"/model-versions/get-artifact"} {
		if !slices.ContainsFunc(mlflow.Prefixes, func(p string) bool { return strings.HasPrefix(path, p) }) {
			t.Errorf("%s is none of the API's", path)
		}
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch} {
			status, body := s.send(method, path, "")
			if status != 404 || !strings.Contains(body, `"error_code":"ENDPOINT_NOT_FOUND"`) {
				t.Errorf("%s %s: %d %s", method, path, status, body)
			}
		}
	}
	for _, c := range [][2]string{{http.MethodDelete, "/api/2.0/mlflow/runs/get"}, {http.MethodGet, "/api/2.0/mlflow/runs/create"},
		{http.MethodPost, "/get-artifact"}, {http.MethodPatch, "/api/2.0/mlflow-artifacts/artifacts/a/b/c"},
		{http.MethodPut, "/version"}} {
		if status, body := s.send(c[0], c[1], ""); status != 400 || !strings.Contains(body, `"error_code":"BAD_REQUEST"`) {
			t.Errorf("%s %s: %d %s", c[0], c[1], status, body)
		}
	}
}

// Where a batch is refused, nothing of it is stored; where it is sent twice, it is stored once.
func TestBatchesAreWhole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	run := s.newRun()
	s.post("runs/log-parameter", `{"run_id": "`+run+`", "key": "p", "value": "1"}`, nil)
	bad := `{"run_id": "` + run + `", "metrics": [{"key": "m", "value": 1, "timestamp": 1}],
		"params": [{"key": "p", "value": "2"}], "tags": [{"key": "t", "value": "x"}]}`
	if status, body := s.send(http.MethodPost, "/api/2.0/mlflow/runs/log-batch", bad); status != 400 {
		t.Errorf("%d %s", status, body)
	}
	info, err := s.tr.FindRun(context.Background(), run)
	expect.NoError(t, err)
	if len(info.Metrics) > 0 || info.Tags["t"] != "" || info.Params["p"] != "1" {
		t.Errorf("stored: %+v", info)
	}
	good := strings.Replace(bad, `"value": "2"`, `"value": "1"`, 1)
	for range 2 {
		s.post("runs/log-batch", good, nil)
	}
	points, err := s.tr.Points(context.Background(), run)
	if err != nil || len(points) != 1 {
		t.Errorf("points %v, %v", points, err)
	}
}

// A run of a client is a run of ours: it is found, and its histories come in pages and in samples.
func TestHistories(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	run := s.newRun()
	s.post("runs/log-batch", `{"run_id": "`+run+`", "metrics": [`+
		repeat(1000, `{"key": "m", "value": %[1]d, "timestamp": "5", "step": %[1]d}`)+`]}`, nil)
	var page struct {
		Metrics []struct {
			Value  float64
			Step   int64
			Run_id string
		}
		Next_page_token string
	}
	var steps []int64
	for pages, token := 1, ""; ; pages++ {
		status, body := s.send(http.MethodGet, "/api/2.0/mlflow/metrics/get-history?run_id="+run+
			"&metric_key=m&max_results=300&page_token="+strings.ReplaceAll(token, "=", "%3D"), "")
		page.Metrics, page.Next_page_token = nil, ""
		if err := json.Unmarshal([]byte(body), &page); err != nil || status != 200 {
			t.Fatalf("%d %.200s", status, body)
		}
		for _, m := range page.Metrics {
			steps = append(steps, m.Step)
		}
		if token = page.Next_page_token; token == "" {
			if pages != 4 {
				t.Errorf("%d pages", pages)
			}
			break
		}
	}
	for i, step := range steps {
		if step != int64(i) {
			t.Fatalf("place %d has step %d", i, step)
		}
	}
	if len(steps) != 1000 {
		t.Errorf("%d steps", len(steps))
	}
	for query, want := range map[string][3]int64{ // least and greatest number of points, last step
		"max_results=10":   {10, 12, 999},
		"max_results=2500": {1000, 1000, 999},
		"max_results=10&start_step=100&end_step=199": {10, 12, 199},
		"max_results=10&start_step=7&end_step=7":     {1, 1, 7},
	} {
		status, body := s.send(http.MethodGet,
			"/ajax-api/2.0/mlflow/metrics/get-history-bulk-interval?run_ids="+run+"&metric_key=m&"+query, "")
		page.Metrics = nil
		if err := json.Unmarshal([]byte(body), &page); err != nil || status != 200 {
			t.Fatalf("%s: %d %.200s", query, status, body)
		}
		n := int64(len(page.Metrics))
		if n < want[0] || n > want[1] || page.Metrics[n-1].Step != want[2] || page.Metrics[0].Run_id != run {
			t.Errorf("%s: %d points, the last %+v", query, n, page.Metrics[max(0, n-1):])
		}
	}
}

// Artifacts cannot be read, written, listed or deleted outside of their folder, however a path is written.
func TestArtifactsStayInTheirFolder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	run := s.newRun()
	own := filepath.Join(s.tr.ArtifactRoot(), "0", run, "artifacts")
	expect.NoError(t, os.MkdirAll(own, 0o755))
	plant(t, s.tr.ArtifactRoot(), own)
	for _, path := range outside {
		for _, request := range [][2]string{{http.MethodGet, "mlflow-artifacts/artifacts/" + path},
			{http.MethodPut, "mlflow-artifacts/artifacts/" + path}, {http.MethodDelete, "mlflow-artifacts/artifacts/" + path},
			{http.MethodGet, "mlflow-artifacts/artifacts?path=" + path},
			{http.MethodGet, "mlflow/artifacts/list?run_id=" + run + "&path=" + path},
			{http.MethodGet, "mlflow/get-artifact?run_uuid=" + run + "&path=" + path}} {
			status, body := s.send(request[0], "/api/2.0/"+request[1], "overwritten")
			if status != 400 || strings.Contains(body, "the secret") {
				t.Errorf("%s %s: %d %s", request[0], request[1], status, body)
			}
		}
	}
	// Nor does an experiment of a client lead out of it.
	elsewhere := t.TempDir()
	for _, location := range []string{elsewhere, "file://" + elsewhere, "file://" + elsewhere + "?", "file://" + elsewhere + "#",
		"file://" + elsewhere + "%3f", "file:///?", "relative", "file://" + s.tr.ArtifactRoot() + "/..",
		"file://" + s.tr.ArtifactRoot() + "/%2e%2e/x", "file://" + s.tr.ArtifactRoot() + "/x?y",
		"file://" + s.tr.ArtifactRoot() + "/x/../y", s.tr.ArtifactRoot() + "/x/../y", s.tr.ArtifactRoot() + "/x#y",
		"file://" + s.tr.ArtifactRoot() + "/%252e%252e/x", "file://" + s.tr.ArtifactRoot() + "/x%3fy",
		"file://" + s.tr.ArtifactRoot(), "file://evil.example" + s.tr.ArtifactRoot() + "/x", "https://evil.example/x",
		"http://127.0.0.1:1/api/2.0/mlflow-artifacts/artifacts/x", "ftp://evil.example/x", "s3://bucket/place", "gs://bucket/x",
		"dbfs:/x", "runs:/x", "mlflow-artifacts://evil.example/x", "mlflow-artifacts:/../x", "mlflow-artifacts:/x?y",
		"mlflow-artifacts:/", "mlflow-artifacts:/x#y", "mlflow-artifacts:/%2e%2e/x", "mlflow-artifacts:x"} {
		status, body := s.send(http.MethodPost, "/api/2.0/mlflow/experiments/create",
			`{"name": `+strconv.Quote(location)+`, "artifact_location": `+strconv.Quote(location)+`}`)
		if status != 400 || !strings.Contains(body, "is refused") {
			t.Errorf("an experiment at %s: %d %s", location, status, body)
		}
	}
	for _, location := range []string{"file://" + s.tr.ArtifactRoot() + "/mine", s.tr.ArtifactRoot() + "/mine/",
		"mlflow-artifacts:/mine", "mlflow-artifacts:///mine", "file:" + s.tr.ArtifactRoot() + "/m%69ne"} {
		if status, body := s.send(http.MethodPost, "/api/2.0/mlflow/experiments/create",
			`{"name": `+strconv.Quote(location)+`, "artifact_location": `+strconv.Quote(location)+`}`); status != 200 {
			t.Errorf("an experiment at %s: %d %s", location, status, body)
		}
		_, body := s.send(http.MethodGet, "/api/2.0/mlflow/experiments/get-by-name?experiment_name="+url.QueryEscape(location), "")
		if !strings.Contains(body, `"artifact_location":"mlflow-artifacts:/mine"`) {
			t.Errorf("the experiment at %s is %s", location, body)
		}
	}
	// What another program has stored leads no client away.
	for i, location := range []string{"https://evil.example/x", "mlflow-artifacts://evil.example/x", "file:///x/../y", "/x?y",
		"ftp://evil.example/x", "s3://bucket/x#y"} {
		_, err := s.tr.DB().Exec(`INSERT INTO public.experiments (experiment_id, name, artifact_location, lifecycle_stage)
			VALUES ($1, $2, $3, 'active')`, 100+i, "stored-"+location, location)
		expect.NoError(t, err)
		status, body := s.send(http.MethodPost, "/api/2.0/mlflow/runs/create", fmt.Sprintf(`{"experiment_id": "%d"}`, 100+i))
		if status != 400 || !strings.Contains(body, "is refused") {
			t.Errorf("a run at %s: %d %s", location, status, body)
		}
	}
	// A link is neither followed nor listed.
	status, body := s.send(http.MethodGet, "/api/2.0/mlflow/artifacts/list?run_id="+run, "")
	if status != 200 || !strings.Contains(body, `"files":[]`) {
		t.Errorf("listed: %d %s", status, body)
	}
	checkPlanted(t, s.tr.ArtifactRoot())
}

// What a client stores is what it reads, whole or not at all.
func TestArtifactsRoundTrip(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	content := string(bytes.Repeat([]byte{0, 1, 255, '\n'}, 1<<18))
	for _, name := range []string{"0/r/artifacts/a%20b.bin", "0/r/artifacts/Z%C3%BCrich/100%25"} {
		path := "/api/2.0/mlflow-artifacts/artifacts/" + name
		if status, body := s.send(http.MethodPut, path, content); status != 200 {
			t.Fatalf("%s: %d %s", name, status, body)
		}
		if status, body := s.send(http.MethodGet, path, ""); status != 200 || body != content {
			t.Errorf("%s: %d, %d bytes", name, status, len(body))
		}
	}
	_, list := s.send(http.MethodGet, "/api/2.0/mlflow-artifacts/artifacts?path=0/r/artifacts", "")
	if list != `{"files":[{"path":"Zürich","is_dir":true},{"path":"a b.bin","is_dir":false,"file_size":1048576}]}` {
		t.Errorf("listed: %s", list)
	}
	path := "/api/2.0/mlflow-artifacts/artifacts/0/r/artifacts/a%20b.bin"
	if status, body := s.send(http.MethodDelete, path, ""); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := s.send(http.MethodGet, path, ""); status != 404 {
		t.Errorf("after deleting: %d", status)
	}
	if status, _ := s.send(http.MethodDelete, "/api/2.0/mlflow-artifacts/artifacts/0", ""); status != 400 {
		t.Errorf("all runs of an experiment were deleted: %d", status)
	}
	// A file of no run would be in no backup and no purge, and could stand where an experiment's folder has to be.
	for _, name := range []string{"7", "7/r"} {
		status, body := s.send(http.MethodPut, "/api/2.0/mlflow-artifacts/artifacts/"+name, "x")
		if status != 400 || !strings.Contains(body, "artifacts of a run") {
			t.Errorf("a file %s was stored: %d %s", name, status, body)
		}
	}
}

// What a client asks wrongly is its own error, not the server's: MLflow's clients send the latter again and again.
func TestArtifactErrors(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const stored = "mlflow-artifacts/artifacts/0/r/artifacts/"
	for _, c := range []struct {
		method, path string
		status       int
		want         string
	}{
		{http.MethodPut, stored + "file", 200, "{}"},
		{http.MethodPut, stored + "folder/file", 200, "{}"},
		{http.MethodGet, stored + "file/x", 404, "a part of its path is a file"},
		{http.MethodPut, stored + "file/x", 400, "a part of its path is a file"},
		{http.MethodPut, stored + "file/x/y", 404, "a part of its path is a file"},
		{http.MethodDelete, stored + "file/x", 404, "a part of its path is a file"},
		{http.MethodGet, "mlflow-artifacts/artifacts?path=0/r/artifacts/file/x", 200, `"files":[]`},
		{http.MethodPut, stored + "folder", 400, "it is a folder"},
		{http.MethodGet, stored + "folder", 400, "is a folder"},
		{http.MethodPut, stored + strings.Repeat("x", 300), 400, "too long"},
		{http.MethodPut, stored + ".upload-x", 400, "this server's own"},
		// Each %25 is a layer of encoding.
		{http.MethodGet, stored + "%" + strings.Repeat("25", 20000), 400, "too long"},
		{http.MethodGet, "mlflow-artifacts/artifacts?path=0/r/artifacts", 200, `"folder","is_dir":true`},
	} {
		status, body := s.send(c.method, "/api/2.0/"+c.path, "content")
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %.80s: %d %.200s, want %d %s", c.method, c.path, status, body, c.status, c.want)
		}
	}
}

// MLflow 3.10 and newer have other tables: names of experiments are unique within a workspace.
func TestOnTablesOfMLflow3(t *testing.T) {
	t.Parallel()
	uri := trackertest.Database(t)
	made, err := os.ReadFile(filepath.Join("..", "..", "postgres", "testdata", "mlflow_3_17.sql"))
	expect.NoError(t, err)
	db, err := sqlx.Open("postgres", uri)
	expect.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(string(made))
	expect.NoError(t, err)
	s := newSiteOn(t, trackertest.StoreWith(t, uri, tracker.Options{}))
	var out struct {
		Experiment_id string
		Runs          []struct {
			Info struct{ Run_name string }
		}
		Run struct{ Info struct{ Run_id string } }
	}
	s.post("experiments/create", `{"name": "new"}`, &out)
	if status, body := s.send(http.MethodPost, "/api/2.0/mlflow/experiments/create", `{"name": "new"}`); status != 400 ||
		!strings.Contains(body, "RESOURCE_ALREADY_EXISTS") {
		t.Errorf("the name again: %d %s", status, body)
	}
	experiment := out.Experiment_id
	s.post("runs/create", `{"experiment_id": "`+experiment+`", "run_name": "r"}`, &out)
	s.post("runs/log-inputs", `{"run_id": "`+out.Run.Info.Run_id+`", "datasets": [{"dataset": {"name": "d", "digest": "1",
		"source_type": "local", "source": "x"}}]}`, nil)
	s.post("runs/search", `{"experiment_ids": ["`+experiment+`", "1"], "filter": "dataset.name = 'd'"}`, &out)
	if len(out.Runs) != 1 || out.Runs[0].Info.Run_name != "r" {
		t.Errorf("found %+v", out.Runs)
	}
	s.post("runs/search", `{"experiment_ids": ["1"], "filter": "metrics.loss < 1"}`, &out)
	if len(out.Runs) != 1 || out.Runs[0].Info.Run_name != "python-run" {
		t.Errorf("MLflow's own run: %+v", out.Runs)
	}
}
