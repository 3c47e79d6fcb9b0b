package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// worker is a running `worker`.
type worker struct {
	cmd *exec.Cmd
	log *trackertest.Output
}

// worker starts a worker of this program.
func (p *program) worker(name string) *worker {
	p.t.Helper()
	return p.workerIn(nil, name)
}

// workerIn starts a worker in a network namespace.
func (p *program) workerIn(where *namespace, name string) *worker {
	p.t.Helper()
	w := &worker{cmd: p.command("worker", "--drain", "--lease", "5s", "--runs", "1", "--threads", "1", "--name", name), log: &trackertest.Output{}}
	w.cmd.Stdout, w.cmd.Stderr = w.log, w.log
	expect.NoError(p.t, where.start(w.cmd))
	p.t.Cleanup(func() {
		_ = w.cmd.Process.Kill() // already gone unless the test failed
		if p.t.Failed() {
			p.t.Logf("worker %s:\n%s", name, w.log)
		}
	})
	return w
}

func (w *worker) signal(t *testing.T, s os.Signal) {
	t.Helper()
	expect.NoError(t, w.cmd.Process.Signal(s))
}

// numbers are the digests and metrics of the finished runs by seed, without times. finished counts the runs.
func (p *program) numbers() (lines []string, finished int) {
	p.t.Helper()
	const sql = `select 'digest', s.value, d.value from runs r
			join params s on s.run_uuid = r.run_uuid and s.key = 'seed'
			join tags d on d.run_uuid = r.run_uuid and d.key = 'checkpoint_digest' where r.status = 'FINISHED'
		union all select m.key, s.value || ' ' || m.step, m.value::text from runs r
			join params s on s.run_uuid = r.run_uuid and s.key = 'seed'
			join metrics m on m.run_uuid = r.run_uuid and m.key not like 'system/%' where r.status = 'FINISHED'
		union all select concat_ws('/', e.split, e.cut, e.category, e.metric), s.value || ' ' || e.step,
				concat_ws(' ', e.value, e.low, e.high) from runs r
			join params s on s.run_uuid = r.run_uuid and s.key = 'seed'
			join spherelab.evaluation_result e on e.run_uuid = r.run_uuid where r.status = 'FINISHED'`
	for _, row := range p.csv("tracker", "sql", sql)[1:] {
		if row[0] == "digest" {
			finished++
		}
		lines = append(lines, strings.Join(row, " "))
	}
	slices.Sort(lines)
	return lines, finished
}

// TestSweepOnManyWorkers trains a sweep of 24 runs with three workers, each as on a machine of its own: another
// process, data directory and, where this machine allows it, network namespace, with a bridge to the server. One is
// frozen past its lease and thawed, two are killed at random moments and replaced, and the server is restarted when a
// worker has just ended a run and takes the next. Every run is trained to its end once, to the numbers that the sweep
// has on one worker.
func TestSweepOnManyWorkers(t *testing.T) {
	t.Parallel()
	const runs, epochs = 24, 60
	sweep := filepath.Join(t.TempDir(), "many.yaml")
	var seeds []string
	for i := range runs {
		seeds = append(seeds, strconv.Itoa(i+1))
	}
	text := fmt.Sprintf("runs:\n  - config: bundled/sphere-2d\n    set: [dimension=16, train.epochs=%d, train.save_every=7, "+
		"eval.bootstrap=20]\n    seeds: [%s]\n", epochs, strings.Join(seeds, ", "))
	expect.NoError(t, os.WriteFile(sweep, []byte(text), 0o600))
	alone := newProgram(t)
	alone.ok("sweep", sweep, "--enqueue-only")
	alone.ok("worker", "--drain", "--threads", "1")

	var hub *namespace
	net, err := newNetwork(t)
	if err != nil {
		t.Log("the workers are separate processes in one network; this machine makes no network namespaces: ", err)
	} else {
		t.Log("each worker is in a network namespace of its own")
		hub = net.hub
	}
	s := newServer(t, hub)
	artifacts := t.TempDir()
	machine := func(url string) *program {
		return &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir(), "DATABASE_URL=" + url,
			"SPHERELAB_ARTIFACTS=" + artifacts}}
	}
	start := func(name string) *worker {
		t.Helper()
		var host *namespace
		if net != nil {
			host = net.host()
		}
		return machine(s.hostURL()).workerIn(host, name)
	}
	p := machine(s.url())
	if out := p.ok("sweep", sweep, "--enqueue-only"); !strings.Contains(out, "24 new in the queue") {
		t.Fatal(out)
	}
	db := s.open()
	defer db.Close()
	anyMoment := func() { time.Sleep(rand.N(300 * time.Millisecond)) }

	first, second, third := start("first"), start("second"), start("third")
	s.until(db, "state = 'done'", 2)
	anyMoment()
	const held = "holder = 'first' AND state = 'running'"
	for first.signal(t, syscall.SIGSTOP); s.count(db, held) == 0; first.signal(t, syscall.SIGSTOP) {
		first.signal(t, syscall.SIGCONT) // it was between two runs
		anyMoment()
	}
	var frozen int64 // the job of the worker that stands still
	expect.NoError(t, db.Get(&frozen, "SELECT id FROM spherelab.job WHERE "+held))
	s.until(db, "state = 'done'", 5)
	anyMoment()
	second.signal(t, syscall.SIGKILL)
	fourth := start("fourth")

	s.until(db, "state = 'done'", s.count(db, "state = 'done'")+1)
	s.stop() // as soon as a run has ended
	anyMoment()
	s.start()

	s.until(db, "state = 'done'", 12)
	anyMoment()
	third.signal(t, syscall.SIGKILL)
	fifth := start("fifth")
	s.until(db, fmt.Sprintf("id = %d AND holder <> 'first'", frozen), 1)
	first.signal(t, syscall.SIGCONT)
	for name, w := range map[string]*worker{"frozen": first, "fourth": fourth, "fifth": fifth} {
		if err := w.cmd.Wait(); err != nil {
			t.Errorf("the %s worker ended with %v", name, err)
		}
	}

	checkManyRuns(t, s, db, p, alone, sweep, runs, epochs)
}

