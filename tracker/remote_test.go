package tracker_test

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/rest"
	"github.com/spherelab/spherelab/tracker/server/mlflow"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// site is a tracking server of this project and the tracker behind it.
type site struct {
	uri    string
	stored *tracker.Tracker
	before atomic.Pointer[func(http.ResponseWriter, *http.Request) bool] // answers itself if it returns true
	after  atomic.Pointer[func(*http.Request)]                           // may lose the answer
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{stored: trackertest.Open(t)}
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

// logged is a run with everything that a training logs.
func logged(t *testing.T, tr *tracker.Tracker) *tracker.Run {
	t.Helper()
	ctx := context.Background()
	params := map[string]string{"model": "sphere-2d", "text": "it's \"quoted\""}
	for i := range 150 { // more than fit into a request
		params["many/"+string(rune('a'+i%26))+strings.Repeat("x", i/26)] = "v"
	}
	run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "far", Name: "far-run", Params: params,
		Tags: map[string]string{"colour": "blue"}, Inputs: []tracker.Dataset{{Name: "umls", Digest: "abc",
			SourceType: "local", Source: "{}", Tags: map[string]string{"mlflow.data.context": "training"}}}}))
	for epoch := int64(1); epoch <= 20; epoch++ {
		noError(t, run.LogMetrics(epoch, map[string]float64{"loss": 1 / float64(epoch), "top-10/head f1": 0.5}))
	}
	noError(t, run.LogMetrics(20, map[string]float64{"odd/nan": math.NaN(), "odd/up": math.Inf(1)}))
	noError(t, run.LogRelations([]tracker.RelationResult{{Cut: "margin", Relation: "advised", Side: "head", F1: 0.25,
		Triples: 3, Queries: 2}}))
	for epoch := int64(1); epoch <= 2; epoch++ {
		noError(t, run.LogResults(epoch, []tracker.EvaluationResult{{Split: "valid", Cut: "top-10", Metric: "head_f1",
			Value: float64(epoch) / 8, Interval: true, Low: 0, High: 1}}, nil))
	}
	noError(t, run.SetTags(map[string]string{"after": "wards"}))
	noError(t, os.MkdirAll(filepath.Join(run.ArtifactDir(), "some folder"), 0o755))
	noError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), "some folder", "note 1.txt"), []byte("hello"), 0o644))
	noError(t, run.Publish(ctx, "some folder/note 1.txt", "missing.txt"))
	return run
}

// checkLogged compares what a tracker has of a run of logged.
func checkLogged(t *testing.T, tr *tracker.Tracker, id string, relations bool) {
	t.Helper()
	ctx := context.Background()
	info := must[tracker.RunInfo](t)(tr.FindRun(ctx, id))
	if info.Name != "far-run" || info.Experiment != "far" || info.Status != "FINISHED" || len(info.Params) != 152 ||
		info.Params["text"] != "it's \"quoted\"" || info.Tags["colour"] != "blue" || info.Tags["after"] != "wards" ||
		info.Metrics["loss"] != 0.05 || info.Steps["loss"] != 20 || !math.IsNaN(info.Metrics["odd/nan"]) ||
		!math.IsInf(info.Metrics["odd/up"], 1) || info.Start.IsZero() || info.End.Before(info.Start) {
		t.Errorf("the run is %+v", info)
	}
	points := must[[]tracker.MetricPoint](t)(tr.Points(ctx, id))
	if len(points) != 42 {
		t.Errorf("%d points, want 42", len(points))
	}
	loss := must[[]tracker.Point](t)(tr.History(ctx, id, "loss"))
	for i, p := range loss {
		if p.Step != int64(i)+1 || p.Value != 1/float64(i+1) {
			t.Errorf("point %d of loss is %+v", i, p)
		}
	}
	if len(loss) != 20 {
		t.Errorf("%d points of loss, want 20", len(loss))
	}
	if !relations {
		return
	}
	results := must[[]tracker.Point](t)(tr.History(ctx, id, "valid/top-10/head_f1"))
	if len(results) != 2 || results[1].Value != 0.25 || info.Metrics["valid/top-10/head_f1"] != 0.25 ||
		info.Metrics["valid/top-10/head_f1_hi"] != 1 || info.Steps["valid/top-10/head_f1"] != 2 {
		t.Errorf("the results are %v, %v", results, info.Metrics)
	}
	if list := must[[]tracker.RelationResult](t)(tr.Relations(ctx, id)); len(list) != 1 || list[0].F1 != 0.25 {
		t.Errorf("the results per relation are %+v", list)
	}
}

