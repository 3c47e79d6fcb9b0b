package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// enqueue adds jobs with these keys.
func enqueue(t *testing.T, tr *postgres.Store, sweep string, keys ...string) int {
	t.Helper()
	var list []tracker.NewJob
	for _, key := range keys {
		list = append(list, tracker.NewJob{Key: key, Title: "job " + key, Config: "seed: 1"})
	}
	n, err := tr.Enqueue(t.Context(), sweep, list)
	expect.NoError(t, err)
	return n
}

// take takes a job, which must be there.
func take(t *testing.T, tr *postgres.Store, d time.Duration) *postgres.Lease {
	t.Helper()
	l, err := tr.TakeJob(t.Context(), "here", d)
	expect.NoError(t, err)
	if l == nil {
		t.Fatal("there is no job to take")
	}
	return l
}

// lapse waits until a lease has run out.
func lapse(t *testing.T, tr *postgres.Store, l *postgres.Lease) {
	t.Helper()
	_, err := tr.DB().ExecContext(t.Context(), `UPDATE spherelab.job
		SET lease_until = clock_timestamp() - interval '1 s' WHERE id = $1`, l.Job.ID)
	expect.NoError(t, err)
}

func code(t *testing.T, err error, want tracker.Code) {
	t.Helper()
	if tracker.ErrorCode(err) != want {
		t.Errorf("the error is %v (%s), want %s", err, tracker.ErrorCode(err), want)
	}
}

// Jobs are taken once each, in the order of the sweeps' priorities and then of their own; a paused sweep's are not.
func TestTakeJob(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	if n := enqueue(t, tr, "low", "a", "b"); n != 2 {
		t.Errorf("%d new jobs, want 2", n)
	}
	enqueue(t, tr, "high", "a")
	if n := enqueue(t, tr, "low", "b", "c"); n != 1 {
		t.Errorf("%d new jobs, want 1", n)
	}
	expect.NoError(t, tr.SetPriority(t.Context(), "high", 1))
	var got []string
	for range 3 {
		l := take(t, tr, time.Minute)
		got = append(got, l.Job.Sweep+" "+l.Job.Key)
	}
	if want := []string{"high a", "low a", "low b"}; !slices.Equal(got, want) {
		t.Errorf("taken were %v, want %v", got, want)
	}
	expect.NoError(t, tr.PauseSweep(t.Context(), "low", true))
	if l, err := tr.TakeJob(t.Context(), "here", time.Minute); err != nil || l != nil {
		t.Errorf("a job of a paused sweep was taken: %v, %v", l, err)
	}
	expect.NoError(t, tr.PauseSweep(t.Context(), "low", false))
	last := take(t, tr, time.Minute)
	expect.NoError(t, last.Done(t.Context(), ""))
	n, err := tr.CancelSweep(t.Context(), "low")
	if err != nil || n != 2 {
		t.Errorf("%d jobs were canceled, %v; want 2", n, err)
	}
	code(t, tr.PauseSweep(t.Context(), "lo", true), tracker.CodeNotFound)
	_, err = tr.CancelSweep(t.Context(), "other")
	code(t, err, tracker.CodeNotFound)
	states, err := tr.Sweeps(t.Context())
	if err != nil || len(states) != 2 || states[0].Name != "high" || states[0].Open() != 1 ||
		states[1].Count[tracker.JobDone] != 1 || states[1].Count[tracker.JobCanceled] != 2 {
		t.Errorf("the sweeps are %+v, %v", states, err)
	}
}

