package postgres_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// childEnv makes the test binary a program that logs, for tests that kill it: "WHAT|DATADIR|URI". WHAT is metrics,
// relations, results, many (metrics from many goroutines) or many:RUN, which resumes a run.
const childEnv = "SPHERELAB_TRACKER_TEST_CHILD"

// child starts a run and logs one step after the other, printing each step when the call has returned. It ends by being
// killed.
func child(order string) int {
	what, rest, _ := strings.Cut(order, "|")
	dir, uri, _ := strings.Cut(rest, "|")
	tr, err := postgres.Open(context.Background(), uri,
		tracker.Options{DataDir: dir, Scratch: true, Idle: 300 * time.Millisecond, FlushEvery: 20 * time.Millisecond})
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	what, resumed, _ := strings.Cut(what, ":")
	var run *tracker.Run
	if resumed != "" {
		run, err = tr.ResumeRun(context.Background(), resumed)
	} else {
		run, err = tr.StartRun(context.Background(), tracker.RunSpec{Name: "child"})
	}
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("run", run.ID())
	if what == "many" {
		fmt.Println("error", logFromMany(context.Background(), tr, run))
		return 1
	}
	for step := int64(1); ; step++ {
		switch what {
		case "relations":
			err = run.LogRelations(resultsOf(step))
		case "results":
			err = run.LogResults(step, evaluationOf(step), map[string]float64{"valid/mrr": 1 / float64(step)})
		default:
			err = run.LogMetrics(step, map[string]float64{"loss": 1 / float64(step), "other": float64(step)})
		}
		if err != nil {
			fmt.Println("error", err)
			return 1
		}
		fmt.Println("step", step)
		time.Sleep(100 * time.Microsecond)
	}
}

// program is a running child.
type program struct {
	cmd *exec.Cmd
	out *bufio.Scanner
	run string
}

func startChild(t *testing.T, dir, uri string) *program {
	t.Helper()
	return startLogging(t, "metrics", dir, uri)
}

// startLogging starts a child that logs metrics or relations.
func startLogging(t *testing.T, what, dir, uri string) *program {
	t.Helper()
	self, err := os.Executable()
	expect.NoError(t, err)
	p := &program{cmd: exec.Command(self)}
	p.cmd.Env = append(os.Environ(), childEnv+"="+what+"|"+dir+"|"+uri)
	p.cmd.Stderr = os.Stderr
	pipe, err := p.cmd.StdoutPipe()
	expect.NoError(t, err)
	noError(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it may have ended
		_, _ = io.Copy(io.Discard, pipe)
		_ = p.cmd.Wait()
	})
	p.out = bufio.NewScanner(pipe)
	p.run = p.next(t, "run")
	return p
}

// next reads lines until one starts with word, and returns its rest.
func (p *program) next(t *testing.T, word string) string {
	t.Helper()
	for p.out.Scan() {
		kind, rest, _ := strings.Cut(p.out.Text(), " ")
		if kind == "error" {
			t.Fatal("the child: ", rest)
		}
		if kind == word {
			return rest
		}
	}
	t.Fatalf("the child ended without %q: %v", word, p.out.Err())
	return ""
}

// kill ends the child with SIGKILL and returns the last step whose log call returned.
func (p *program) kill(t *testing.T) int64 {
	t.Helper()
	noError(t, p.cmd.Process.Kill())
	var last int64
	for p.out.Scan() {
		// The last line may have been torn off.
		var step int64
		if _, err := fmt.Sscanf(p.out.Text(), "step %d", &step); err == nil {
			last = max(last, step)
		}
	}
	_ = p.cmd.Wait() // killed
	return last
}
