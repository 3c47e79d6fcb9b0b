package postgres_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/bucket"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// machine is a tracker on the database of uri with a data directory of its own, whose artifacts are in the storage.
func machine(t *testing.T, uri string, storage *trackertest.Storage) *postgres.Store {
	t.Helper()
	return trackertest.StoreWith(t, uri, inStorage(t.TempDir(), storage.Login))
}

func inStorage(dir string, login tracker.BucketLogin) tracker.Options {
	return tracker.Options{DataDir: dir, ArtifactDir: "s3://runs/lab", Bucket: login, RetryFor: 300 * time.Millisecond}
}

// wrote writes a file of a run and publishes it.
func wrote(t *testing.T, run *tracker.Run, name, text string) error {
	t.Helper()
	file := filepath.Join(run.ArtifactDir(), name)
	noError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	noError(t, os.WriteFile(file, []byte(text), 0o644))
	return run.Publish(t.Context(), name)
}

// objects are the names and contents of what the storage has below a prefix.
func objects(t *testing.T, storage *trackertest.Storage, prefix string) map[string]string {
	t.Helper()
	s := must[*bucket.Store](t)(bucket.Open(bucket.Login(storage.Direct)))
	at := bucket.Place{Bucket: "runs", Prefix: prefix}
	found := map[string]string{}
	for _, o := range must[[]bucket.Object](t)(s.List(t.Context(), at)) {
		file := filepath.Join(t.TempDir(), "object")
		noError(t, s.Get(t.Context(), at.Join(o.Name), file))
		found[o.Name] = string(must[[]byte](t)(os.ReadFile(file)))
	}
	return found
}

func text(t *testing.T, run tracker.RunInfo, name string) string {
	t.Helper()
	dir := must[string](t)(run.ArtifactDir())
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	noError(t, err)
	return string(raw)
}

// What one machine publishes, others fetch; a run that another machine resumes has its newest files.
func TestArtifactsInABucket(t *testing.T) {
	t.Parallel()
	uri, storage := trackertest.Database(t), trackertest.NewStorage(t)
	home := t.TempDir()
	a, err := postgres.Open(t.Context(), uri, inStorage(home, storage.Login))
	noError(t, err)
	run := startRun(t, a, "r")
	noError(t, wrote(t, run, "config.yaml", "model: x"))
	noError(t, wrote(t, run, "state", "epoch 1"))
	noError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), "private"), nil, 0o644))
	noError(t, wrote(t, run, "evaluation/test.json", "{}"))
	code(t, run.Publish(t.Context(), "../../x"), tracker.CodeInvalid)

	b := machine(t, uri, storage)
	info := must[tracker.RunInfo](t)(b.FindRun(t.Context(), run.ID()))
	if want := "s3://runs/lab/1/" + run.ID() + "/artifacts"; info.ArtifactURI != want || !info.InBucket() {
		t.Errorf("the artifacts are at %s, want %s", info.ArtifactURI, want)
	}
	noError(t, b.Fetch(t.Context(), info, "state"))
	if text(t, info, "state") != "epoch 1" || text(t, info, "config.yaml") != "" {
		t.Error("one file was to be fetched")
	}
	noError(t, b.Fetch(t.Context(), info))
	if text(t, info, "config.yaml") != "model: x" || text(t, info, "evaluation/test.json") != "{}" {
		t.Error("not all was fetched")
	}
	names := slices.Collect(func(yield func(string) bool) {
		for _, o := range must[[]tracker.Object](t)(b.Objects(t.Context(), info)) {
			if !yield(o.Name) {
				return
			}
		}
	})
	if want := []string{"config.yaml", "evaluation/test.json", "state"}; !slices.Equal(names, want) {
		t.Errorf("listed are %q, want %q", names, want)
	}
	noError(t, run.Finish(t.Context(), tracker.Killed))
	noError(t, a.Close())

	again := must[*tracker.Run](t)(b.ResumeRun(t.Context(), run.ID()))
	noError(t, wrote(t, again, "state", "epoch 2"))
	noError(t, again.Finish(t.Context(), tracker.Killed))
	a = trackertest.StoreWith(t, uri, inStorage(home, storage.Login))
	third := must[*tracker.Run](t)(a.ResumeRun(t.Context(), run.ID()))
	if got := text(t, must[tracker.RunInfo](t)(a.FindRun(t.Context(), run.ID())), "state"); got != "epoch 2" {
		t.Errorf("the first machine resumes from %q", got)
	}
	noError(t, third.Finish(t.Context(), tracker.Finished))
	noError(t, third.Withdraw(t.Context(), "state", "none"))
	if left := objects(t, storage, "lab/1/"+run.ID()+"/artifacts"); len(left) != 2 || left["config.yaml"] != "model: x" {
		t.Errorf("the bucket has %q", left)
	}

	other := startRun(t, a, "other")
	noError(t, wrote(t, other, "file", "x"))
	noError(t, a.Delete(t.Context(), run.ID()))
	noError(t, a.Purge(t.Context(), run.ID()))
	left := objects(t, storage, "lab/1")
	if _, err := os.Stat(run.ArtifactDir()); len(left) != 1 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the bucket has %q after a purge, the copy here: %v", left, err)
	}
	// A run that claims another one's files, or what is not below the place of runs, is purged without them.
	for _, uri := range []string{"s3://runs/lab/1/" + other.ID() + "/artifacts", "s3://runs/lab", "s3://else/lab/1/x"} {
		liar := startRun(t, a, "liar")
		noError(t, liar.Finish(t.Context(), tracker.Finished))
		_, err := a.DB().Exec(`UPDATE public.runs SET artifact_uri = $2 WHERE run_uuid = $1`, liar.ID(), uri)
		noError(t, err)
		noError(t, a.Delete(t.Context(), liar.ID()))
		noError(t, a.Purge(t.Context(), liar.ID()))
	}
	if left := objects(t, storage, "lab/1"); len(left) != 1 || left[other.ID()+"/artifacts/file"] != "x" {
		t.Errorf("the bucket has %q", left)
	}
}

