package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/pgprivate"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// checkSteps fails unless steps 1 to last are stored for key, once each, with value(step).
func checkSteps(t *testing.T, tr *postgres.Store, run, key string, last int64, value func(int64) float64) int64 {
	t.Helper()
	points := must[[]tracker.Point](t)(tr.History(context.Background(), run, key))
	for i, p := range points {
		if p.Step != int64(i+1) || p.Value != value(p.Step) {
			t.Fatalf("%s: point %d is %+v", key, i+1, p)
		}
	}
	if int64(len(points)) < last {
		t.Fatalf("%s: %d points are stored, %d were accepted", key, len(points), last)
	}
	return int64(len(points))
}

func spools(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "spool", "*"))
	noError(t, err)
	return paths
}

func TestKilledProgramLosesNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	for _, wait := range []time.Duration{0, 30 * time.Millisecond, 150 * time.Millisecond} {
		p := startChild(t, dir, uri)
		p.next(t, "step")
		time.Sleep(wait)
		last := p.kill(t)
		tr := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
		total := checkSteps(t, tr, p.run, "loss", last, func(s int64) float64 { return 1 / float64(s) })
		checkSteps(t, tr, p.run, "other", total, func(s int64) float64 { return float64(s) })
		info := must[tracker.RunInfo](t)(tr.FindRun(ctx, p.run))
		if info.Status != "FAILED" || info.End.Before(info.Start) || info.Steps["loss"] != total {
			t.Errorf("the killed run: %+v", info)
		}
		if left := spools(t, dir); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestLiveProgramIsLeftAlone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	p := startChild(t, dir, uri)
	tr := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir, StaleAfter: time.Nanosecond})
	ids, err := tr.SweepStale(ctx)
	if err != nil || len(ids) != 0 {
		t.Errorf("swept %v, %v", ids, err)
	}
	_, err = tr.ResumeRun(ctx, p.run)
	wantCode(t, err, tracker.CodeBusy, p.run)
	// Another data directory does not have the locked spool; the heartbeat and the process show that the run is live.
	elsewhere := trackertest.StoreWith(t, uri, tracker.Options{DataDir: t.TempDir()})
	_, err = elsewhere.ResumeRun(ctx, p.run)
	wantCode(t, err, tracker.CodeBusy, fmt.Sprintf("process %d", p.cmd.Process.Pid))
	if info := must[tracker.RunInfo](t)(tr.FindRun(ctx, p.run)); info.Status != "RUNNING" {
		t.Errorf("status %s", info.Status)
	}
	p.kill(t)
	ids, err = tr.SweepStale(ctx)
	if err != nil || !slices.Equal(ids, []string{p.run}) {
		t.Errorf("swept %v, %v", ids, err)
	}
}

// A run whose program died on another machine has no spool here, only an old heartbeat.
func TestSweepStaleByHeartbeat(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	// Starting a run stores a heartbeat; the background writers do not get to store another one.
	elsewhere := trackertest.StoreWith(t, uri, tracker.Options{FlushEvery: time.Hour})
	old, fresh := startRun(t, elsewhere, "old"), startRun(t, elsewhere, "fresh")
	execute(t, connect(t, uri), `UPDATE spherelab.heartbeat SET at = at - interval '1 hour' WHERE run_uuid = $1`,
		old.ID())
	here := trackertest.StoreWith(t, uri, tracker.Options{})
	ids, err := here.SweepStale(ctx)
	if err != nil || !slices.Equal(ids, []string{old.ID()}) {
		t.Errorf("swept %v, %v", ids, err)
	}
	if info := must[tracker.RunInfo](t)(here.FindRun(ctx, fresh.ID())); info.Status != "RUNNING" {
		t.Errorf("the fresh run is %s", info.Status)
	}
}

func TestTornSpool(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	for cut := 1; cut <= 400; cut += 37 {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := startChild(t, dir, uri)
			p.next(t, "step")
			p.kill(t)
			path := filepath.Join(dir, "spool", p.run+".spool")
			whole, err := os.ReadFile(path)
			noError(t, err)
			head := bytes.IndexByte(whole, '\n') + 1
			// A file that holds some records and the first part of another, as a crash in write(2) leaves it.
			torn := whole[:min(len(whole), head+cut)]
			noError(t, os.WriteFile(path, torn, 0o600))
			complete := int64(bytes.Count(torn[head:], []byte("\n")))
			tr := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
			checkSteps(t, tr, p.run, "loss", complete, func(s int64) float64 { return 1 / float64(s) })
			run := must[*tracker.Run](t)(tr.ResumeRun(ctx, p.run))
			noError(t, run.LogMetrics(100000, map[string]float64{"loss": 7}))
			noError(t, run.Finish(ctx, tracker.Finished))
			if info := must[tracker.RunInfo](t)(tr.FindRun(ctx, p.run)); info.Status != "FINISHED" ||
				info.Metrics["loss"] != 7 {
				t.Errorf("resumed: %+v", info)
			}
		})
	}
}

