package mlflow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// slow returns a tracker that writes only when Flush is called, and its notices.
func (s *site) slow(t *testing.T, dir string) (*tracker.Tracker, *trackertest.Heard) {
	t.Helper()
	h := &trackertest.Heard{}
	return must[*tracker.Tracker](t)(open.Tracker(context.Background(), s.uri, tracker.Options{DataDir: dir,
		FlushEvery: time.Hour, RetryFor: 10 * time.Millisecond, Say: h.Say})), h
}

func spoolsIn(t *testing.T, dir string) []string {
	t.Helper()
	return must[[]string](t)(filepath.Glob(filepath.Join(dir, "spool", "*")))
}

// answer sets what answers the requests whose path contains a part, until the server itself answers again.
func (s *site) answer(part string, do http.HandlerFunc) {
	f := func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, part) {
			return false
		}
		do(w, r)
		return true
	}
	s.before.Store(&f)
}

// TestRemoteReplaySendsNothingTwice: no part of a long spool is sent again that is stored. MLflow's folders of files
// would store it twice.
func TestRemoteReplaySendsNothingTwice(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	dir := t.TempDir()
	tr, _ := s.slow(t, dir)
	run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "long"}))
	const points = 10500 // more than a part of the spool, and fewer than empty it
	for i := int64(1); i <= points; i++ {
		noError(t, run.LogMetrics(i, map[string]float64{"loss": 1 / float64(i)}))
	}
	noError(t, run.Flush(ctx))
	noError(t, run.LogMetrics(points+1, map[string]float64{"loss": 0}))
	sent := 0
	count := func(_ http.ResponseWriter, r *http.Request) bool {
		raw, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(raw))
		var body struct{ Metrics []any }
		if strings.HasSuffix(r.URL.Path, "log-batch") && json.Unmarshal(raw, &body) == nil {
			sent += len(body.Metrics)
		}
		return false
	}
	away := func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true }
	s.before.Store(&away)
	wantCode(t, run.Finish(ctx, tracker.Finished), tracker.CodeSpooled)
	noError(t, tr.Close())
	s.before.Store(&count)
	s.open(t, dir)
	if sent != 1 {
		t.Errorf("%d points were sent, want the one that was not stored", sent)
	}
	if got := must[[]tracker.Point](t)(s.stored.History(ctx, run.ID(), "loss")); len(got) != points+1 {
		t.Errorf("%d points are stored", len(got))
	}
}

// TestRemoteWaitsForTheServerBehindAProxy: an answer that is not of the API says nothing about the records. They are
// sent again, by this program or by the next one, and their spool keeps its name.
func TestRemoteWaitsForTheServerBehindAProxy(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	page := func(status int, kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
		}
	}
	for name, proxy := range map[string]http.HandlerFunc{
		"missing":   page(http.StatusNotFound, "text/plain", "404 page not found"),
		"login":     page(http.StatusOK, "text/html", "<html>please log in</html>"),
		"empty":     page(http.StatusOK, "application/json", ""),
		"forbidden": page(http.StatusForbidden, "text/html", "<html>no</html>"),
		"redirect":  http.RedirectHandler("/login", http.StatusTemporaryRedirect).ServeHTTP,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			dir := t.TempDir()
			tr := s.open(t, dir)
			run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "far"}))
			var asked atomic.Int64
			s.answer("log-batch", func(w http.ResponseWriter, r *http.Request) { asked.Add(1); proxy(w, r) })
			noError(t, run.LogMetrics(1, map[string]float64{"loss": 1}))
			for asked.Load() < 2 { // the background writer asks again
				time.Sleep(5 * time.Millisecond)
			}
			s.before.Store(nil)
			noError(t, run.Finish(ctx, tracker.Finished))

			tr2, _ := s.slow(t, dir)
			second := must[*tracker.Run](t)(tr2.StartRun(ctx, tracker.RunSpec{Name: "second"}))
			noError(t, second.LogMetrics(1, map[string]float64{"loss": 2}))
			s.answer("log-batch", proxy)
			wantCode(t, second.Finish(ctx, tracker.Finished), tracker.CodeSpooled)
			noError(t, tr2.Close())
			tr3, notices := s.slow(t, dir)
			noError(t, tr3.Close())
			left := spoolsIn(t, dir)
			if len(left) != 1 || !strings.HasSuffix(left[0], ".spool") || !notices.Has(left[0]+" stays") {
				t.Errorf("the spools are %v, the notices %q", left, notices.Lines())
			}
			s.before.Store(nil)
			s.open(t, dir)
			for id, want := range map[string]float64{run.ID(): 1, second.ID(): 2} {
				info := must[tracker.RunInfo](t)(s.stored.FindRun(ctx, id))
				if info.Status != string(tracker.Finished) || info.Metrics["loss"] != want {
					t.Errorf("the run is %+v", info)
				}
			}
			if left := spoolsIn(t, dir); len(left) != 0 {
				t.Errorf("spools are left: %v", left)
			}
		})
	}
}

// TestRemoteArtifactThatIsRefused: an artifact that a proxy does not let pass stays here, with a notice. The rest of
// the run is stored.
func TestRemoteArtifactThatIsRefused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	dir := t.TempDir()
	tr, notices := s.slow(t, dir)
	run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "far"}))
	s.answer("mlflow-artifacts/artifacts", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	})
	file := filepath.Join(run.ArtifactDir(), "model.bin")
	noError(t, os.WriteFile(file, []byte("large"), 0o644))
	noError(t, run.Publish(ctx, "model.bin"))
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 2}))
	noError(t, run.Finish(ctx, tracker.Finished))
	info := must[tracker.RunInfo](t)(s.stored.FindRun(ctx, run.ID()))
	if info.Status != string(tracker.Finished) || info.Metrics["loss"] != 2 || !notices.Has(file, "413") {
		t.Errorf("the run is %+v, the notices are %q", info, notices.Lines())
	}
	noError(t, tr.Close())
}

// TestRemoteArtifactWithAnEmptyAnswer: a server that takes an artifact may say nothing, as MLflow 3 does.
func TestRemoteArtifactWithAnEmptyAnswer(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	tr, notices := s.slow(t, t.TempDir())
	run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "far"}))
	var got atomic.Value
	s.answer("mlflow-artifacts/artifacts", func(_ http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got.Store(string(raw))
	})
	noError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), "model.bin"), []byte("weights"), 0o644))
	noError(t, run.Publish(ctx, "model.bin"))
	noError(t, run.Finish(ctx, tracker.Finished))
	if got.Load() != "weights" || len(notices.Lines()) != 0 {
		t.Errorf("the server has %q, the notices are %q", got.Load(), notices.Lines())
	}
	noError(t, tr.Close())
}

// TestRemoteSpoolThatIsRefused: a run whose records the server itself refuses does not stay RUNNING.
func TestRemoteSpoolThatIsRefused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	dir := t.TempDir()
	tr, _ := s.slow(t, dir)
	run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "far"}))
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 1}))
	s.answer("log-batch", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error_code": "INVALID_PARAMETER_VALUE", "message": "not like this"}`))
	})
	if err := run.Finish(ctx, tracker.Finished); err == nil {
		t.Error("refused records are not an error")
	}
	noError(t, tr.Close())
	s.open(t, dir)
	left := spoolsIn(t, dir)
	if len(left) != 1 || !strings.HasSuffix(left[0], ".refused") {
		t.Errorf("the spools are %v", left)
	}
	if info := must[tracker.RunInfo](t)(s.stored.FindRun(ctx, run.ID())); info.Status != string(tracker.Failed) {
		t.Errorf("the run is %s", info.Status)
	}
}