// While the storage is away, numbers are stored and files wait; a run is not finished before its files are there, also
// when its program ends first.
func TestStorageIsAway(t *testing.T) {
	t.Parallel()
	uri, storage, home := trackertest.Database(t), trackertest.NewStorage(t), t.TempDir()
	tr, err := postgres.Open(t.Context(), uri, inStorage(home, storage.Login))
	noError(t, err)
	run := startRun(t, tr, "r")
	noError(t, wrote(t, run, "state", "epoch 1"))
	for i, fault := range []func(){storage.Away, func() { storage.Cut(50) }} {
		fault()
		noError(t, run.LogMetrics(int64(i+1), map[string]float64{"loss": 0.5}))
		noError(t, wrote(t, run, "state", "epoch 2"))
		code(t, run.Flush(t.Context()), tracker.CodeSpooled)
		if points := must[[]tracker.Point](t)(tr.History(t.Context(), run.ID(), "loss")); len(points) != i+1 {
			t.Errorf("%d points are stored, want %d", len(points), i+1)
		}
		if got := objects(t, storage, "lab/1/"+run.ID()+"/artifacts")["state"]; got != "epoch 1" {
			t.Errorf("the state is %q", got)
		}
		storage.Mend()
	}
	noError(t, run.Flush(t.Context()))
	storage.Away()
	noError(t, wrote(t, run, "model", "weights"))
	err = run.Finish(t.Context(), tracker.Finished)
	code(t, err, tracker.CodeSpooled)
	if !strings.Contains(err.Error(), "its artifacts cannot be stored") {
		t.Errorf("the error is %v", err)
	}
	noError(t, tr.Close())

	var said []string
	o := inStorage(home, storage.Login)
	o.Say = func(line string) { said = append(said, line) }
	tr = trackertest.StoreWith(t, uri, o)
	if info := must[tracker.RunInfo](t)(tr.FindRun(t.Context(), run.ID())); info.Status != "RUNNING" {
		t.Errorf("the run is %s before its model is there", info.Status)
	}
	if !strings.Contains(strings.Join(said, "\n"), "cannot be reached") {
		t.Errorf("said %q", said)
	}
	storage.Mend()
	replayed := must[[]tracker.Replay](t)(tr.ReplaySpools(t.Context()))
	if len(replayed) != 1 || replayed[0].Status != tracker.Finished {
		t.Errorf("replayed %+v", replayed)
	}
	if got := objects(t, storage, "lab/1/"+run.ID()+"/artifacts"); got["model"] != "weights" || got["state"] != "epoch 2" {
		t.Errorf("the bucket has %q", got)
	}
}

