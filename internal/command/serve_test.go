package command

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// A server finds out that the program of a run has died. The run of a living program stays.
func TestServerFindsDeadPrograms(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	served := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
	open := func(name string) (*tracker.Tracker, string) {
		program, err := open.Tracker(ctx, uri, tracker.Options{DataDir: dir})
		expect.NoError(t, err)
		run, err := program.StartRun(ctx, tracker.RunSpec{Name: name})
		expect.NoError(t, err)
		return program, run.ID()
	}
	living, livingRun := open("living")
	defer living.Close()
	dying, dyingRun := open("dying")
	if err := dying.Close(); err != nil { // it leaves the spool of its run, as a kill does
		t.Fatal(err)
	}
	status := func(id string) string {
		info, err := served.FindRun(ctx, id)
		expect.NoError(t, err)
		return info.Status
	}
	if got := status(dyingRun); got != string(tracker.Running) {
		t.Fatalf("before the server looks, the run is %s", got)
	}
	end := startReplay(ctx, served, time.Millisecond, func(line string) { t.Error(line) })
	defer end()
	for status(dyingRun) == string(tracker.Running) {
		time.Sleep(10 * time.Millisecond)
	}
	if got := status(dyingRun); got != string(tracker.Failed) {
		t.Errorf("the run of the dead program is %s", got)
	}
	if got := status(livingRun); got != string(tracker.Running) {
		t.Errorf("the run of the living program is %s", got)
	}
}

// A server summarises the runs that ended while it served, so that no later command has to.
func TestServerMakesSummaries(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri := trackertest.Database(t)
	served := trackertest.StoreWith(t, uri, tracker.Options{})
	for range 3 {
		run, err := served.StartRun(ctx, tracker.RunSpec{Name: "ended"})
		expect.NoError(t, err)
		err = errors.Join(run.LogMetrics(1, map[string]float64{"loss": .5}), run.Finish(ctx, tracker.Finished))
		expect.NoError(t, err)
	}
	summaries := func() (n int) {
		expect.NoError(t, served.DB().GetContext(ctx, &n, "SELECT count(*) FROM spherelab.run_summary"))
		return n
	}
	// As with runs of other clients.
	if _, err := served.DB().ExecContext(ctx, "DELETE FROM spherelab.run_summary"); err != nil {
		t.Fatal(err)
	}
	if n := summaries(); n != 0 {
		t.Fatalf("before the server looks, there are %d summaries", n)
	}
	end := startReplay(ctx, served, time.Millisecond, func(line string) { t.Error(line) })
	defer end()
	for began := time.Now(); summaries() < 3; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("after a minute there are %d summaries of 3 runs", summaries())
		}
	}
}
