package mlflow_test

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/backendtest"
)

// TestRemoteReaderBesideAWriter: a program that reads runs while another one with the same data directory sends results
// changes nothing, and reads what the server has.
func TestRemoteReaderBesideAWriter(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	dir := t.TempDir()
	writer, _ := s.slow(t, dir)
	reader, _ := s.slow(t, dir)
	run := must[*tracker.Run](t)(writer.StartRun(ctx, tracker.RunSpec{Name: "race"}))
	log := func(step int64) {
		noError(t, run.LogResults(step, []tracker.EvaluationResult{{Split: "valid", Metric: "mrr", Value: float64(step)}},
			nil))
		noError(t, run.LogRelations([]tracker.RelationResult{{Cut: "margin", Relation: string(rune('a' + step)),
			Side: "head", F1: float64(step)}}))
	}
	log(1)
	noError(t, run.Flush(ctx))
	log(2)
	var reads atomic.Int64
	read := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			list, err := reader.Runs(ctx, tracker.Filter{})
			if err != nil || len(list) != 1 || list[0].Metrics["valid/mrr"] != 1 {
				t.Errorf("runs while results are sent: %v, %v", list, err)
			}
			if list, err := reader.Relations(ctx, run.ID()); err != nil || len(list) == 0 {
				t.Errorf("results per relation while they are sent: %v, %v", list, err)
			}
			reads.Add(1)
		}
		return false
	}
	s.before.Store(&read)
	noError(t, run.Flush(ctx))
	if reads.Load() != 2 {
		t.Errorf("%d files were sent", reads.Load())
	}
	s.before.Store(nil)
	log(3)
	noError(t, run.Finish(ctx, tracker.Finished))
	for i, tr := range []*tracker.Tracker{writer, reader, s.open(t, t.TempDir())} {
		results := must[[]tracker.EvaluationResult](t)(tr.Results(ctx, run.ID()))
		relations := must[[]tracker.RelationResult](t)(tr.Relations(ctx, run.ID()))
		if len(results) != 3 || len(relations) != 3 || results[2].Value != 3 {
			t.Errorf("tracker %d has %v and %v", i, results, relations)
		}
	}
	for _, tr := range []*tracker.Tracker{writer, reader} {
		noError(t, tr.Close())
	}
}

// TestRemoteResultsOfTwoMachines: a run that is resumed elsewhere has the results of both machines, and so has the
// first one when it resumes the run again.
func TestRemoteResultsOfTwoMachines(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	one, two := s.open(t, t.TempDir()), s.open(t, t.TempDir())
	log := func(run *tracker.Run, step int64) {
		t.Helper()
		noError(t, run.LogResults(step, []tracker.EvaluationResult{{Split: "valid", Metric: "mrr", Value: float64(step)}},
			nil))
		noError(t, run.Finish(ctx, tracker.Finished))
	}
	run := must[*tracker.Run](t)(one.StartRun(ctx, tracker.RunSpec{Name: "far"}))
	log(run, 1)
	for i, tr := range []*tracker.Tracker{two, one, two} {
		log(must[*tracker.Run](t)(tr.ResumeRun(ctx, run.ID())), int64(i)+2)
	}
	for _, tr := range []*tracker.Tracker{one, two, s.open(t, t.TempDir())} {
		if list := must[[]tracker.EvaluationResult](t)(tr.Results(ctx, run.ID())); len(list) != 4 {
			t.Errorf("the results are %v", list)
		}
	}
}

// TestRemoteResultsThatStayElsewhere: a reader is told where results are that the server did not take. Lists have the
// rest of the run.
func TestRemoteResultsThatStayElsewhere(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	tr := s.open(t, t.TempDir())
	s.answer("mlflow-artifacts/artifacts", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
	})
	run := backendtest.Logged(t, tr)
	noError(t, run.Finish(ctx, tracker.Finished))
	backendtest.CheckLogged(t, tr, run.ID(), true)
	other := s.open(t, t.TempDir())
	backendtest.CheckLogged(t, other, run.ID(), false)
	for _, read := range []func() error{
		func() error { _, err := other.Results(ctx, run.ID()); return err },
		func() error { _, err := other.Relations(ctx, run.ID()); return err },
	} {
		wantCode(t, read(), tracker.CodeNotFound, "on the machine that logged the run")
	}
}

// TestRemoteSpoolOfAnotherDatabase: a server whose database was changed does not know the run. Its spool waits until
// the server knows it again.
func TestRemoteSpoolOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s, wrong := newSite(t), newSite(t)
	dir := t.TempDir()
	tr, _ := s.slow(t, dir)
	run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "far"}))
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 2}))
	s.answer("", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	wantCode(t, run.Finish(ctx, tracker.Finished), tracker.CodeSpooled)
	noError(t, tr.Close())
	s.answer("", httputil.NewSingleHostReverseProxy(must[*url.URL](t)(url.Parse(wrong.uri))).ServeHTTP)
	tr, notices := s.slow(t, dir)
	noError(t, tr.Close())
	left := spoolsIn(t, dir)
	if len(left) != 1 || !strings.HasSuffix(left[0], ".spool") || !notices.Has(run.ID(), left[0]+" stays") {
		t.Errorf("the spools are %v, the notices %q", left, notices.Lines())
	}
	s.before.Store(nil)
	s.open(t, dir)
	info := must[tracker.RunInfo](t)(s.stored.FindRun(ctx, run.ID()))
	if info.Status != string(tracker.Finished) || info.Metrics["loss"] != 2 || len(spoolsIn(t, dir)) != 0 {
		t.Errorf("the run is %+v, the spools are %v", info, spoolsIn(t, dir))
	}
}

