package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// killRounds is how often TestKillsAtRandomMoments kills: a tenth by default, all with SPHERELAB_SOAK=1.
func killRounds() int {
	if os.Getenv("SPHERELAB_SOAK") == "1" {
		return 100
	}
	return 10
}

// loggers is how many goroutines of a child log at once, each to a key of its own.
const loggers = 4

func loggerKey(logger int) string { return fmt.Sprintf("key_%d", logger) }

// loggerValue is what a logger logs at a step, the same after a resume.
func loggerValue(logger int, step int64) float64 { return float64(step)/3 + float64(logger) }

// logFromMany logs from several goroutines until it is killed, and prints each point when its call has returned. The
// last steps that a resumed run has are logged again.
func logFromMany(ctx context.Context, tr *postgres.Store, run *tracker.Run) error {
	info, err := tr.FindRun(ctx, run.ID())
	if err != nil {
		return err
	}
	var out sync.Mutex
	failed := make(chan error)
	for logger := range loggers {
		go func() {
			for step := max(1, info.Steps[loggerKey(logger)]-20); ; step++ {
				err := run.LogMetrics(step, map[string]float64{loggerKey(logger): loggerValue(logger, step)})
				if err != nil {
					failed <- err
					return
				}
				out.Lock()
				fmt.Println("accepted", logger, step)
				out.Unlock()
				time.Sleep(50 * time.Microsecond)
			}
		}()
	}
	return <-failed
}

// accepted reads what a child prints until it has ended: the last accepted step of each logger.
func accepted(p *program) (last [loggers]int64) {
	for p.out.Scan() {
		var logger int
		var step int64
		if _, err := fmt.Sscanf(p.out.Text(), "accepted %d %d", &logger, &step); err == nil { // else a torn line
			last[logger] = max(last[logger], step)
		}
	}
	return last
}

// TestKillsAtRandomMoments kills the program that logs, or its database, or both, at random moments. Every point whose
// log call returned is stored, and once. Some programs resume the run of the one before them.
func TestKillsAtRandomMoments(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	tr := cluster(t, dir)
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	moment := func() { time.Sleep(time.Duration(r.Int64N(int64(120 * time.Millisecond)))) }
	t.Logf("seed %d", seed)
	var previous string
	var least [loggers]int64 // stored steps of the previous run
	kills := map[string]int{}
	for round := range killRounds() {
		what := "many"
		resumes := previous != "" && r.IntN(3) == 0
		if resumes {
			what += ":" + previous
		} else {
			least = [loggers]int64{}
		}
		p := startLogging(t, what, dir, "")
		ended := make(chan [loggers]int64, 1)
		go func() { ended <- accepted(p) }()
		moment()
		victim := []string{"program", "database", "both"}[(round+int(seed%3))%3]
		kills[victim]++
		if victim != "program" {
			killServer(t, dir)
		}
		if victim == "database" { // the program continues, and the database comes back or not before it dies
			moment()
			time.Sleep(time.Duration(r.Int64N(int64(time.Second))))
		}
		noError(t, p.cmd.Process.Kill())
		last := <-ended
		_ = p.cmd.Wait() // killed
		// A process that the program was just starting holds the lock of its spool for a moment more.
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			_, err := tr.ReplaySpools(ctx)
			noError(t, err)
			if len(spools(t, dir)) == 0 || time.Now().After(deadline) {
				break
			}
		}
		for logger := range loggers {
			atLeast := max(last[logger], least[logger])
			least[logger] = checkSteps(t, tr, p.run, loggerKey(logger), atLeast,
				func(s int64) float64 { return loggerValue(logger, s) })
		}
		if left := spools(t, dir); len(left) != 0 {
			t.Fatalf("round %d, %s killed: left behind: %v", round, victim, left)
		}
		if resumes && p.run != previous {
			t.Fatalf("round %d: run %s was resumed as %s", round, previous, p.run)
		}
		previous = p.run
	}
	t.Logf("killed %v", kills)
}
