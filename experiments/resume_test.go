package experiments

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestInterruptedRunsResumeBitIdentically(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	data := runtest.CircleGraph(t, 30)
	whole, err := (&Runner{Tracker: tr}).Train(ctx, runtest.Checked(t, runtest.SmallConfig(data)))
	expect.NoError(t, err)
	want := runtest.Logged(t, tr, whole.RunID)

	cfg := runtest.SmallConfig(data)
	cfg.Threads = 2
	cancelAt := func(kind progress.Kind, epoch int) (context.Context, progress.Listener) {
		ctx, cancel := context.WithCancel(ctx)
		return ctx, runtest.Watch(func(e progress.Event) {
			if e.Event == kind && e.Epoch == epoch {
				cancel()
			}
		})
	}
	stopped, shown := cancelAt(progress.EpochDone, 1)
	_, err = (&Runner{Tracker: tr, Progress: shown}).Train(stopped, runtest.Checked(t, cfg))
	var interrupted *InterruptedError
	if !errors.As(err, &interrupted) || interrupted.Epoch != 1 {
		t.Fatalf("error %v", err)
	}
	id := interrupted.RunID
	info, err := tr.FindRun(ctx, id)
	if err != nil || info.Status != "KILLED" {
		t.Fatalf("status %s, %v", info.Status, err)
	}
	// Interrupted again: after an epoch, in the validation that follows one, in the final evaluation.
	for _, at := range []struct {
		kind  progress.Kind
		epoch int
	}{{progress.EpochDone, 4}, {progress.Validated, 6}, {progress.Evaluating, 0}} {
		stopped, shown := cancelAt(at.kind, at.epoch)
		_, err = (&Runner{Tracker: tr, Progress: shown}).Resume(stopped, id,
			config.Layers{Flags: []config.FlagValue{{Flag: "threads", Key: "threads", Value: "3"}}})
		if !errors.As(err, &interrupted) {
			t.Fatalf("interrupt at %s %d: %v", at.kind, at.epoch, err)
		}
	}
	dir, err := info.ArtifactDir()
	expect.NoError(t, err)
	left := filepath.Join(dir, "."+answer.StateFile+".77") // as by a program that was killed while it saved
	expect.NoError(t, os.WriteFile(left, nil, 0o644))
	result, err := (&Runner{Tracker: tr, Environment: Environment{GitHead: "b"}}).Resume(ctx, id, config.Layers{})
	expect.NoError(t, err)
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a killed save left is there: %v", err)
	}
	if result.Digest != whole.Digest {
		t.Error("the resumed run ended with other parameters")
	}
	if got := runtest.Logged(t, tr, id); !maps.Equal(got, want) {
		t.Errorf("the resumed run logged other numbers: %d, want %d", len(got), len(want))
	}
	info, err = tr.FindRun(ctx, id)
	if err != nil || info.Status != "FINISHED" || info.Tags["resumed"] != "4" || info.Tags["git_heads"] != "unknown b" {
		t.Errorf("status %s, resumed %s by %s, %v", info.Status, info.Tags["resumed"], info.Tags["git_heads"], err)
	}
	if _, err := (&Runner{Tracker: tr}).Resume(ctx, id, config.Layers{}); err == nil || !strings.Contains(err.Error(),
		"nothing to resume") {
		t.Errorf("resuming a finished run: %v", err)
	}
}

func TestResumeRefusesConflicts(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	data := runtest.CircleGraph(t, 30)
	stopped, cancel := context.WithCancel(ctx)
	_, err := (&Runner{Tracker: tr, Progress: runtest.Watch(func(e progress.Event) { cancel() })}).Train(stopped,
		runtest.Checked(t, runtest.SmallConfig(data)))
	var interrupted *InterruptedError
	if !errors.As(err, &interrupted) {
		t.Fatal(err)
	}
	for want, l := range map[string]config.Layers{
		"--set seed=7: the run was started with seed = 42; start a new run for 7":                {Set: []string{"seed=7"}},
		"environment variable SPHERELAB_TRAIN_EPOCHS: the run was started with train.epochs = 8": {Env: []string{"SPHERELAB_TRAIN_EPOCHS=9"}},
		"--set nonsense=1: unknown key nonsense":                                                 {Set: []string{"nonsense=1"}},
		"flag --threads: threads must be a number from 0 to 4096, not -1":                        {Flags: []config.FlagValue{{Flag: "threads", Key: "threads", Value: "-1"}}},
		"a resumed run keeps its config; leave out bundled/rotate":                               {Config: "bundled/rotate"},
	} {
		if _, err := (&Runner{Tracker: tr}).Resume(ctx, interrupted.RunID, l); err == nil ||
			!strings.Contains(err.Error(),
				want) {
			t.Errorf("%+v: error %v, want %q", l, err, want)
		}
	}
	// The graph has changed in the meantime.
	file := filepath.Join(data, "train.txt")
	raw, err := os.ReadFile(file)
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile(file, append(raw, "e00\tplus1\te05\n"...), 0o644))
	if _, err := (&Runner{Tracker: tr}).Resume(ctx, interrupted.RunID, config.Layers{}); err == nil ||
		!strings.Contains(err.Error(), "trained on another graph") {
		t.Errorf("changed graph: %v", err)
	}
	if info, err := tr.FindRun(ctx, interrupted.RunID); err != nil || info.Status != "KILLED" {
		t.Errorf("refused resumes left status %s, %v", info.Status, err)
	}
}

func TestGitHeads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, heads, now, want string }{
		{"a", "", "a", ""}, {"a", "", "", ""}, {"a", "", "b", "a b"}, {"a", "a b", "c", "a b c"}, {"a", "a b", "a",
			"a b"}, {"", "", "b", "unknown b"}, {"", "", "", ""},
	} {
		if got := gitHeads(strings.Fields(cmp.Or(c.heads, c.first)), c.now); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
