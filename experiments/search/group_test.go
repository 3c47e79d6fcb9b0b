package search

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestSweepIsARun: the runs of a sweep belong to a run that is the sweep. It is the same one whenever the sweep is run,
// says what has become of them and which is the best, and nothing takes it for a training.
func TestSweepIsARun(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	file := runtest.WriteSweep(t, threeRuns)
	sweep, err := Load(file, config.Layers{})
	expect.NoError(t, err)
	alone, err := (&experiments.Runner{Tracker: tr}).Train(ctx, sweep.Jobs[0].Checked) // before there is a sweep
	expect.NoError(t, err)
	stopped, cancel := context.WithCancel(ctx)
	r := &experiments.Runner{Tracker: tr, Progress: runtest.After(4, cancel)}
	var interrupted *experiments.InterruptedError
	if err := sweep.Run(stopped, r, Options{}); !errors.As(err, &interrupted) {
		t.Fatalf("error %v", err)
	}
	all := func(want int) []tracker.RunInfo {
		runs, err := tr.Runs(ctx, tracker.Filter{})
		if err != nil || len(runs) != want {
			t.Fatalf("%d runs, %v; want %d", len(runs), err, want)
		}
		return runs
	}
	first := runtest.GroupOf(t, tr, all(2))
	if first.Status != "KILLED" || first.Tags[tagRuns] != "1 finished, 1 interrupted" || first.Name != "sweep.yaml" ||
		first.Experiment != all(2)[0].Experiment || first.Tags[tracker.TagGroup] != sweepKind {
		t.Errorf("the interrupted sweep's own run is %+v", first)
	}
	if err := tr.Delete(ctx, first.ID); err != nil { // the sweep restores it
		t.Fatal(err)
	}
	for range 2 {
		expect.NoError(t, sweep.Run(ctx, &experiments.Runner{Tracker: tr}, Options{}))
		runs := all(3)
		group := runtest.GroupOf(t, tr, runs)
		best := slices.MaxFunc(runs, func(a, b tracker.RunInfo) int {
			return int(1e9 * (a.Metrics["valid/mrr"] - b.Metrics["valid/mrr"]))
		})
		if group.ID != first.ID || group.Status != "FINISHED" || group.Tags[tagRuns] != "3 finished" ||
			group.Tags[tagBestRun] != best.ID || group.Metrics["valid/mrr"] != best.Metrics["valid/mrr"] ||
			!strings.Contains(group.Tags[tagNote], best.ID) || group.End.IsZero() {
			t.Errorf("the sweep's own run is %+v", group)
		}
		dir, err := group.ArtifactDir()
		expect.NoError(t, err)
		kept, err := os.ReadFile(filepath.Join(dir, "sweep.yaml"))
		if want, err2 := os.ReadFile(file); err != nil || err2 != nil || string(kept) != string(want) {
			t.Errorf("it keeps %q, %v, %v", kept, err, err2)
		}
	}
	if last, err := tr.FindRun(ctx, "last"); err != nil || last.ID == first.ID || alone.RunID == last.ID {
		t.Errorf("the newest run is %s, %v", last.Name, err)
	}
	listed, err := trackertest.StoreOf(t, tr).List(ctx, tracker.Listing{})
	if err != nil || listed.Total != 3 || len(listed.Runs) != 3 {
		t.Errorf("the list has %d runs, %v", listed.Total, err)
	}
	asked, err := trackertest.StoreOf(t, tr).List(ctx, tracker.Listing{Search: "tags.`" + tracker.TagGroup + "` = 'sweep'"})
	if err != nil || len(asked.Runs) != 1 || asked.Runs[0].ID != first.ID {
		t.Errorf("asked for groups the list has %+v, %v", asked.Runs, err)
	}
	for _, view := range []string{"run_wide", "epoch", "result", "category", "relation", "config"} {
		where := " WHERE run_id = '" + first.ID + "'"
		if view == "config" {
			where = " WHERE config_key IS NULL"
		}
		if table, err := trackertest.StoreOf(t, tr).SQL(ctx, "SELECT * FROM "+view+where); err != nil || len(table.Rows) != 0 {
			t.Errorf("view %s has %v, %v", view, table, err)
		}
	}
	if table, err := trackertest.StoreOf(t, tr).SQL(ctx, "SELECT count(*) FROM run_wide"); err != nil || table.Rows[0][0] != int64(3) {
		t.Errorf("run_wide has %v rows, %v", table, err)
	}
	if _, err := answer.Open(ctx, tr, first.ID, nil); err == nil || !strings.Contains(err.Error(), "sweep.yaml") {
		t.Errorf("opened as a model: %v", err)
	}
}

// TestSweepFails: a sweep of which a run failed is FAILED.
func TestSweepFails(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	sweep, err := Load(runtest.WriteSweep(t, "runs:\n  - config: small.yaml\n    seeds: [1]\n  - config: small.yaml\n"+
		"    set: [train.learning_rate=1000, train.beta2=1e-9, train.adam_epsilon=1e-30]\n"), config.Layers{})
	expect.NoError(t, err)
	if err := sweep.Run(ctx, &experiments.Runner{Tracker: tr}, Options{}); err == nil {
		t.Fatal("nothing failed")
	}
	runs, err := tr.Runs(ctx, tracker.Filter{})
	expect.NoError(t, err)
	if group := runtest.GroupOf(t, tr, runs); group.Status != "FAILED" || group.Tags[tagRuns] != "1 finished, 1 failed" {
		t.Errorf("the sweep's own run is %+v", group)
	}
}
