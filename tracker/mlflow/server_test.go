package mlflow_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/backendtest"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/server/mlflow"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// site is a tracking server of this project and the tracker behind it.
type site struct {
	uri    string
	stored *postgres.Store
	before atomic.Pointer[func(http.ResponseWriter, *http.Request) bool] // answers itself if it returns true
	after  atomic.Pointer[func(*http.Request)]                           // may lose the answer
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{stored: trackertest.Store(t)}
	api := must[*mlflow.API](t)(mlflow.New(s.stored, func(line string) { t.Log(line) }))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f := s.before.Load(); f != nil && (*f)(w, r) {
			return
		}
		kept := httptest.NewRecorder()
		api.ServeHTTP(kept, r)
		if f := s.after.Load(); f != nil {
			(*f)(r)
		}
		for key, values := range kept.Header() {
			w.Header()[key] = values
		}
		w.WriteHeader(kept.Code)
		_, _ = w.Write(kept.Body.Bytes())
	}))
	t.Cleanup(func() { server.Close(); api.Close() })
	s.uri = server.URL
	return s
}

// open returns a tracker of the site with a data directory.
func (s *site) open(t *testing.T, dir string) *tracker.Tracker {
	t.Helper()
	return trackertest.OpenWith(t, s.uri, tracker.Options{DataDir: dir, FlushEvery: 10 * time.Millisecond})
}

// TestRemoteRun: what a run has used is in the database of the server.
func TestRemoteRun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	tr := s.open(t, t.TempDir())
	run := backendtest.Logged(t, tr)
	noError(t, run.Finish(ctx, tracker.Finished))
	var context string
	noError(t, connect(t, s.stored.URL()).Get(&context, `SELECT d.name || ' ' || t.value FROM datasets d
		JOIN inputs i ON i.source_id = d.dataset_uuid JOIN input_tags t USING (input_uuid) WHERE i.destination_id = $1`,
		run.ID()))
	if context != "umls training" {
		t.Errorf("the dataset is %q", context)
	}
}

// TestRemoteLosesNothing: answers that are lost, and a server that is away, neither lose nor double anything.
func TestRemoteLosesNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	tr := s.open(t, t.TempDir())
	var lost sync.Map
	lose := func(r *http.Request) { // the first request of each kind is done, and not answered
		if _, again := lost.LoadOrStore(r.Method+r.URL.Path, true); !again {
			panic(http.ErrAbortHandler)
		}
	}
	s.after.Store(&lose)
	run := backendtest.Logged(t, tr)
	noError(t, run.Finish(ctx, tracker.Finished))
	s.after.Store(nil)
	for _, path := range []string{"mlflow/experiments/create", "mlflow/runs/create", "mlflow/runs/log-batch",
		"mlflow/runs/log-inputs", "mlflow/runs/update"} {
		if _, ok := lost.Load("POST/api/2.0/" + path); !ok {
			t.Errorf("no answer of %s was lost", path)
		}
	}
	if list := must[[]tracker.RunInfo](t)(s.stored.Runs(ctx, tracker.Filter{})); len(list) != 1 {
		t.Errorf("there are %d runs, want 1", len(list))
	}
	backendtest.CheckLogged(t, s.stored.Tracker, run.ID(), true)
}

// TestRemoteSays: what a server cannot do, or does not want, is said with the remedy.
func TestRemoteSays(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	tr := s.open(t, t.TempDir())
	_, err := postgres.Of(tr)
	wantCode(t, err, tracker.CodeUnsupported, s.uri, "needs its database")
	wantHints(t, err, hint.NameTracker)

	const token = "a-token-of-tests"
	locked := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "Bearer "+token {
			return false
		}
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	s.before.Store(&locked)
	open := func(uri string, o tracker.Options) error {
		o.DataDir, o.RetryFor = t.TempDir(), time.Millisecond
		other, err := open.Tracker(ctx, uri, o)
		if err == nil {
			err = other.Close()
		}
		return err
	}
	err = open(s.uri, tracker.Options{})
	wantCode(t, err, tracker.CodeUnavailable, "refuses", "401")
	wantHints(t, err, hint.NameToken)
	noError(t, open(s.uri, tracker.Options{Login: tracker.Login{Token: token}}))

	err = open(strings.Replace(s.uri, "://", "://user:hidden@", 1), tracker.Options{})
	wantCode(t, err, tracker.CodeInvalid, "password")
	if strings.Contains(err.Error(), "hidden") {
		t.Error("the error repeats the password")
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html>hello</html>"))
	}))
	defer page.Close()
	wantCode(t, open(page.URL, tracker.Options{}), tracker.CodeUnavailable, "is this the address of a tracking server?")
	wantCode(t, open("http://127.0.0.1:1", tracker.Options{}), tracker.CodeUnavailable, "cannot be reached", "refused")
	wantCode(t, open(strings.Replace(s.uri, "http:", "https:", 1), tracker.Options{}), tracker.CodeUnavailable,
		"write its address with http://")
}

// TestRemoteArtifactThatIsNotThere: MLflow 2's server fails with status 500 where an artifact is missing. A run is
// resumed all the same, and a server that fails although the artifact is there is not taken for one that lacks it.
func TestRemoteArtifactThatIsNotThere(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	tr := s.open(t, t.TempDir())
	missing := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "without"}))
	noError(t, missing.Finish(ctx, tracker.Killed))
	full := backendtest.Logged(t, tr)
	noError(t, full.Finish(ctx, tracker.Killed))
	fail := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "mlflow-artifacts/artifacts/") {
			return false
		}
		w.WriteHeader(http.StatusInternalServerError)
		return true
	}
	s.before.Store(&fail)
	again := must[*tracker.Run](t)(s.open(t, t.TempDir()).ResumeRun(ctx, missing.ID()))
	noError(t, again.Finish(ctx, tracker.Finished))
	if _, err := s.open(t, t.TempDir()).Relations(ctx, full.ID()); err == nil || !strings.Contains(err.Error(), "500") {
		t.Errorf("results that the server cannot give are %v", err)
	}
}