// A lease that ran out goes to the next worker, and the one that had it can write nothing more, even if it lives.
func TestLeaseIsFenced(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	enqueue(t, tr, "s", "a")
	first := take(t, tr, time.Minute)
	run, err := tr.StartRun(t.Context(), tracker.RunSpec{Name: "r", Claim: first.Claim()})
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile(filepath.Join(run.ArtifactDir(), "state"), []byte("epoch 1"), 0o600))
	log := func(r *tracker.Run, step int64, v float64) error {
		t.Helper()
		expect.NoError(t, r.LogMetrics(step, map[string]float64{"loss": v}))
		return r.Flush(t.Context())
	}
	expect.NoError(t, log(run, 1, 0.5))
	expect.NoError(t, first.Renew(t.Context()))
	lapse(t, tr, first)
	if err := first.Renew(t.Context()); err != nil {
		t.Errorf("a lease that ran out and was not taken: %v", err)
	}
	lapse(t, tr, first)

	second := take(t, tr, time.Minute)
	if second.Job.Run != run.ID() || second.Job.Losses != 1 || second.Job.Takes != 2 {
		t.Errorf("the job is %+v", second.Job)
	}
	other := trackertest.StoreWith(t, tr.URL(), tracker.Options{})
	again, err := other.ResumeClaimed(t.Context(), second.Job.Run, second.Claim())
	expect.NoError(t, err)
	if again.ArtifactDir() == run.ArtifactDir() {
		t.Error("both workers write into one folder")
	}
	if text, err := os.ReadFile(filepath.Join(again.ArtifactDir(), "state")); string(text) != "epoch 1" {
		t.Errorf("the copied state is %q, %v", text, err)
	}
	code(t, log(run, 2, 99), tracker.CodeFenced)
	code(t, first.Renew(t.Context()), tracker.CodeFenced)
	code(t, first.Release(t.Context(), 0), tracker.CodeFenced)
	code(t, first.Done(t.Context(), run.ID()), tracker.CodeFenced)
	code(t, first.Fail(t.Context(), errors.New("x"), 1, 0), tracker.CodeFenced)
	code(t, run.Finish(t.Context(), tracker.Failed), tracker.CodeFenced)
	expect.NoError(t, log(again, 2, 0.25))
	expect.NoError(t, again.Finish(t.Context(), tracker.Finished))
	expect.NoError(t, second.Done(t.Context(), again.ID()))
	points, err := tr.History(t.Context(), run.ID(), "loss")
	if err != nil || len(points) != 2 || points[1].Value != 0.25 {
		t.Errorf("the points are %v, %v", points, err)
	}
	info, err := tr.FindRun(t.Context(), run.ID())
	if err != nil || info.Status != string(tracker.Finished) {
		t.Errorf("the run is %s, %v", info.Status, err)
	}
	expect.NoError(t, tr.DropOlder(t.Context(), info))
	_, gone := os.Stat(run.ArtifactDir())
	if _, err := os.Stat(again.ArtifactDir()); err != nil || !errors.Is(gone, os.ErrNotExist) {
		t.Errorf("the new folder: %v; the old one: %v", err, gone)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(run.ArtifactDir())), "..", "..", "spool",
		"*.spool")); len(left) > 0 {
		t.Errorf("spools stay: %v", left)
	}
}

