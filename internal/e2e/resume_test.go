package e2e

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

// Not parallel: two signals count as one within a second, which a busy machine stretches.
func TestKilledAndInterruptedRunsResumeBitIdentically(t *testing.T) {
	p := newProgram(t)
	// More epochs than fit into the pipe: without a reader of its events, the program cannot end.
	config := smallJob(t, 500)
	p.ok("train", config, "--set", "name=whole")
	digest, _, history := p.shown("whole")
	if len(digest) != 64 || len(history) < 400 {
		t.Fatalf("digest %q, %d points", digest, len(history))
	}

	killed := p.start(config, "--set", "name=killed")
	killed.until(t, 40)
	expect.NoError(t, killed.cmd.Process.Signal(syscall.SIGKILL))
	killed.end()
	again := p.start("--resume", killed.runID[:12], "--threads", "2")
	again.until(t, 90)
	expect.NoError(t, again.cmd.Process.Signal(syscall.SIGKILL))
	again.end()
	p.ok("train", "--resume", "killed", "--threads", "3")
	if got, status, points := p.shown("killed"); got != digest || status != "FINISHED" || !maps.Equal(points, history) {
		t.Errorf("after SIGKILL: status %s, digest equal %v, %d points of %d", status, got == digest, len(points),
			len(history))
	}

	stopped := p.start(config, "--set", "name=stopped")
	stopped.until(t, 30)
	expect.NoError(t, stopped.cmd.Process.Signal(os.Interrupt))
	if code := stopped.end(); code != exitInterrupted {
		t.Errorf("exit %d after an interrupt\n%s", code, stopped.stderr)
	}
	for _, want := range []string{"its state is saved", "train --resume " + stopped.runID[:8]} {
		if !strings.Contains(stopped.stderr.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, stopped.stderr)
		}
	}
	if _, status, _ := p.shown("stopped"); status != "KILLED" {
		t.Errorf("status %s after an interrupt", status)
	}
	// timeout(1) sends its signal twice. That counts as one, and the run is saved.
	doubled := p.start("--resume", "stopped")
	doubled.until(t, 50)
	release := p.lockRuns()
	defer release()
	doubled.signal(t, syscall.SIGTERM)
	doubled.says(t, "saving")
	doubled.signal(t, syscall.SIGTERM)
	time.Sleep(sameOrder / 2)
	release()
	if code := doubled.end(); code != exitInterrupted ||
		!strings.Contains(doubled.stderr.String(), "its state is saved") {
		t.Errorf("exit %d after a doubled signal\n%s", code, doubled.stderr)
	}
	if _, status, _ := p.shown("stopped"); status != "KILLED" {
		t.Errorf("status %s after a doubled signal", status)
	}
	// A later second interrupt ends the program at once.
	twice := p.start("--resume", "stopped")
	twice.until(t, 100)
	release = p.lockRuns()
	defer release()
	twice.signal(t, os.Interrupt)
	twice.says(t, "saving")
	time.Sleep(sameOrder + 200*time.Millisecond)
	twice.signal(t, os.Interrupt)
	if code := twice.end(); code != exitInterrupted {
		t.Errorf("exit %d after two interrupts\n%s", code, twice.stderr)
	}
	release()
	for _, want := range []string{"ended at once", "train --resume " + twice.runID[:8]} {
		if !strings.Contains(twice.stderr.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, twice.stderr)
		}
	}
	if _, status, _ := p.shown("stopped"); status != "KILLED" {
		t.Errorf("status %s after two interrupts", status)
	}
	p.fails(exitUsage, []string{"the run was started with seed = 42"}, "train", "--resume", "stopped",
		"--set", "seed=1")
	p.ok("train", "--resume", "stopped")
	if got, status, points := p.shown("stopped"); got != digest || status != "FINISHED" ||
		!maps.Equal(points, history) {
		t.Errorf("after interrupts: status %s, digest equal %v, %d points of %d", status, got == digest, len(points),
			len(history))
	}
}

func TestDivergenceIsToldInOneLine(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.fails(exitFailed, []string{"the loss became", "at epoch ", "step ", "train.learning_rate",
		"the state after epoch 0 is kept"},
		"train", smallJob(t, 50), "--set", "train.learning_rate=1000", "--set", "train.beta2=1e-9",
		"--set", "train.adam_epsilon=1e-30")
	if _, status, _ := p.shown("last"); status != "FAILED" {
		t.Errorf("status %s", status)
	}
}

func TestFailedRunsSayHowToGoOn(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	j := p.start(smallJob(t, 5000))
	j.until(t, 20)
	artifacts := filepath.Join(strings.TrimPrefix(p.env[1], "SPHERELAB_HOME="), "artifacts")
	folders, err := filepath.Glob(filepath.Join(artifacts, "*", j.runID))
	if err != nil || len(folders) == 0 {
		folders, err = filepath.Glob(filepath.Join(artifacts, j.runID))
	}
	if err != nil || len(folders) != 1 {
		t.Fatalf("the run's artifacts: %q, %v", folders, err)
	}
	// A file in place of the folder simulates a full disk.
	expect.NoError(t, errors.Join(os.Rename(folders[0], folders[0]+".away"), os.WriteFile(folders[0], nil, 0o644)))
	if code := j.end(); code != exitFailed || !strings.Contains(j.stderr.String(), "cannot save the state") ||
		!strings.HasSuffix(j.stderr.String(), "train --resume "+j.runID[:8]+"` resumes it\n") {
		t.Errorf("exit %d\n%s", code, j.stderr)
	}
}