func TestDamagedSpools(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	p := startChild(t, dir, uri)
	for range 4 {
		p.next(t, "step")
	}
	p.kill(t)
	path := filepath.Join(dir, "spool", p.run+".spool")
	whole, err := os.ReadFile(path)
	noError(t, err)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	if len(lines) < 4 {
		t.Fatalf("only %d lines", len(lines))
	}
	db := connect(t, uri)
	execute(t, db, `DELETE FROM metrics; DELETE FROM latest_metrics`)
	lines[2][20] ^= 1 // a flipped bit in the second record: that record is lost, the others are not
	noError(t, os.WriteFile(path, bytes.Join(lines, nil), 0o600))
	noError(t, os.WriteFile(filepath.Join(dir, "spool", strings.Repeat("a", 32)+".spool"), []byte("what is this?\n"),
		0o600))
	var said []string
	tr := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir, Say: func(s string) { said = append(said, s) }})
	points := must[[]tracker.Point](t)(tr.History(ctx, p.run, "loss"))
	if len(points) < 2 || points[0].Step != 1 || points[1].Step != 3 {
		t.Errorf("points: %v", points)
	}
	text := strings.Join(said, "\n")
	if !strings.Contains(text, "damaged records were skipped: 1") || !strings.Contains(text, "not a spool") {
		t.Errorf("said: %s", text)
	}
}

// cluster opens a tracker on a private cluster of the test's own.
func cluster(t *testing.T, dir string) *postgres.Store {
	t.Helper()
	trackertest.Skip(t)
	// This runs after the tracker was closed and before dir is removed. The supervisor removes the cluster's folder,
	// and
	// fails if the test removes it at the same time.
	t.Cleanup(func() {
		deadline := time.Now().Add(30 * time.Second)
		for ; time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if s := must[pgprivate.Status](t)(pgprivate.Inspect(postgres.ClusterDir(dir))); s.PID == 0 &&
				!s.Supervised {
				return
			}
		}
		t.Error("the cluster's supervisor did not end")
	})
	return trackertest.StoreWith(t, "", tracker.Options{DataDir: dir, Scratch: true, Idle: 300 * time.Millisecond,
		FlushEvery: 10 * time.Millisecond, RetryFor: time.Minute})
}

func killServer(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		s := must[pgprivate.Status](t)(pgprivate.Inspect(postgres.ClusterDir(dir)))
		if s.PID != 0 { // else it is still starting after the last kill
			err := syscall.Kill(s.PID, syscall.SIGKILL)
			if err == nil {
				return
			}
			if !errors.Is(err, syscall.ESRCH) { // it has ended since
				t.Fatal(err)
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("no server is running")
		}
	}
}

func TestKilledServerLosesNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	tr := cluster(t, dir)
	run := startRun(t, tr, "survivor")
	step := int64(0)
	log := func(n int) {
		for range n {
			step++
			began := time.Now()
			noError(t, run.LogMetrics(step, map[string]float64{"loss": float64(step)}))
			if d := time.Since(began); d > 5*time.Second {
				t.Errorf("step %d: logging waited for %v", step, d)
			}
		}
	}
	for range 3 {
		log(200)
		killServer(t, dir)
		log(200)
		time.Sleep(30 * time.Millisecond)
	}
	noError(t, run.Finish(ctx, tracker.Finished))
	if n := checkSteps(t, tr, run.ID(), "loss", step, func(s int64) float64 { return float64(s) }); n != step {
		t.Errorf("%d points for %d steps", n, step)
	}
	// A new run right after the server died waits for it.
	killServer(t, dir)
	again := startRun(t, tr, "after")
	noError(t, again.Finish(ctx, tracker.Finished))
}

func TestProgramsShareAPrivateDatabase(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	trackertest.Skip(t)
	children := make([]*program, 2)
	var wait sync.WaitGroup
	for i := range children {
		wait.Go(func() { children[i] = startChild(t, dir, "") })
	}
	wait.Wait()
	if t.Failed() {
		return
	}
	tr := cluster(t, dir)
	for _, p := range children {
		p.next(t, "step")
		last := p.kill(t)
		_, err := tr.ReplaySpools(ctx)
		noError(t, err)
		checkSteps(t, tr, p.run, "loss", last, func(s int64) float64 { return 1 / float64(s) })
	}
	runs := must[[]tracker.RunInfo](t)(tr.Runs(ctx, tracker.Filter{Name: "child"}))
	if len(runs) != 2 || runs[0].Start.Before(runs[1].Start) {
		t.Errorf("runs: %v", runs)
	}
}

