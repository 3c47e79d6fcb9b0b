package mlflow

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker/postgres"
)

// Prefixes are the paths that MLflow's clients and its own pages request. The API serves those of REST 2.0. For the
// others it returns MLflow's error for an unknown endpoint.
var Prefixes = []string{"/api/", "/ajax-api/", "/version", "/get-artifact", "/graphql", "/gateway/", "/v1/",
	"/model-versions/"}

// version is the version that MLflow's clients receive. They ask which features the server has, and runs are as in this
// one.
const version = "2.22.0"

// API answers MLflow's requests.
type API struct {
	t         *postgres.Store
	db        *sqlx.DB
	root      *os.Root // of artifacts; nothing outside can be reached through it
	say       func(string)
	host      string // this machine, as heartbeats name it
	endpoints map[string]endpoint
}

// answer returns the answer to a request, a value for JSON.
type answer func(ctx context.Context, r *http.Request) (any, error)

// endpoint has the answers at a path, by method.
type endpoint map[string]answer

// New makes an API over a tracker. say receives the causes of errors that clients only see as INTERNAL_ERROR; it may be
// nil. Close releases the folder of artifacts.
func New(t *postgres.Store, say func(string)) (*API, error) {
	if say == nil {
		say = func(string) {}
	}
	if err := os.MkdirAll(t.ArtifactRoot(), 0o755); err != nil {
		return nil, fmt.Errorf("creating the folder of artifacts: %w", err)
	}
	root, err := os.OpenRoot(t.ArtifactRoot())
	if err != nil {
		return nil, fmt.Errorf("opening the folder of artifacts: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown" // as trackers without a name write it
	}
	a := &API{t: t, db: t.DB(), root: root, say: say, host: host}
	get := func(f answer) endpoint { return endpoint{http.MethodGet: f} }
	post := func(f answer) endpoint { return endpoint{http.MethodPost: f} }
	both := func(f answer) endpoint { return endpoint{http.MethodGet: f, http.MethodPost: f} }
	a.endpoints = map[string]endpoint{
		"mlflow/experiments/create":                post(a.createExperiment),
		"mlflow/experiments/get":                   get(a.getExperiment),
		"mlflow/experiments/get-by-name":           get(a.getExperimentByName),
		"mlflow/experiments/search":                both(a.searchExperiments),
		"mlflow/experiments/update":                post(a.updateExperiment),
		"mlflow/experiments/delete":                post(a.deleteExperiment),
		"mlflow/experiments/restore":               post(a.restoreExperiment),
		"mlflow/experiments/set-experiment-tag":    post(a.setExperimentTag),
		"mlflow/experiments/delete-experiment-tag": post(a.deleteExperimentTag),
		"mlflow/runs/create":                       post(a.createRun),
		"mlflow/runs/get":                          get(a.getRun),
		"mlflow/runs/update":                       post(a.updateRun),
		"mlflow/runs/delete":                       post(a.deleteRun),
		"mlflow/runs/restore":                      post(a.restoreRun),
		"mlflow/runs/search":                       post(a.searchRuns),
		"mlflow/runs/set-tag":                      post(a.setTag),
		"mlflow/runs/delete-tag":                   post(a.deleteTag),
		"mlflow/runs/log-metric":                   post(a.logMetric),
		"mlflow/runs/log-parameter":                post(a.logParam),
		"mlflow/runs/log-batch":                    post(a.logBatch),
		"mlflow/runs/log-inputs":                   post(a.logInputs),
		"mlflow/metrics/get-history":               get(a.history),
		"mlflow/metrics/get-history-bulk-interval": get(a.historyBulkInterval),
		"mlflow/artifacts/list":                    get(a.listArtifacts),
		"mlflow-artifacts/artifacts":               get(a.listStored),
		"mlflow/logged-models/search":              post(a.searchModels),
	}
	return a, nil
}

// Close releases the folder of artifacts.
func (a *API) Close() error { return a.root.Close() }

// apiTime limits the work on a request that is not an artifact, or on a part of a large answer.
const apiTime = 2 * time.Minute

// Uploads reports whether a request stores an artifact, whose body may take long.
func Uploads(r *http.Request) bool {
	_, ok := strings.CutPrefix(apiPath(r), "mlflow-artifacts/artifacts/")
	return ok && r.Method == http.MethodPut
}

// apiPath returns a request's path without the prefix of the API.
func apiPath(r *http.Request) string {
	return strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/ajax-api/2.0/"), "/api/2.0/")
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := a.serve(w, r); err != nil {
		f := asFault(err)
		if f.code == "INTERNAL_ERROR" && r.Context().Err() == nil {
			a.say(fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, err))
		}
		f.write(w)
	}
}

func (a *API) serve(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Path == "/version" {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			return faultf("BAD_REQUEST", "the version is read with GET")
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, err := w.Write([]byte(version))
		return err
	}
	if r.URL.Path == "/get-artifact" {
		return a.getRunArtifact(w, r)
	}
	path := apiPath(r)
	if name, ok := strings.CutPrefix(path, "mlflow-artifacts/artifacts/"); ok {
		return a.serveArtifact(w, r, name)
	}
	if path == "mlflow/get-artifact" {
		return a.getRunArtifact(w, r)
	}
	found, ok := a.endpoints[path]
	if !ok {
		return faultf("ENDPOINT_NOT_FOUND", "this server has no %.200q", r.URL.Path)
	}
	do, ok := found[r.Method]
	if !ok {
		return faultf("BAD_REQUEST", "%.200q does not take %.20q", r.URL.Path, r.Method)
	}
	ctx, cancel := context.WithTimeout(r.Context(), apiTime)
	defer cancel()
	result, err := do(ctx, r)
	if err != nil {
		return err
	}
	if s, ok := result.(stream); ok {
		return a.send(w, r, s)
	}
	writeJSON(w, http.StatusOK, result)
	return nil
}

// read decodes a request: the body of a POST, the query of a GET.
func read(r *http.Request, into any) error {
	if r.Method != http.MethodGet {
		return decode(r, longestRequest, into)
	}
	query, err := url.ParseQuery(r.URL.RawQuery) // Query drops what it cannot read
	if err != nil || !utf8.ValidString(strings.Join(slices.Concat(slices.Collect(maps.Values(query))...), "")) {
		return faultf("BAD_REQUEST", "the query of the address cannot be read")
	}
	fields := map[string]any{}
	for name, values := range query {
		if name == "run_ids" || name == "order_by" { // lists
			fields[name] = values
		} else {
			fields[name] = values[0]
		}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return unmarshal(raw, into)
}

// empty is the answer to requests that only change something.
type empty struct{}
