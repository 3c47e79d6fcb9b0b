package worker

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// A worker that loses its job while its states cannot be stored is followed by one on another machine, which resumes
// from the last state in the bucket, to the same bits. A third machine answers with the model.
func TestWorkersShareABucket(t *testing.T) {
	t.Parallel()
	storage := trackertest.NewStorage(t)
	alone := trackertest.Open(t)
	s, tr := enqueued(t, "runs:\n  - config: small.yaml\n    set: [train.epochs=12, train.save_every=2, early_stop.metric=valid/head_f1]\n")
	expect.NoError(t, s.Run(t.Context(), &experiments.Runner{Tracker: alone}, search.Options{}))
	machine := func(login tracker.BucketLogin) *tracker.Tracker {
		return trackertest.OpenWith(t, trackertest.StoreOf(t, tr).URL(), tracker.Options{ArtifactDir: "s3://runs/lab", Bucket: login,
			RetryFor: 100 * time.Millisecond})
	}
	taken, ended := make(chan struct{}), make(chan struct{})
	first := &Worker{Runner: &experiments.Runner{Tracker: machine(storage.Login),
		Progress: runtest.Watch(func(e progress.Event) {
			switch {
			case e.Event == progress.Saved && e.Epoch == 2:
				storage.Cut(500) // in the midst of the next state
			case e.Event == progress.EpochDone && e.Epoch == 9 && storage.Cuts() > 0:
				if _, err := trackertest.StoreOf(t, tr).DB().Exec(`UPDATE spherelab.job SET lease_until = clock_timestamp()`); err != nil {
					t.Error(err)
				}
				close(taken)
				<-ended
			}
		})}, Name: "first", Drain: true, Lease: time.Hour}
	done := make(chan error)
	go func() { done <- first.Run(context.Background()) }()
	<-taken
	var from int
	second := &Worker{Runner: &experiments.Runner{Tracker: machine(storage.Direct),
		Progress: runtest.Watch(func(e progress.Event) {
			if e.Event == progress.RunResumed {
				from = e.Epoch
			}
		})}, Name: "second", Drain: true}
	expect.NoError(t, second.Run(t.Context()))
	storage.Mend()
	close(ended)
	expect.NoError(t, <-done)
	if from != 2 {
		t.Errorf("the run was resumed from epoch %d, want the last one in the bucket", from)
	}
	third := machine(storage.Direct)
	if got, want := digests(t, s, third), digests(t, s, alone); !slices.Equal(got, want) {
		t.Errorf("the checkpoints are %v, alone %v", got, want)
	}
	info, err := third.FindRun(t.Context(), "last")
	expect.NoError(t, err)
	if !answer.HasModel(info) || runtest.Artifact(t, info, answer.ModelFile) != "" {
		t.Error("the model is here before it was asked for, or cannot be asked for")
	}
	run, err := answer.Open(t.Context(), third, info.ID, nil)
	if err != nil || run.Model.Digest() != info.Tags[answer.TagDigest] {
		t.Errorf("the model on another machine: %v", err)
	}
	objects, err := third.Objects(t.Context(), info)
	for _, o := range objects {
		if o.Name == answer.StateFile || o.Name == answer.BestFile {
			t.Errorf("the finished run keeps %s", o.Name)
		}
	}
	if err != nil || len(objects) < 5 {
		t.Errorf("the bucket has %+v, %v", objects, err)
	}
}

// A run that one machine interrupts is resumed on another one, which has nothing of it.
func TestResumeFromABucket(t *testing.T) {
	t.Parallel()
	storage, uri := trackertest.NewStorage(t), trackertest.Database(t)
	machine := func() *tracker.Tracker {
		return trackertest.OpenWith(t, uri, tracker.Options{ArtifactDir: "s3://runs", Bucket: storage.Login})
	}
	cfg := runtest.SmallConfig(runtest.CircleGraph(t, 30))
	whole, err := (&experiments.Runner{Tracker: machine()}).Train(t.Context(), runtest.Checked(t, cfg))
	expect.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a, b := machine(), machine()
	_, err = (&experiments.Runner{Tracker: a, Progress: runtest.After(3, cancel)}).Train(ctx, runtest.Checked(t, cfg))
	if err == nil {
		t.Fatal("the run was not interrupted")
	}
	info, err := b.FindRun(t.Context(), "last")
	if err != nil || !answer.CanResume(info) {
		t.Fatalf("the run is %s, %v", info.Status, err)
	}
	result, err := (&experiments.Runner{Tracker: b}).Resume(t.Context(), info.ID, config.Layers{})
	if err != nil || result.Digest != whole.Digest {
		t.Errorf("resumed on another machine: %v", err)
	}
	// One that ended before its first state has nothing to resume.
	started, err := a.StartRun(t.Context(), tracker.RunSpec{Name: "none"})
	expect.NoError(t, err)
	expect.NoError(t, started.Finish(t.Context(), tracker.Killed))
	if info, err = b.FindRun(t.Context(), started.ID()); err != nil {
		t.Fatal(err)
	}
	if answer.CanResume(info) {
		t.Error("a run of another program can be resumed")
	}
	info.Params[config.ParamHash] = "x"
	if !answer.CanResume(info) {
		t.Error("a run in a bucket cannot be resumed")
	}
	if can, err := (&experiments.Runner{Tracker: b}).CanResume(t.Context(), info); err != nil || can {
		t.Errorf("can be resumed without a state: %v, %v", can, err)
	}
	if dir, err := info.ArtifactDir(); err != nil || os.RemoveAll(dir) != nil {
		t.Error(err)
	}
	if _, err := (&experiments.Runner{Tracker: b}).Resume(t.Context(), info.ID, config.Layers{}); err == nil {
		t.Error("resumed without a state")
	}
}