// TestRemoteRun: a run that is logged to a server is in its database, is read back, found, deleted and fetched.
func TestRemoteRun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	tr := s.open(t, t.TempDir())
	run := logged(t, tr)
	noError(t, run.Finish(ctx, tracker.Finished))
	checkLogged(t, s.stored, run.ID(), true)
	checkLogged(t, tr, run.ID(), true)
	var context string
	noError(t, connect(t, s.stored.URL()).Get(&context, `SELECT d.name || ' ' || t.value FROM datasets d
		JOIN inputs i ON i.source_id = d.dataset_uuid JOIN input_tags t USING (input_uuid) WHERE i.destination_id = $1`,
		run.ID()))
	if context != "umls training" {
		t.Errorf("the dataset is %q", context)
	}
	for _, ref := range []string{"last", "far-run", run.ID()[:9]} {
		if info := must[tracker.RunInfo](t)(tr.FindRun(ctx, ref)); info.ID != run.ID() {
			t.Errorf("%s is %s", ref, info.ID)
		}
	}
	for _, f := range []tracker.Filter{{Params: map[string]string{"model": "sphere-2d"}}, {Status: tracker.Finished},
		{Params: map[string]string{"text": "it's \"quoted\""}}, {Experiment: "far"}, {IDs: []string{run.ID()}}, {}} {
		if list := must[[]tracker.RunInfo](t)(tr.Runs(ctx, f)); len(list) != 1 {
			t.Errorf("%+v finds %d runs", f, len(list))
		}
	}
	for _, f := range []tracker.Filter{{Params: map[string]string{"model": "rotate"}}, {Deleted: true},
		{Params: map[string]string{"text": "it's"}}, {Experiment: "near"}, {IDs: []string{strings.Repeat("0", 32)}}} {
		if list := must[[]tracker.RunInfo](t)(tr.Runs(ctx, f)); len(list) != 0 {
			t.Errorf("%+v finds %d runs", f, len(list))
		}
	}

	other := s.open(t, t.TempDir()) // another machine
	info := must[tracker.RunInfo](t)(other.FindRun(ctx, run.ID()))
	checkLogged(t, other, run.ID(), true)
	noError(t, other.Fetch(ctx, info))
	dir := must[string](t)(info.ArtifactDir())
	if text, err := os.ReadFile(filepath.Join(dir, "some folder", "note 1.txt")); string(text) != "hello" {
		t.Errorf("the fetched artifact is %q, %v", text, err)
	}

	noError(t, other.Delete(ctx, run.ID()))
	_, err := tr.FindRun(ctx, "far-run")
	wantCode(t, err, tracker.CodeNotFound, "is deleted")
	noError(t, other.Restore(ctx, run.ID()))
	must[tracker.RunInfo](t)(tr.FindRun(ctx, "far-run"))
	_, err = tr.FindRun(ctx, "far-rum")
	wantCode(t, err, tracker.CodeNotFound, "nearest: far-run")
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
	run := logged(t, tr)
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
	checkLogged(t, s.stored, run.ID(), true)
}

// TestRemoteIsReplayed: a run that ends while the server is away is stored by the next program, and one whose program
// dies is marked as failed with all of its points, and can be resumed.
func TestRemoteIsReplayed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	dir := t.TempDir()
	tr := must[*tracker.Tracker](t)(tracker.Open(ctx, s.uri, tracker.Options{DataDir: dir, FlushEvery: time.Hour,
		RetryFor: 10 * time.Millisecond}))
	run := logged(t, tr)
	away := func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusBadGateway)
		return true
	}
	s.before.Store(&away)
	dead := "" // the id of a run that is not finished
	wantCode(t, run.Finish(ctx, tracker.Finished), tracker.CodeSpooled, "the tracking server fails", "next start")
	_, err := tr.FindRun(ctx, run.ID())
	wantCode(t, err, tracker.CodeUnavailable, "tracking server")
	s.before.Store(nil)
	second := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "far", Name: "second"}))
	dead = second.ID()
	noError(t, second.LogMetrics(1, map[string]float64{"loss": 2}))
	noError(t, tr.Close())

	again := s.open(t, dir)
	checkLogged(t, s.stored, run.ID(), true)
	info := must[tracker.RunInfo](t)(s.stored.FindRun(ctx, dead))
	if info.Status != string(tracker.Failed) || info.Metrics["loss"] != 2 {
		t.Errorf("the dead run is %+v", info)
	}
	resumed := must[*tracker.Run](t)(again.ResumeRun(ctx, dead))
	noError(t, resumed.LogMetrics(1, map[string]float64{"loss": 2})) // the same as before
	wantCode(t, resumed.LogMetrics(1, map[string]float64{"loss": 3}), tracker.CodeConflict, "was logged again")
	noError(t, resumed.LogMetrics(2, map[string]float64{"loss": 1}))
	_, err = again.ResumeRun(ctx, dead)
	wantCode(t, err, tracker.CodeBusy)
	wantCode(t, again.Delete(ctx, dead), tracker.CodeBusy)
	noError(t, resumed.Finish(ctx, tracker.Finished))
	if points := must[[]tracker.Point](t)(s.stored.History(ctx, dead, "loss")); len(points) != 2 {
		t.Errorf("the resumed run has the points %v", points)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "spool", "*")); len(left) != 0 {
		t.Errorf("spools are left: %v", left)
	}
}

