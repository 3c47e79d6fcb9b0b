// Package results reads finished runs. A stored run is parsed once into a Run; tables, the ablation, verification,
// exported runs, comparisons and lists are made of Runs. The committed results are in this folder and are embedded.
// Files table_*.go have the tables of Tables, and files grid_*.go the other grids.
package results

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/tracker"
)

// Interrupted is the State of a run that was stopped and can be resumed. It is stored as KILLED.
const Interrupted = "interrupted"

// Run is a logged run. For a run of another program, only what has the same name there is filled in.
type Run struct {
	answer.Logged

	Stored tracker.RunInfo // the run as it is stored: identity, times, and everything by key
	State  string          // Stored.Status, or Interrupted

	Primary Numbers  // of the final evaluation's primary cut, with the ranks; empty without an evaluation
	Cuts    []Cut    // of the final evaluation: the primary one, others, lookup, those of protocol released
	Loss    *float64 // newest; nil if none is logged
	// Warnings are what a reader of the numbers has to know before trusting them.
	Warnings []string
	Cost     Cost // complete after readCosts

	// settings has all params that can change a number, as text by key.
	settings map[string]string
}

// Reader is what this package needs of a tracker.
type Reader interface {
	Runs(ctx context.Context, f tracker.Filter) ([]tracker.RunInfo, error)
	History(ctx context.Context, runID, key string) ([]tracker.Point, error)
}

// Read reads a stored run. It never fails: what is missing or not understood is left empty.
func Read(info tracker.RunInfo) Run {
	r := Run{Logged: answer.ReadLogged(info), Stored: info, State: info.Status, Cost: costOf(info),
		Warnings: answer.Warnings(info)}
	r.Cost.resumed = r.Resumed
	if info.Status == string(tracker.Killed) && answer.CanResume(info) {
		r.State = Interrupted
	}
	r.Primary, r.Cuts = readCuts(info.Metrics, "test", r.Criterion)
	if loss, ok := info.Metrics["loss"]; ok {
		r.Loss = &loss
	}
	r.settings = maps.Clone(info.Params)
	if r.Config != nil {
		maps.Copy(r.settings, r.Config.Flatten())
	}
	if r.Ended > 0 { // it did not train that many epochs
		r.settings["train.epochs"] = strconv.Itoa(r.Ended)
	}
	maps.DeleteFunc(r.settings, func(key, _ string) bool {
		return key == config.ParamHash || !config.InIdentity(key)
	})
	return r
}

// ReadAll reads stored runs.
func ReadAll(infos []tracker.RunInfo) []Run {
	runs := make([]Run, len(infos))
	for i, info := range infos {
		runs[i] = Read(info)
	}
	return runs
}

// ShortID returns the beginning of the run's id, as people see it.
func (r Run) ShortID() string { return tracker.ShortID(r.Stored.ID) }

// String returns the run's short id and name, for messages.
func (r Run) String() string { return r.ShortID() + " (" + r.Stored.Name + ")" }

// Finished reports whether the run finished.
func (r Run) Finished() bool { return r.Stored.Status == string(tracker.Finished) }

// Evaluated reports whether the run has a final evaluation.
func (r Run) Evaluated() bool {
	_, ok := r.Primary[HeadF1]
	return ok
}

// difference is a param in which two runs differ. A value is "" if it is not logged.
type difference struct{ key, a, b string }

// differences returns the params that can change a number and differ, by key.
func differences(a, b Run) []difference {
	keys := slices.Concat(sortedKeys(a.settings), sortedKeys(b.settings))
	slices.Sort(keys)
	var list []difference
	for _, key := range slices.Compact(keys) {
		if x, y := a.settings[key], b.settings[key]; x != y {
			list = append(list, difference{key, x, y})
		}
	}
	return list
}

// alikeButSeed reports whether two runs have the same settings, except for the seed, and come from the same program.
func alikeButSeed(a, b Run) bool {
	return a.From == b.From && !slices.ContainsFunc(differences(a, b), func(d difference) bool { return d.key != "seed" })
}