// checkManyRuns: every run was trained to its end once, to the numbers of one worker.
func checkManyRuns(t *testing.T, s *server, db *sqlx.DB, p, alone *program, sweep string, runs, epochs int) {
	t.Helper()
	if n := s.count(db, "state = 'done'"); n != runs {
		t.Errorf("%d jobs are done, want %d", n, runs)
	}
	if n := s.count(db, "losses > 0"); n == 0 {
		t.Error("no job changed hands")
	}
	// A run that was trained to its end has a time of its last epoch. A second training would have added another one.
	var ends int
	if err := db.Get(&ends, "SELECT count(*) FROM public.metrics WHERE key = 'system/epoch_seconds' AND step = $1",
		epochs); err != nil {
		t.Fatal(err)
	}
	if ends != runs {
		t.Errorf("%d last epochs were trained, want %d", ends, runs)
	}
	want, _ := alone.numbers()
	got, finished := p.numbers()
	if finished != runs {
		t.Errorf("%d runs are finished, want %d", finished, runs)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the numbers differ from those of one worker: %d and %d", len(got), len(want))
	}
	if out := p.ok("sweep", "status", sweep); !strings.Contains(out, "0 waiting, 0 running, 24 done") {
		t.Errorf("the status is\n%s", out)
	}
}

// TestSearchOutlivesItsWorker kills the worker of a search while it trains a trial that has gone on to the next rung.
// The next one resumes the trial, and finds what one program finds.
func TestSearchOutlivesItsWorker(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "find.yaml")
	text := "search:\n  config: bundled/sphere-2d\n  set: [dimension=16, train.epochs=400, train.save_every=7]\n" +
		"  trials: 6\n  rungs: [20]\n  batch: 2\n  space:\n    gamma: {from: 2, to: 9}\n"
	expect.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	ranking := func(p *program) (rows []string) {
		t.Helper()
		for _, row := range p.csv("sweep", "status", file)[1:] {
			rows = append(rows, strings.Join(row[:len(row)-1], " ")) // without the run's id
		}
		return rows
	}
	alone := newProgram(t)
	alone.ok("sweep", file, "--best", filepath.Join(t.TempDir(), "best.yaml"))

	s := newServer(t, nil)
	p := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir(), "DATABASE_URL=" + s.url(),
		"SPHERELAB_ARTIFACTS=" + t.TempDir()}}
	p.ok("sweep", file, "--enqueue-only")
	db := s.open()
	defer db.Close()
	first := p.worker("first")
	const promoted = `kind = 'run' AND until = 0 AND title LIKE 'trial%'`
	s.until(db, promoted+` AND state = 'running' AND exists (SELECT FROM public.metrics m
		WHERE m.run_uuid = job.run_uuid AND m.key = 'loss' AND m.step > 20)`, 1)
	first.signal(t, syscall.SIGKILL)
	second := p.worker("second")
	if err := second.cmd.Wait(); err != nil {
		t.Errorf("the second worker ended with %v", err)
	}
	if n := s.count(db, promoted+" AND losses = 1 AND holder = 'second' AND state = 'done'"); n != 1 {
		t.Errorf("%d trials changed hands behind the first rung, want 1", n)
	}
	if got, want := ranking(p), ranking(alone); !slices.Equal(got, want) || len(got) != 6 {
		t.Errorf("after the kill\n%s\nin one program\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
