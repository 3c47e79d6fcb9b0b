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
)

// worker is a running `worker`.
type worker struct {
	cmd *exec.Cmd
	log *syncBuffer
}

// worker starts a worker of this program.
func (p *program) worker(name string) *worker {
	p.t.Helper()
	w := &worker{cmd: p.command("worker", "--drain", "--lease", "5s", "--threads", "1", "--name", name), log: &syncBuffer{}}
	w.cmd.Stdout, w.cmd.Stderr = w.log, w.log
	if err := w.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
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
	if err := w.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
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

// TestSweepOnManyWorkers trains a sweep of 24 runs with three workers. Two are killed and replaced, one stands still
// for longer than its lease, and the database is restarted. Every job is trained to its end once, to the numbers that
// the sweep has in one program.
func TestSweepOnManyWorkers(t *testing.T) {
	t.Parallel()
	const runs = 24
	sweep := filepath.Join(t.TempDir(), "many.yaml")
	var seeds []string
	for i := range runs {
		seeds = append(seeds, strconv.Itoa(i+1))
	}
	text := fmt.Sprintf("runs:\n  - config: %s\n    seeds: [%s]\n", smallJob(t, 300), strings.Join(seeds, ", "))
	if err := os.WriteFile(sweep, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	alone := newProgram(t)
	alone.ok("sweep", sweep)

	home := t.TempDir() // with a private server, which the workers restart
	t.Cleanup(func() { stopPrivateServers(t, home) })
	p := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + home}}
	if out := p.ok("sweep", sweep, "--enqueue-only"); !strings.Contains(out, "24 new in the queue") {
		t.Fatal(out)
	}
	// Like a machine of its own: it shares the database and the folder of artifacts.
	apart := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir(),
		"DATABASE_URL=" + strings.TrimSpace(p.ok("tracker", "url", "--owner")),
		"SPHERELAB_ARTIFACTS=" + filepath.Join(home, "artifacts")}}
	jobs := func(condition string) int {
		t.Helper()
		rows := p.csv("tracker", "sql", "select count(*) from spherelab.job where "+condition)
		n, err := strconv.Atoi(rows[1][0])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	until := func(condition string, least int) {
		t.Helper()
		for range 1200 {
			if jobs(condition) >= least {
				time.Sleep(rand.N(300 * time.Millisecond)) // so that it is any moment of a run
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatalf("waited in vain for %d jobs that are %s", least, condition)
	}
	first, second, third := p.worker("first"), p.worker("second"), apart.worker("third")
	until("state = 'done'", 2)
	first.signal(t, syscall.SIGSTOP)
	until("state = 'done'", 5)
	second.signal(t, syscall.SIGKILL)
	fourth := p.worker("fourth")
	until("state = 'done'", 9)
	stopPrivateServers(t, home)
	until("state = 'done'", 12)
	third.signal(t, syscall.SIGKILL)
	fifth := p.worker("fifth")
	for _, w := range []*worker{fourth, fifth} {
		if err := w.cmd.Wait(); err != nil {
			t.Errorf("a worker ended with %v", err)
		}
	}
	first.signal(t, syscall.SIGCONT)
	if err := first.cmd.Wait(); err != nil {
		t.Errorf("the worker that stood still ended with %v", err)
	}
	if n := jobs("state = 'done'"); n != runs {
		t.Errorf("%d jobs are done, want %d", n, runs)
	}
	if n := jobs("losses > 0"); n == 0 {
		t.Error("no job changed hands")
	}
	want, _ := alone.numbers()
	got, finished := p.numbers()
	if finished != runs {
		t.Errorf("%d runs are finished, want %d", finished, runs)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the numbers differ from those of one program: %d and %d", len(got), len(want))
	}
	if out := p.ok("sweep", "status", sweep); !strings.Contains(out, "0 waiting, 0 running, 24 done") {
		t.Errorf("the status is\n%s", out)
	}
}
