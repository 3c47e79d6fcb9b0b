package backendtest

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// lostAnswers: what the store has done and not confirmed is done once.
func lostAnswers(t *testing.T, s Site) {
	ctx := context.Background()
	tr := open(t, s, t.TempDir())
	s.LoseAnswers()
	run := Logged(t, tr)
	if !s.Lost() {
		t.Error("no answer was lost at the start")
	}
	s.LoseAnswers()
	expect.NoError(t, run.LogMetrics(20, map[string]float64{"late": 1}))
	expect.NoError(t, run.Finish(ctx, tracker.Finished))
	if !s.Lost() {
		t.Error("no answer was lost at the end")
	}
	if list := expect.Must[[]tracker.RunInfo](t)(s.Stored().Runs(ctx, tracker.Filter{})); len(list) != 1 {
		t.Errorf("there are %d runs, want 1", len(list))
	}
	points := expect.Must[[]tracker.Point](t)(s.Stored().History(ctx, run.ID(), "late"))
	if len(points) != 1 {
		t.Errorf("the point is stored %d times", len(points))
	}
	if loss := expect.Must[[]tracker.Point](t)(s.Stored().History(ctx, run.ID(), "loss")); len(loss) != 20 {
		t.Errorf("%d points of loss, want 20", len(loss))
	}
}

// awayAtTheEnd: a run that ends while the store is away is stored by the next program.
func awayAtTheEnd(t *testing.T, s Site) {
	ctx := context.Background()
	dir := t.TempDir()
	tr := slow(t, s, dir, nil)
	run := Logged(t, tr)
	s.Away()
	trackertest.WantCode(t, run.Finish(ctx, tracker.Finished), tracker.CodeSpooled, "are safe in", "next start")
	_, err := tr.FindRun(ctx, run.ID())
	trackertest.WantCode(t, err, tracker.CodeUnavailable)
	expect.NoError(t, tr.Close())
	s.Back()
	CheckLogged(t, open(t, s, dir), run.ID(), true)
	noSpools(t, dir)
}

// killedProgram: a run whose program dies is FAILED with all of its points, and can be resumed by one program.
func killedProgram(t *testing.T, s Site) {
	ctx := context.Background()
	dir := t.TempDir()
	tr := slow(t, s, dir, nil)
	run := expect.Must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "far", Name: "dead"}))
	expect.NoError(t, run.LogMetrics(1, map[string]float64{"loss": 2}))
	s.Away() // else Close stores the records
	if err := tr.Close(); err == nil {
		t.Error("records were stored that cannot be")
	}
	s.Back()
	again := open(t, s, dir)
	info := expect.Must[tracker.RunInfo](t)(s.Stored().FindRun(ctx, run.ID()))
	if info.Status != string(tracker.Failed) || info.Metrics["loss"] != 2 {
		t.Errorf("the dead run is %+v", info)
	}
	resumed := expect.Must[*tracker.Run](t)(again.ResumeRun(ctx, run.ID()))
	expect.NoError(t, resumed.LogMetrics(1, map[string]float64{"loss": 2})) // the same as before
	trackertest.WantCode(t, resumed.LogMetrics(1, map[string]float64{"loss": 3}), tracker.CodeConflict, "was logged again")
	expect.NoError(t, resumed.LogMetrics(2, map[string]float64{"loss": 1}))
	_, err := again.ResumeRun(ctx, run.ID())
	trackertest.WantCode(t, err, tracker.CodeBusy)
	trackertest.WantCode(t, again.Delete(ctx, run.ID()), tracker.CodeBusy)
	expect.NoError(t, resumed.Finish(ctx, tracker.Finished))
	points := expect.Must[[]tracker.Point](t)(s.Stored().History(ctx, run.ID(), "loss"))
	if len(points) != 2 {
		t.Errorf("the resumed run has the points %v", points)
	}
	noSpools(t, dir)
}

