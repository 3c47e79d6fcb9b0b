package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/internal/hint"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestDivergedRunFailsAndKeepsItsState(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 30))
	// Adam divides by nearly nothing where an entity has no gradient in a step.
	cfg.Train.LearningRate, cfg.Train.Beta2, cfg.Train.AdamEpsilon, cfg.Train.SaveEvery = 1000, 1e-9, 1e-30, 1
	_, err := (&Runner{Tracker: tr}).Train(ctx, runtest.Checked(t, cfg))
	var failed *FailedError
	var diverged *sphere.DivergedError
	if !errors.As(err, &failed) || !errors.As(err, &diverged) {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{fmt.Sprintf("epoch %d, step %d", diverged.Epoch, diverged.Step), "learning_rate",
		"is kept"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
	info, findErr := tr.FindRun(ctx, failed.RunID)
	if findErr != nil || info.Status != "FAILED" {
		t.Errorf("status %s, %v", info.Status, findErr)
	}
	dir, err := info.ArtifactDir()
	expect.NoError(t, err)
	if _, err := os.Stat(filepath.Join(dir, answer.StateFile)); err != nil || failed.StateEpoch != diverged.Epoch-1 {
		t.Errorf("the last good state is of epoch %d: %v", failed.StateEpoch, err)
	}
}

func TestUnwritableStateFailsTheRun(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	r := &Runner{Tracker: tr}
	var dir string
	r.Progress = runtest.Watch(func(e progress.Event) {
		if e.Event != progress.EpochDone || e.Epoch != 2 {
			return
		}
		info, err := tr.FindRun(ctx, e.RunID)
		if err == nil {
			dir, err = info.ArtifactDir()
		}
		if err == nil {
			err = os.Rename(dir, dir+".away") // simulates a lost disk; file modes do not stop root
		}
		if err != nil {
			t.Error(err)
		}
	})
	_, err := r.Train(ctx, runtest.Checked(t, runtest.SmallConfig(runtest.CircleGraph(t, 30))))
	var failed *FailedError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "cannot save the state") || failed.StateEpoch != 0 {
		t.Fatalf("error %v", err)
	}
	info, err := tr.FindRun(ctx, failed.RunID)
	if err != nil || info.Status != "FAILED" || !(info.Metrics["loss"] > 0) {
		t.Errorf("status %s, %v", info.Status, err)
	}
	// Once the disk is back, the run can be finished.
	expect.NoError(t, errors.Join(os.RemoveAll(dir), os.Rename(dir+".away", dir)))
	if _, err := (&Runner{Tracker: tr}).Resume(ctx, failed.RunID, config.Layers{}); err != nil {
		t.Error(err)
	}
}

