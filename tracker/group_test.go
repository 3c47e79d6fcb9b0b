package tracker_test

import (
	"context"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// Programs that open a group at once get the same run. A run whose group was deleted is taken over by another.
func TestGroupIsOneRun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Open(t)
	spec := tracker.GroupSpec{Experiment: "test", Kind: "sweep", Name: "sweep.yaml"}
	const programs = 4
	ids := make(chan string)
	for range programs {
		own := trackertest.OpenWith(t, tr.URL(), tracker.Options{DataDir: t.TempDir(), ArtifactDir: tr.ArtifactRoot()})
		go func() {
			id, err := own.OpenGroup(ctx, spec)
			if err != nil {
				t.Error(err)
			}
			ids <- id
		}()
	}
	id := <-ids
	for range programs - 1 {
		if other := <-ids; other != id {
			t.Errorf("groups %s and %s", id, other)
		}
	}
	run := startRun(t, tr, "part")
	noError(t, run.Finish(ctx, tracker.Finished))
	parent := func() string { return must[tracker.RunInfo](t)(tr.FindRun(ctx, "part")).Tags[tracker.TagParent] }
	spec.Name = "other.yaml"
	other := must[string](t)(tr.OpenGroup(ctx, spec))
	for _, group := range []string{id, other} {
		noError(t, tr.SetParent(ctx, must[tracker.RunInfo](t)(tr.FindRun(ctx, "part")), group))
		if parent() != id {
			t.Errorf("the run belongs to %s, want %s", parent(), id)
		}
	}
	noError(t, tr.Delete(ctx, id))
	noError(t, tr.SetParent(ctx, must[tracker.RunInfo](t)(tr.FindRun(ctx, "part")), other))
	if parent() != other {
		t.Errorf("the run belongs to %s, want %s", parent(), other)
	}
}
