package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
)

// Verify compares a finished run with another one: every logged number, bit by bit, and the checkpoint's digest.
// Without another run it compares with the embedded result that has the same config, seed and graph. Times, speeds and
// sizes are not compared.
//
//	run.Verify()
//	run.Verify(lab.Run("another"))
func (r *Run) Verify(other ...*Run) *Grid {
	if len(other) > 1 {
		panic(fail(UnknownRun, "Verify compares with one run, not with %d", len(other)))
	}
	ctx := r.context()
	if r.embedded != nil {
		panic(fail(UnknownRun, "run %s is the embedded result itself; a run of this tracker is compared with it: "+
			"lab.Train(run.Graph(), run.Model()).Verify()", r.label()))
	}
	first := r.session.find(ctx, r.ID())
	var second results.Run
	var archive *results.Archive // nil: a run of this tracker
	from := "this tracker"
	switch {
	case len(other) == 0:
		twin, err := results.EmbeddedTwin(first)
		check(err)
		second, archive, from = results.Read(twin.Info), twin.Archive, twin.File
	case other[0] != nil && other[0].embedded != nil:
		second, archive, from = other[0].run, other[0].embedded.Archive, other[0].embedded.File
	default:
		second = r.session.find(ctx, other[0].ID())
	}
	return r.session.verify(ctx, first, second, from, archive)
}

// Reproduce trains the run again from its logged config, seed and graph, as a new run, and compares the two like
// Verify. The graph is found by its digest. An embedded result needs no run in the tracker.
//
//	run.Reproduce()
//
// An interrupt of the cell saves the new run, and the same call resumes it.
func (r *Run) Reproduce() *Grid {
	original := r.logged()
	from, archive := "this tracker", (*results.Archive)(nil)
	if r.embedded != nil {
		from, archive = r.embedded.File, r.embedded.Archive
	}
	again := r.session.drive(nil, func(ctx context.Context, runner *experiments.Runner) (*experiments.Result, error) {
		return runner.Reproduce(ctx, original.Stored, experiments.ReproduceOptions{Threads: r.session.o.Threads})
	})
	return r.session.verify(r.context(), again.run, original, from, archive)
}

// verify compares a run of the tracker with a second one, which is of the tracker too if archive is nil.
func (s *Session) verify(ctx context.Context, first, second results.Run, from string, archive *results.Archive) *Grid {
	v, err := results.VerifyRun(ctx, s.tracker(ctx), first, second, archive)
	check(err)
	return newGrid(verification(first, second, from, v))
}

// verification returns what was compared as a table.
func verification(first, second results.Run, from string, v results.Verification) *results.Grid {
	g := &results.Grid{Columns: []results.Column{{Key: "compared"}, {Key: "found"}}}
	add := func(what, found string) { g.Rows = append(g.Rows, []string{what, found}) }
	add("first run", first.Stored.Name)
	add("second run", fmt.Sprintf("%s, from %s", second.Stored.Name, from))
	add("numbers that are equal, bit for bit", fmt.Sprint(v.Equal))
	add("differences", fmt.Sprint(len(v.Differences)))
	for _, text := range v.Differences[:min(len(v.Differences), 10)] {
		add("", text)
	}
	if len(v.Differences) == 0 && first.Checkpoint != "" {
		add("the same checkpoint digest", first.Checkpoint)
	}
	if len(v.Unlogged) > 0 {
		g.AddNote("%s.", strings.Join(v.Unlogged, "; "))
	}
	return g
}
