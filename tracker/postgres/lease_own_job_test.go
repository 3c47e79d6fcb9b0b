package postgres_test

import (
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestTakeJobLeavesOwnJobs: a worker whose leases ran out in an outage keeps its jobs, also one that has lost so
// many workers that the next loss is the last.
func TestTakeJobLeavesOwnJobs(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	enqueue(t, tr, "sweep", "a", "b", "c")
	a, b := take(t, tr, time.Minute), take(t, tr, time.Minute)
	if _, err := tr.DB().Exec(`UPDATE spherelab.job SET losses = 4 WHERE id = $1`, a.Job.ID); err != nil {
		t.Fatal(err)
	}
	lapse(t, tr, a)
	lapse(t, tr, b)
	c, err := tr.TakeJob(t.Context(), "here", time.Minute, a.Job.ID, b.Job.ID)
	if err != nil || c == nil || c.Job.Key != "c" {
		t.Fatalf("taken was %+v, %v, want c", c, err)
	}
	for _, l := range []*postgres.Lease{a, b} {
		if err := l.Renew(t.Context()); err != nil {
			t.Errorf("%s cannot be renewed: %v", l.Job.Key, err)
		}
		lapse(t, tr, l)
	}
	// Another worker may take b, and sees that a is lost.
	if l, err := tr.TakeJob(t.Context(), "there", time.Minute); err != nil || l == nil || l.Job.Key != "b" {
		t.Errorf("another worker took %+v, %v, want b", l, err)
	}
	code(t, a.Renew(t.Context()), tracker.CodeCanceled)
}