// What a dead worker left in its spool is stored if nobody has taken its job, and is dropped otherwise.
func TestSpoolOfLease(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{false, true} {
		t.Run(fmt.Sprint("taken ", taken), func(t *testing.T) {
			t.Parallel()
			uri, dir := trackertest.Database(t), t.TempDir()
			tr := trackertest.StoreWith(t, uri, tracker.Options{})
			enqueue(t, tr, "s", "a")
			dead, err := postgres.Open(t.Context(), uri, tracker.Options{DataDir: dir, FlushEvery: time.Hour})
			expect.NoError(t, err)
			lease := take(t, dead, time.Hour)
			run, err := dead.StartRun(t.Context(), tracker.RunSpec{Name: "r", Claim: lease.Claim()})
			expect.NoError(t, err)
			expect.NoError(t, run.LogMetrics(1, map[string]float64{"loss": 1}))
			// The program dies: its spool stays, and its lock goes.
			spools, err := filepath.Glob(filepath.Join(dir, "spool", "*.spool"))
			if err != nil || len(spools) != 1 {
				t.Fatal(spools, err)
			}
			left := t.TempDir()
			raw, err := os.ReadFile(spools[0])
			if err == nil {
				err = os.Mkdir(filepath.Join(left, "spool"), 0o700)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(left, "spool", filepath.Base(spools[0])), raw, 0o600)
			}
			expect.NoError(t, err)
			if taken {
				lapse(t, tr, lease)
				next := take(t, tr, time.Minute)
				again, err := tr.ResumeClaimed(t.Context(), run.ID(), next.Claim())
				expect.NoError(t, err)
				expect.NoError(t, again.Finish(t.Context(), tracker.Finished))
			}
			trackertest.StoreWith(t, uri, tracker.Options{DataDir: left})
			points, err := tr.History(t.Context(), run.ID(), "loss")
			if err != nil || (len(points) == 1) == taken {
				t.Errorf("the points are %v, %v", points, err)
			}
			info, err := tr.FindRun(t.Context(), run.ID())
			want := map[bool]tracker.Status{false: tracker.Failed, true: tracker.Finished}[taken]
			if err != nil || info.Status != string(want) {
				t.Errorf("the run is %s, %v; want %s", info.Status, err, want)
			}
			if l, err := tr.TakeJob(t.Context(), "next", time.Minute); err != nil || (l != nil) == taken {
				t.Errorf("the job after the replay: %v, %v", l, err)
			}
			if rest, _ := filepath.Glob(filepath.Join(left, "spool", "*")); len(rest) > 0 {
				t.Errorf("left in the spool: %v", rest)
			}
			_ = dead.Close() // refused where the job was taken
		})
	}
}

// A job that kills its workers fails in the end; one that fails is tried as often as is asked for.
func TestJobFails(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	enqueue(t, tr, "s", "a")
	for range 5 {
		lapse(t, tr, take(t, tr, time.Minute))
	}
	if l, err := tr.TakeJob(t.Context(), "here", time.Minute); err != nil || l != nil {
		t.Fatalf("a sixth worker took it: %v, %v", l, err)
	}
	if jobs, err := tr.Jobs(t.Context(), "s"); err != nil || jobs[0].State != tracker.JobFailed || jobs[0].Losses != 5 ||
		jobs[0].Error == "" {
		t.Errorf("the job is %+v, %v", jobs, err)
	}
	if n := enqueue(t, tr, "s", "a"); n != 1 {
		t.Errorf("a failed job that is enqueued again: %d new ones", n)
	}
	for i := range 2 {
		expect.NoError(t, take(t, tr, time.Minute).Fail(t.Context(), fmt.Errorf("try %d", i), 2, 0))
	}
	jobs, err := tr.Jobs(t.Context(), "s")
	if err != nil || jobs[0].State != tracker.JobFailed || jobs[0].Error != "try 1" || jobs[0].Ended.IsZero() {
		t.Errorf("the job is %+v, %v", jobs, err)
	}
}