// TestRemoteStartThatIsInterrupted: a run whose creation is interrupted while the server answers does not stay RUNNING.
func TestRemoteStartThatIsInterrupted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx, cancel := context.WithCancel(context.Background())
	tr := s.open(t, t.TempDir())
	interrupt := func(r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "runs/create") {
			cancel()
			<-r.Context().Done() // until the client has gone
		}
	}
	s.after.Store(&interrupt)
	if _, err := tr.StartRun(ctx, tracker.RunSpec{Name: "orphan"}); err == nil {
		t.Error("the run was started")
	}
	info := must[tracker.RunInfo](t)(s.stored.FindRun(context.Background(), "orphan"))
	if info.Status != string(tracker.Failed) {
		t.Errorf("the run is %s", info.Status)
	}
}

// TestRemoteFetchLeavesARunThatIsWritten: fetching the artifacts of a run that this machine writes changes none.
func TestRemoteFetchLeavesARunThatIsWritten(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	dir := t.TempDir()
	writer, reader := s.open(t, dir), s.open(t, dir)
	run := backendtest.Logged(t, writer)
	file := filepath.Join(run.ArtifactDir(), "some folder", "note 1.txt")
	noError(t, os.Remove(file))
	noError(t, reader.Fetch(ctx, must[tracker.RunInfo](t)(reader.FindRun(ctx, run.ID()))))
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file is there again: %v", err)
	}
	noError(t, run.Finish(ctx, tracker.Finished))
	noError(t, reader.Fetch(ctx, must[tracker.RunInfo](t)(reader.FindRun(ctx, run.ID()))))
	if text, err := os.ReadFile(file); string(text) != "hello" {
		t.Errorf("the fetched file is %q, %v", text, err)
	}
}

// TestRemoteReadsRunsOfTheDatabase: a run that is logged to the server's database has its results for clients, also
// those that are added later. A file of that name that is of another program stays an artifact.
func TestRemoteReadsRunsOfTheDatabase(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	tr := s.open(t, t.TempDir())
	run := backendtest.Logged(t, s.stored.Tracker)
	noError(t, run.Finish(ctx, tracker.Finished))
	backendtest.CheckLogged(t, tr, run.ID(), true)
	again := must[*tracker.Run](t)(s.stored.ResumeRun(ctx, run.ID()))
	noError(t, again.LogResults(3, []tracker.EvaluationResult{{Split: "test", Metric: "mrr", Value: 0.5}}, nil))
	noError(t, again.Finish(ctx, tracker.Finished))
	want := must[[]tracker.EvaluationResult](t)(s.stored.Results(ctx, run.ID()))
	got := must[[]tracker.EvaluationResult](t)(tr.Results(ctx, run.ID()))
	if len(want) != 3 || !slices.Equal(got, want) {
		t.Errorf("the results are %v, want %v", got, want)
	}
	remote := must[*tracker.Run](t)(tr.ResumeRun(ctx, run.ID()))
	noError(t, remote.LogResults(4, []tracker.EvaluationResult{{Split: "test", Metric: "mrr", Value: 0.25}}, nil))
	noError(t, remote.Finish(ctx, tracker.Finished))
	for i, tr := range []*tracker.Tracker{tr, s.stored.Tracker, s.open(t, t.TempDir())} {
		if list := must[[]tracker.EvaluationResult](t)(tr.Results(ctx, run.ID())); len(list) != 4 {
			t.Errorf("tracker %d has the results %v", i, list)
		}
	}

	other := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "other"}))
	file := filepath.Join(other.ArtifactDir(), filepath.FromSlash(tracker.ResultArtifact))
	noError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	noError(t, os.WriteFile(file, []byte("{\"mine\": 1}\n"), 0o644))
	noError(t, other.Publish(ctx, tracker.ResultArtifact))
	noError(t, other.Finish(ctx, tracker.Finished))
	dir := must[string](t)(must[tracker.RunInfo](t)(s.stored.FindRun(ctx, other.ID())).ArtifactDir())
	if text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(tracker.ResultArtifact))); err != nil ||
		string(text) != "{\"mine\": 1}\n" {
		t.Errorf("the server keeps %q, %v", text, err)
	}
	if list := must[[]tracker.EvaluationResult](t)(s.stored.Results(ctx, other.ID())); len(list) != 0 {
		t.Errorf("the results are %v", list)
	}
}