func TestFullDiskNamesTheRemedy(t *testing.T) {
	t.Parallel()
	full := fmt.Errorf("cannot save the state of the run: %w",
		&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
	kept := &FailedError{RunID: "0123456789", RunName: "n", Err: full, StateEpoch: 3}
	none := &FailedError{RunID: "0123456789", RunName: "n", Err: full, StateEpoch: -1}
	if text := kept.Error(); !strings.Contains(text, "free space on the disk of the data directory") ||
		len(kept.Hints()) != 1 || kept.Hints()[0].Action != hint.ResumeRun {
		t.Errorf("with a state: %s", text)
	}
	if text := none.Error(); !strings.Contains(text, "free space") ||
		!slices.Equal(none.Hints(), []hint.Hint{{Action: hint.NameHome}}) {
		t.Errorf("without a state: %s", text)
	}
	diverged := &FailedError{Err: fmt.Errorf("x: %w", &sphere.DivergedError{}), StateEpoch: 3}
	if diverged.Hints() != nil || strings.Contains(diverged.Error(), "free space") {
		t.Errorf("a diverged run: %v", diverged)
	}
}

func TestAbandonedRunIsKilledAndResumes(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	data := runtest.CircleGraph(t, 30)
	whole, err := (&Runner{Tracker: tr}).Train(ctx, runtest.Checked(t, runtest.SmallConfig(data)))
	expect.NoError(t, err)
	r := &Runner{Tracker: tr}
	if hints := r.Abandon(); hints != nil {
		t.Errorf("abandoned %v without a run", hints)
	}
	var hints []hint.Hint
	r.Progress = runtest.Watch(func(e progress.Event) {
		if e.Event == progress.EpochDone && e.Epoch == 5 { // in a program that ends now
			hints = r.Abandon()
		}
	})
	_, err = r.Train(ctx, runtest.Checked(t, runtest.SmallConfig(data)))
	var failed *FailedError
	if !errors.As(err, &failed) || !slices.Equal(hints, []hint.Hint{{Action: hint.ResumeRun, Subject: failed.RunID}}) {
		t.Fatalf("abandoned %v, error %v", hints, err)
	}
	id := failed.RunID
	if _, err := tr.ReplaySpools(ctx); err != nil { // as the next program does when it starts
		t.Fatal(err)
	}
	if info, err := tr.FindRun(ctx, id); err != nil || info.Status != "KILLED" || !(info.Metrics["loss"] > 0) {
		t.Errorf("status %s, %v", info.Status, err)
	}
	if result, err := (&Runner{Tracker: tr}).Resume(ctx, id, config.Layers{}); err != nil ||
		result.Digest != whole.Digest {
		t.Errorf("resumed: %v", err)
	}
}

// awayRun is a run whose database went away after it was started.
type awayRun struct {
	dir    string
	status tracker.Status
	state  bool // the saved state was there when the end was recorded
}

func (r *awayRun) SetError(error) error { return nil }

func (r *awayRun) Stopping() <-chan struct{} { return nil }

func (r *awayRun) ID() string                                  { return "0123456789abcdef" }
func (r *awayRun) Name() string                                { return "away" }
func (r *awayRun) ArtifactDir() string                         { return r.dir }
func (r *awayRun) LogMetrics(int64, map[string]float64) error  { return nil }
func (r *awayRun) LogRelations([]tracker.RelationResult) error { return nil }
func (r *awayRun) Flush(context.Context) error                 { return nil }
func (r *awayRun) SetTags(map[string]string) error             { return nil }
func (r *awayRun) LogResults(int64, []tracker.EvaluationResult, map[string]float64) error {
	return nil
}
func (r *awayRun) InBucket() bool                            { return false }
func (r *awayRun) Withdraw(context.Context, ...string) error { return nil }
func (r *awayRun) Publish(context.Context, ...string) error  { return nil }
func (r *awayRun) Finish(_ context.Context, s tracker.Status) error {
	r.status, r.state = s, filekind.IsFile(filepath.Join(r.dir, answer.StateFile))
	return &tracker.Error{Code: tracker.CodeSpooled, Message: "away"}
}

func TestDatabaseAwayDoesNotFailARun(t *testing.T) {
	t.Parallel()
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 30))
	g, err := config.OpenGraph(cfg.Data, nil)
	expect.NoError(t, err)
	var notes []string
	s, err := newSession(&Runner{Progress: runtest.Watch(func(e progress.Event) {
		if e.Event == progress.Note {
			notes = append(notes, e.Message)
		}
	})}, cfg, g)
	expect.NoError(t, err)
	model, err := sphere.New(cfg.Settings(), g, cfg.Seed)
	expect.NoError(t, err)
	if s.trainer, err = sphere.NewTrainer(model, g, cfg.Training()); err != nil {
		t.Fatal(err)
	}
	defer s.trainer.Close()
	run := &awayRun{dir: t.TempDir()}
	s.run = run
	result, err := s.drive(context.Background(), progress.RunStarted)
	if err != nil || result.Digest != model.Digest() || run.status != tracker.Finished || !slices.Contains(notes, "warning: away") {
		t.Errorf("error %v, status %s, notes %q", err, run.status, notes)
	}
	if !run.state { // without it, a run that is killed here cannot be resumed
		t.Error("the state was removed before the end of the run was recorded")
	}
	if filekind.IsFile(filepath.Join(run.dir, answer.StateFile)) {
		t.Error("the finished run keeps its state")
	}
}
