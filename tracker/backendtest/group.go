package backendtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
)

// oneGroup: there is only one group of a name. It is found by its name or id only, and takes runs that are not in
// another group.
func oneGroup(t *testing.T, s Site) {
	ctx := context.Background()
	spec := tracker.GroupSpec{Experiment: "far", Kind: "sweep", Name: "sweep.yaml", Tags: map[string]string{"a": "b"},
		Files: map[string][]byte{"sweep.yaml": []byte("runs:")}}
	run := Logged(t, open(t, s, t.TempDir()))
	expect.NoError(t, run.Finish(ctx, tracker.Finished))
	one := open(t, s, t.TempDir())
	id := expect.Must[string](t)(one.OpenGroup(ctx, spec))
	if other := expect.Must[string](t)(open(t, s, t.TempDir()).OpenGroup(ctx, spec)); other != id {
		t.Errorf("groups %s and %s", id, other)
	}
	expect.NoError(t, one.SetParent(ctx, expect.Must[tracker.RunInfo](t)(one.FindRun(ctx, run.ID())), id))
	other := expect.Must[string](t)(one.OpenGroup(ctx, tracker.GroupSpec{Experiment: "far", Kind: "sweep", Name: "other"}))
	expect.NoError(t, one.SetParent(ctx, expect.Must[tracker.RunInfo](t)(one.FindRun(ctx, run.ID())), other))
	expect.NoError(t, one.SetGroup(ctx, id, tracker.GroupState{Status: tracker.Finished, Tags: map[string]string{"best": "x"},
		Metrics: map[string]float64{"valid/mrr": 0.5}}))
	for _, tr := range []*tracker.Tracker{one, s.Stored().Tracker} {
		if again := expect.Must[string](t)(tr.OpenGroup(ctx, spec)); tr == one && again != id {
			t.Errorf("the group is %s, then %s", id, again)
		}
		if last := expect.Must[tracker.RunInfo](t)(tr.FindRun(ctx, "last")); last.ID != run.ID() || last.Tags[tracker.TagParent] != id {
			t.Errorf("the newest run is %+v", last)
		}
		if all := expect.Must[[]tracker.RunInfo](t)(tr.Runs(ctx, tracker.Filter{})); len(all) != 1 {
			t.Errorf("%d runs", len(all))
		}
		group := expect.Must[tracker.RunInfo](t)(tr.FindRun(ctx, id[:12]))
		if group.Name != "sweep.yaml" || group.Tags["best"] != "x" || group.Metrics["valid/mrr"] != 0.5 {
			t.Errorf("the group is %+v", group)
		}
	}
	dir := expect.Must[string](t)(expect.Must[tracker.RunInfo](t)(s.Stored().FindRun(ctx, id)).ArtifactDir())
	if text, err := os.ReadFile(filepath.Join(dir, "sweep.yaml")); err != nil || string(text) != "runs:" {
		t.Errorf("the group keeps %q, %v", text, err)
	}
}