// TestRemoteSays: what a server cannot do, or does not want, is said with the remedy.
func TestRemoteSays(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	tr := s.open(t, t.TempDir())
	_, err := tr.SQL(ctx, "select 1")
	wantCode(t, err, tracker.CodeUnsupported, s.uri, "needs its database")
	wantHints(t, err, hint.NameTracker)
	wantCode(t, tr.NeedSQL(), tracker.CodeUnsupported)

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
		other, err := tracker.Open(ctx, uri, o)
		if err == nil {
			err = other.Close()
		}
		return err
	}
	err = open(s.uri, tracker.Options{})
	wantCode(t, err, tracker.CodeUnavailable, "refuses", "401")
	wantHints(t, err, hint.NameToken)
	noError(t, open(s.uri, tracker.Options{Login: rest.Login{Token: token}}))

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
	full := logged(t, tr)
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

// TestRemoteGroup: there is one group of a name. It is found by its name and id only, and takes what is in no other.
func TestRemoteGroup(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSite(t)
	spec := tracker.GroupSpec{Experiment: "far", Kind: "sweep", Name: "sweep.yaml", Tags: map[string]string{"a": "b"},
		Files: map[string][]byte{"sweep.yaml": []byte("runs:")}}
	run := logged(t, s.open(t, t.TempDir()))
	noError(t, run.Finish(ctx, tracker.Finished))
	one := s.open(t, t.TempDir())
	id := must[string](t)(one.OpenGroup(ctx, spec))
	if other := must[string](t)(s.open(t, t.TempDir()).OpenGroup(ctx, spec)); other != id {
		t.Errorf("groups %s and %s", id, other)
	}
	noError(t, one.SetParent(ctx, must[tracker.RunInfo](t)(one.FindRun(ctx, run.ID())), id))
	other := must[string](t)(one.OpenGroup(ctx, tracker.GroupSpec{Experiment: "far", Kind: "sweep", Name: "other"}))
	noError(t, one.SetParent(ctx, must[tracker.RunInfo](t)(one.FindRun(ctx, run.ID())), other))
	noError(t, one.SetGroup(ctx, id, tracker.GroupState{Status: tracker.Finished, Tags: map[string]string{"best": "x"},
		Metrics: map[string]float64{"valid/mrr": 0.5}}))
	for _, tr := range []*tracker.Tracker{one, s.stored} {
		if again := must[string](t)(tr.OpenGroup(ctx, spec)); tr == one && again != id {
			t.Errorf("the group is %s, then %s", id, again)
		}
		if last := must[tracker.RunInfo](t)(tr.FindRun(ctx, "last")); last.ID != run.ID() || last.Tags[tracker.TagParent] != id {
			t.Errorf("the newest run is %+v", last)
		}
		if all := must[[]tracker.RunInfo](t)(tr.Runs(ctx, tracker.Filter{})); len(all) != 1 {
			t.Errorf("%d runs", len(all))
		}
		group := must[tracker.RunInfo](t)(tr.FindRun(ctx, id[:12]))
		if group.Name != "sweep.yaml" || group.Tags["best"] != "x" || group.Metrics["valid/mrr"] != 0.5 {
			t.Errorf("the group is %+v", group)
		}
	}
	dir := must[string](t)(must[tracker.RunInfo](t)(s.stored.FindRun(ctx, id)).ArtifactDir())
	if text, err := os.ReadFile(filepath.Join(dir, "sweep.yaml")); err != nil || string(text) != "runs:" {
		t.Errorf("the server keeps %q, %v", text, err)
	}
}