// Everything that is logged while the database is away is stored when it is back.
func TestUnreachableDatabase(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	way := newProxy(t, uri)
	said := &trackertest.Heard{}
	tr, err := postgres.Open(ctx, way.uri, tracker.Options{DataDir: dir, FlushEvery: 10 * time.Millisecond,
		RetryFor: 300 * time.Millisecond, Say: said.Say})
	noError(t, err)
	run := startRun(t, tr, "cut off")
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 1}))
	noError(t, run.Flush(ctx))
	way.cut()
	for step := int64(2); step <= 50; step++ {
		noError(t, run.LogMetrics(step, map[string]float64{"loss": float64(step)}))
	}
	wantCode(t, run.Flush(ctx), tracker.CodeSpooled, "safe in", ".spool")
	_, err = tr.StartRun(ctx, tracker.RunSpec{Name: "too late"})
	wantCode(t, err, tracker.CodeUnavailable, "cannot be reached")
	wantCode(t, run.Finish(ctx, tracker.Finished), tracker.CodeSpooled, "next start")
	if !said.Has("cut off", "its end waits up to 300ms", "nothing is lost") {
		t.Errorf("the end of a run waited, and %q was said", said.Lines())
	}
	_ = tr.Close() // says again that the database is away
	if left := spools(t, dir); len(left) != 1 {
		t.Errorf("spools: %v", left)
	}
	// Another database does not get these records.
	trackertest.StoreWith(t, trackertest.Database(t), tracker.Options{DataDir: dir})
	if left := spools(t, dir); len(left) != 1 {
		t.Errorf("spools after opening another database: %v", left)
	}
	again := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
	checkSteps(t, again, run.ID(), "loss", 50, func(s int64) float64 { return float64(s) })
	if info := must[tracker.RunInfo](t)(again.FindRun(ctx, run.ID())); info.Status != "FINISHED" {
		t.Errorf("status %s", info.Status)
	}
	if left := spools(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDatabaseComesBack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	way := newProxy(t, uri)
	tr := trackertest.StoreWith(t, way.uri, tracker.Options{FlushEvery: 10 * time.Millisecond, RetryFor: time.Minute})
	run := startRun(t, tr, "patient")
	way.cut()
	noError(t, run.LogMetrics(1, map[string]float64{"loss": 1}))
	time.AfterFunc(300*time.Millisecond, way.mend)
	other := startRun(t, tr, "started while away") // waits
	noError(t, other.Finish(ctx, tracker.Killed))
	noError(t, run.Finish(ctx, tracker.Finished))
	checkSteps(t, tr, run.ID(), "loss", 1, func(int64) float64 { return 1 })
}

// TestLongSpoolLosesAnAnswer: a spool takes several transactions. One is stored and its answer lost; the whole spool is
// stored once.
func TestLongSpoolLosesAnAnswer(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	way := newProxy(t, trackertest.Database(t))
	tr := trackertest.StoreWith(t, way.uri, tracker.Options{DataDir: t.TempDir(), FlushEvery: time.Hour})
	run := startRun(t, tr, "long")
	const steps, keys = 800, 40
	values := map[string]float64{}
	for step := range steps {
		for k := range keys {
			values["metric_"+strconv.Itoa(k)] = float64(step + k)
		}
		noError(t, run.LogMetrics(int64(step+1), values))
	}
	stored := func() (n int) {
		noError(t, tr.DB().Get(&n, `SELECT count(*) FROM public.metrics`))
		return n
	}
	way.lose(lostAnswer)
	wantCode(t, run.Flush(ctx), tracker.CodeSpooled, "its records are safe")
	if n := stored(); n == 0 || n == steps*keys {
		t.Fatalf("the first transaction stored %d points", n)
	}
	noError(t, run.Finish(ctx, tracker.Finished))
	if n := stored(); n != steps*keys {
		t.Errorf("%d points are stored, not %d", n, steps*keys)
	}
	for _, k := range []int{0, 7, keys - 1} {
		checkSteps(t, tr, run.ID(), "metric_"+strconv.Itoa(k), steps, func(step int64) float64 {
			return float64(step - 1 + int64(k))
		})
	}
}

func TestNoDatabase(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	open := func(uri string) error {
		_, err := open.Tracker(ctx, uri, tracker.Options{DataDir: t.TempDir(), RetryFor: time.Millisecond})
		return err
	}
	err := open("postgres://someone:secret@127.0.0.1:1/nothing?connect_timeout=2")
	wantCode(t, err, tracker.CodeUnavailable, "127.0.0.1:1", "cannot be reached")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the password is in the message %q", err)
	}
	wantCode(t, open("http://127.0.0.1:1"), tracker.CodeUnavailable, "the tracking server cannot be reached")
	wantCode(t, open("sqlite:///x.db"), tracker.CodeInvalid, "postgres://user:password@host")
	wantCode(t, open("host=x password=secret"), tracker.CodeInvalid, "postgres://user:password@host")
	_, err = postgres.Open(ctx, "", tracker.Options{})
	wantCode(t, err, tracker.CodeInvalid, "data directory")
}