// A worker that takes a run over has its own folder in the bucket, with what was published. The one that had the run
// cannot change it.
func TestTakeOverInABucket(t *testing.T) {
	t.Parallel()
	uri, storage := trackertest.Database(t), trackertest.NewStorage(t)
	a, b := machine(t, uri, storage), machine(t, uri, storage)
	enqueue(t, a, "s", "a")
	first := take(t, a, time.Minute)
	run, err := a.StartRun(t.Context(), tracker.RunSpec{Name: "r", Claim: first.Claim()})
	noError(t, err)
	noError(t, wrote(t, run, "best", "best 1"))
	noError(t, wrote(t, run, "state", "epoch 1"))
	lapse(t, a, first)
	second := take(t, b, time.Minute)
	again, err := b.ResumeClaimed(t.Context(), run.ID(), second.Claim())
	noError(t, err)
	info := must[tracker.RunInfo](t)(b.FindRun(t.Context(), run.ID()))
	if base := filepath.Base(info.ArtifactURI); base == "artifacts" || base != filepath.Base(again.ArtifactDir()) {
		t.Errorf("the successor's artifacts are at %s and %s", info.ArtifactURI, again.ArtifactDir())
	}
	if text(t, info, "state") != "epoch 1" || text(t, info, "best") != "best 1" {
		t.Error("the successor lacks files")
	}
	code(t, wrote(t, run, "state", "of the dead"), tracker.CodeFenced)
	noError(t, wrote(t, again, "state", "epoch 2"))
	code(t, run.Finish(t.Context(), tracker.Finished), tracker.CodeFenced)
	noError(t, again.Finish(t.Context(), tracker.Finished))
	all := objects(t, storage, "lab/0/"+run.ID())
	own := filepath.Base(info.ArtifactURI)
	if len(all) != 4 || all["artifacts/state"] != "epoch 1" || all[own+"/state"] != "epoch 2" {
		t.Errorf("the bucket has %q", all)
	}
	noError(t, b.DropOlder(t.Context(), info))
	all = objects(t, storage, "lab/0/"+run.ID())
	if len(all) != 2 || all[own+"/state"] != "epoch 2" || all[own+"/best"] != "best 1" {
		t.Errorf("the bucket has %q", all)
	}
}

// What is wrong with the storage is said before a run starts.
func TestStorageRefuses(t *testing.T) {
	t.Parallel()
	uri, storage := trackertest.Database(t), trackertest.NewStorage(t)
	wrong := storage.Login
	wrong.Key = "other"
	gone := storage.Login
	gone.Endpoint = "http://127.0.0.1:1"
	for _, test := range []struct {
		place string
		login tracker.BucketLogin
		want  string
	}{
		{"s3://none/lab", storage.Login, "has no bucket none; create it"},
		{"s3://runs/lab", wrong, "AWS_ACCESS_KEY_ID"},
		{"s3://runs/lab", gone, "cannot be reached"},
	} {
		o := inStorage(t.TempDir(), test.login)
		o.ArtifactDir = test.place
		tr := trackertest.StoreWith(t, uri, o)
		_, err := tr.StartRun(t.Context(), tracker.RunSpec{Name: "r"})
		wantCode(t, err, tracker.CodeUnavailable, test.want)
	}
	for _, place := range []string{"s3://key:secret@runs/lab", "gs://runs/lab", "s3://"} {
		o := inStorage(t.TempDir(), storage.Login)
		o.ArtifactDir = place
		_, err := postgres.Open(t.Context(), uri, o)
		wantCode(t, err, tracker.CodeInvalid, "s3://BUCKET/PREFIX")
	}
	run := startRun(t, machine(t, uri, storage), "r")
	without := trackertest.StoreWith(t, uri, tracker.Options{})
	info := must[tracker.RunInfo](t)(without.FindRun(t.Context(), run.ID()))
	_, err := info.ArtifactDir()
	wantCode(t, err, tracker.CodeUnavailable, "SPHERELAB_ARTIFACTS")
	if runs := must[[]tracker.RunInfo](t)(without.Runs(t.Context(), tracker.Filter{})); len(runs) != 1 {
		t.Errorf("%d runs were started, want 1", len(runs))
	}
}