// Twenty workers take two hundred jobs, each once.
func TestTakeJobFromMany(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	var keys []string
	for i := range 200 {
		keys = append(keys, fmt.Sprint(i))
	}
	enqueue(t, tr, "s", keys...)
	taken := make(chan string, 400)
	errs := make(chan error, 20)
	for range 20 {
		go func() {
			for {
				l, err := tr.TakeJob(context.Background(), "here", time.Minute)
				if err != nil || l == nil {
					errs <- err
					return
				}
				taken <- l.Job.Key
				if err := l.Done(context.Background(), ""); err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	for range 20 {
		expect.NoError(t, <-errs)
	}
	close(taken)
	count := map[string]int{}
	for key := range taken {
		count[key]++
	}
	for _, key := range keys {
		if count[key] != 1 {
			t.Errorf("job %s was taken %d times", key, count[key])
		}
	}
}

// A run belongs to one job at a time: who resumes it without its job, or by another one, cuts the others off or is
// refused.
func TestRunOfSeveralJobs(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	enqueue(t, tr, "one", "a")
	enqueue(t, tr, "two", "a")
	first := take(t, tr, time.Minute)
	run, err := tr.StartRun(t.Context(), tracker.RunSpec{Name: "r", Claim: first.Claim()})
	expect.NoError(t, err)
	second := take(t, tr, time.Minute)
	if second.Job.Fence == first.Job.Fence {
		t.Error("two jobs have one fence number")
	}
	_, err = tr.ResumeClaimed(t.Context(), run.ID(), second.Claim())
	code(t, err, tracker.CodeBusy)
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(run.ArtifactDir()), "*")); len(left) != 1 {
		t.Errorf("a refused worker left %v", left)
	}
	expect.NoError(t, run.Finish(t.Context(), tracker.Killed))
	expect.NoError(t, first.Release(t.Context(), time.Hour))
	if l, err := tr.TakeJob(t.Context(), "here", time.Minute); err != nil || l != nil {
		t.Errorf("a job was taken in the pause after it was returned: %v, %v", l, err)
	}
	_, err = tr.ResumeRun(t.Context(), run.ID())
	code(t, err, tracker.CodeBusy) // it waits for a worker
	again, err := tr.ResumeClaimed(t.Context(), run.ID(), second.Claim())
	expect.NoError(t, err)
	jobs, err := tr.Jobs(t.Context(), "one")
	if err != nil || jobs[0].Run != "" {
		t.Errorf("the first job keeps the run: %+v, %v", jobs, err)
	}
	// The sweep is canceled and its worker stands still; a person resumes the run.
	if _, err := tr.CancelSweep(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.DB().ExecContext(t.Context(), `UPDATE spherelab.heartbeat SET at = at - interval '1 hour'`); err != nil {
		t.Fatal(err)
	}
	mine, err := tr.ResumeRun(t.Context(), run.ID())
	expect.NoError(t, err)
	code(t, again.Flush(t.Context()), tracker.CodeFenced)
	expect.NoError(t, mine.Finish(t.Context(), tracker.Finished))
}

// A program that is frozen in a transaction keeps neither its job nor the group of its sweep from others.
func TestFrozenInATransaction(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	enqueue(t, tr, "s", "a")
	lease := take(t, tr, time.Minute)
	group := tracker.GroupSpec{Experiment: "e", Kind: "sweep", Name: "s"}
	id, err := tr.OpenGroup(t.Context(), group)
	expect.NoError(t, err)
	lapse(t, tr, lease)
	holds, thawed := make(chan struct{}), make(chan struct{})
	ended := make(chan error)
	go func() {
		ended <- tr.InTx(context.Background(), func(tx *sqlx.Tx) error {
			defer close(holds)
			if _, err := tx.Exec(`SELECT fence FROM spherelab.job FOR SHARE`); err != nil {
				return err
			}
			_, err := tx.Exec(`UPDATE public.runs SET status = status WHERE run_uuid = $1`, id)
			if err == nil {
				holds <- struct{}{}
				<-thawed
			}
			return err
		})
	}()
	<-holds
	if _, err := tr.OpenGroup(t.Context(), group); err != nil { // it waits until the server has ended the transaction
		t.Error(err)
	}
	if next, err := tr.TakeJob(t.Context(), "next", time.Minute); err != nil || next == nil {
		t.Errorf("nobody can take the job: %v", err)
	}
	close(thawed)
	if err := <-ended; err == nil {
		t.Error("the frozen transaction was not ended")
	}
}

// A job that is done and whose run is gone waits again when its sweep is enqueued.
func TestDoneJobWithoutItsRun(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	enqueue(t, tr, "s", "a")
	expect.NoError(t, take(t, tr, time.Minute).Done(t.Context(), "gone"))
	if n := enqueue(t, tr, "s", "a"); n != 1 {
		t.Errorf("%d jobs wait again, want 1", n)
	}
	n, err := tr.Enqueue(t.Context(), "s", []tracker.NewJob{{Key: "a", Title: "a", Config: "x", Run: "there"}})
	if err != nil || n != 0 {
		t.Errorf("%d jobs changed, %v", n, err)
	}
}