// longSpool: a replay stores no point twice, whose answer may have been lost.
func longSpool(t *testing.T, s Site) {
	ctx := context.Background()
	dir := t.TempDir()
	tr := slow(t, s, dir, nil)
	run := expect.Must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "long"}))
	const points = 10500 // more than a part of the spool, and fewer than empty it
	for i := int64(1); i <= points; i++ {
		expect.NoError(t, run.LogMetrics(i, map[string]float64{"loss": 1 / float64(i)}))
	}
	expect.NoError(t, run.Flush(ctx))
	expect.NoError(t, run.LogMetrics(points+1, map[string]float64{"loss": 0}))
	s.Away()
	trackertest.WantCode(t, run.Finish(ctx, tracker.Finished), tracker.CodeSpooled)
	expect.NoError(t, tr.Close())
	s.Back()
	s.LoseAnswers()
	open(t, s, dir)
	if !s.Lost() {
		t.Error("no answer was lost in the replay")
	}
	got := expect.Must[[]tracker.Point](t)(s.Stored().History(ctx, run.ID(), "loss"))
	if len(got) != points+1 {
		t.Errorf("%d points are stored, want %d", len(got), points+1)
	}
	noSpools(t, dir)
}

// refusedRecords: what the store always refuses is reported, and its spool is kept under another name.
func refusedRecords(t *testing.T, s Site) {
	ctx := context.Background()
	dir := t.TempDir()
	said := &trackertest.Heard{}
	tr := slow(t, s, dir, said.Say)
	run := expect.Must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "refused"}))
	expect.NoError(t, s.Stored().Store(ctx, run.ID(), tracker.Records{Params: map[string]string{"seed": "other"}}))
	expect.NoError(t, run.LogParams(map[string]string{"seed": "mine"}))
	err := run.Finish(ctx, tracker.Finished)
	if code := tracker.ErrorCode(err); code != tracker.CodeConflict && code != tracker.CodeInvalid {
		t.Errorf("the refusal has code %q: %v", code, err)
	}
	if err == nil || !strings.Contains(err.Error(), "seed") {
		t.Errorf("the refusal is %v", err)
	}
	expect.NoError(t, tr.Close())
	slow(t, s, dir, said.Say)
	if left := spools(t, dir); len(left) != 1 || !strings.HasSuffix(left[0], ".refused") {
		t.Errorf("the spools are %v", left)
	}
	if !said.Has("refuses records of run "+run.ID(), "seed") {
		t.Errorf("it said %q", said.Lines())
	}
	info := expect.Must[tracker.RunInfo](t)(s.Stored().FindRun(ctx, run.ID()))
	if info.Status != string(tracker.Failed) || info.Params["seed"] != "other" {
		t.Errorf("the run is %+v", info)
	}
}

// removedRun: the records of a run that is no longer there are kept, and said.
func removedRun(t *testing.T, s Site) {
	ctx := context.Background()
	dir := t.TempDir()
	said := &trackertest.Heard{}
	tr := slow(t, s, dir, said.Say)
	run := expect.Must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: "removed"}))
	expect.NoError(t, run.LogMetrics(1, map[string]float64{"loss": 2}))
	s.Away()
	trackertest.WantCode(t, run.Finish(ctx, tracker.Finished), tracker.CodeSpooled)
	expect.NoError(t, tr.Close())
	expect.Must[any](t)(s.Stored().DB().Exec(`UPDATE runs SET status = 'FAILED', lifecycle_stage = 'deleted'
		WHERE run_uuid = $1`, run.ID()))
	expect.NoError(t, s.Stored().Purge(ctx, run.ID()))
	s.Back()
	slow(t, s, dir, said.Say)
	if left := spools(t, dir); len(left) != 1 || !strings.Contains(left[0], run.ID()) {
		t.Errorf("the spools are %v", left)
	}
	if !said.Has(run.ID(), "spool") {
		t.Errorf("it said %q", said.Lines())
	}
}

func spools(t *testing.T, dir string) []string {
	t.Helper()
	return expect.Must[[]string](t)(filepath.Glob(filepath.Join(dir, "spool", "*")))
}

func noSpools(t *testing.T, dir string) {
	t.Helper()
	if left := spools(t, dir); len(left) != 0 {
		t.Errorf("spools are left: %v", left)
	}
}
