package results

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Verification is a comparison of every number that two runs have logged.
type Verification struct {
	Equal       int      // numbers that both have, with the same bits
	Differences []string // the others, and the params, digests and versions that are not the same
	Times       int      // number of times, speeds and sizes of the first run, which are not compared
	// Unlogged is what one run has not logged and the other has: params, for which the default is compared, and results
	// per relation, which are not compared. Two runs may differ in these without a difference being found.
	Unlogged []string
}

// numberAt identifies a number of a run.
type numberAt struct {
	key  string
	step int64
}

// timesPrefix is the prefix of keys whose values differ from machine to machine.
const timesPrefix = "system/"

// Verify compares two finished runs bit by bit: every metric at every step but times and sizes, every number of
// their evaluations, whether it was logged as a metric or as a result, the results per relation where both runs
// have some, the digests of graph and checkpoint, the default cuts where both have chosen some, the numerics version,
// and the params that decide numbers. If an interrupted run logged a number twice, the last value counts.
func Verify(a, b *Archive) Verification {
	var v Verification
	differ := func(format string, args ...any) { v.Differences = append(v.Differences, fmt.Sprintf(format, args...)) }
	x, y := Read(a.Info), Read(b.Info)
	for _, d := range differences(x, y) {
		if d.key != "data" { // the same graph may be in another folder
			differ("param %s: %q and %q", d.key, d.a, d.b)
		}
	}
	v.noteUnlogged("the first", x, y)
	v.noteUnlogged("the second", y, x)
	if x.Checkpoint != y.Checkpoint {
		differ("checkpoint digest: %q and %q", x.Checkpoint, y.Checkpoint)
	}
	if c, d := x.DefaultCuts, y.DefaultCuts; c != nil && d != nil && *c != *d {
		differ("default cut: %s and %s, not %s and %s", c.Head.Cut, c.Tail.Cut, d.Head.Cut, d.Tail.Cut)
	}
	mine, theirs := numbers(a), numbers(b)
	v.Times = mine.times
	v.later("intervals of novel F1 and union F1", &mine, &theirs, func(k eval.Key) bool {
		return k.End != eval.Value && eval.LaterInterval(k.Metric)
	})
	v.later("ECE and Brier score", &mine, &theirs, func(k eval.Key) bool { return eval.OfProbabilities(k.Metric) })
	for _, at := range mine.order {
		x := mine.value[at]
		y, ok := theirs.value[at]
		switch {
		case !ok:
			differ("%s at step %d: only in the first", at.key, at.step)
		case math.Float64bits(x) != math.Float64bits(y):
			differ("%s at step %d: %v and %v", at.key, at.step, x, y)
		default:
			v.Equal++
		}
	}
	for _, at := range theirs.order {
		if _, ok := mine.value[at]; !ok {
			differ("%s at step %d: only in the second", at.key, at.step)
		}
	}
	v.relations(a.Relations, b.Relations)
	return v
}

// noteUnlogged notes what a run has not logged and the other has.
func (v *Verification) noteUnlogged(which string, run, other Run) {
	if run.Config == nil || other.Config == nil {
		return // of another program
	}
	for _, key := range answer.Unlogged(run.Stored, other.Stored) {
		v.Unlogged = append(v.Unlogged, fmt.Sprintf("%s has not logged %s; the default %q is compared", which, key,
			run.settings[key]))
	}
}

// numberList returns the comparable numbers of a run in the order in which they were first logged.
type numberList struct {
	value map[numberAt]float64
	order []numberAt
	times int
}

func numbers(a *Archive) numberList {
	list := numberList{value: map[numberAt]float64{}}
	for _, p := range a.Points {
		if strings.HasPrefix(p.Key, timesPrefix) {
			list.times++
			continue
		}
		at := numberAt{p.Key, p.Step}
		if _, ok := list.value[at]; !ok {
			list.order = append(list.order, at)
		}
		list.value[at] = p.Value
	}
	for _, r := range a.Results {
		for key, value := range r.Numbers() {
			at := numberAt{key, r.Step}
			if _, ok := list.value[at]; !ok {
				list.order = append(list.order, at)
			}
			list.value[at] = value
		}
	}
	return list
}

// later leaves out numbers that earlier versions did not log, if one of the runs is of such a version.
func (v *Verification) later(what string, a, b *numberList, is func(eval.Key) bool) {
	later := func(at numberAt) bool {
		k, ok := eval.ParseKey(at.key)
		return ok && is(k)
	}
	without := -1
	for i, list := range []*numberList{a, b} {
		if !slices.ContainsFunc(list.order, later) {
			without = i
		}
	}
	if without < 0 {
		return
	}
	with := []*numberList{b, a}[without]
	n := len(with.order)
	if with.order = slices.DeleteFunc(with.order, later); len(with.order) == n {
		return
	}
	maps.DeleteFunc(with.value, func(at numberAt, _ float64) bool { return later(at) })
	v.Unlogged = append(v.Unlogged, []string{"the first", "the second"}[without]+" has not logged "+what+
		"; they are not compared")
}

// EmbeddedTwin returns the embedded run with the config, seed, graph and numerics version of a run, other than the run
// itself.
func EmbeddedTwin(run Run) (ArchiveFile, error) {
	embedded := []func() ([]ArchiveFile, error){EmbeddedResults, EmbeddedDimensions}
	if _, generated := kg.FindPattern(run.Graph); generated {
		embedded = []func() ([]ArchiveFile, error){embeddedPatterns}
	}
	var files []ArchiveFile
	for _, read := range embedded {
		list, err := read()
		if err != nil {
			return ArchiveFile{}, err
		}
		files = append(files, list...)
	}
	return twin(files, run)
}

// FileTwin returns the run of an exported file to compare a run with: the only one, or of several the one with the same
// config, seed, graph and numerics version.
func FileTwin(file string, run Run) (ArchiveFile, error) {
	files, err := OpenArchives(file)
	if err != nil {
		return ArchiveFile{}, err
	}
	if len(files) == 1 {
		return files[0], nil
	}
	for _, f := range files {
		if other := Read(f.Info); other.ConfigHash == run.ConfigHash && other.GraphDigest == run.GraphDigest &&
			other.Numerics == run.Numerics {
			return f, nil
		}
	}
	return ArchiveFile{}, fmt.Errorf("no run of %s has the config, seed, graph and numerics version of run %s", file, run)
}

func twin(files []ArchiveFile, run Run) (ArchiveFile, error) {
	var found ArchiveFile
	for _, f := range files {
		if f.Info.ID == run.Stored.ID {
			err := fmt.Errorf("run %s is the embedded result itself; another run is needed to compare it with", run)
			return ArchiveFile{}, hint.With(err, hint.Hint{Action: hint.TrainConfig})
		}
		other := Read(f.Info)
		if found.Archive == nil && other.ConfigHash == run.ConfigHash && other.GraphDigest == run.GraphDigest &&
			other.Numerics == run.Numerics {
			found = f
		}
	}
	if found.Archive == nil {
		err := fmt.Errorf("no embedded result has the config, seed, graph and numerics version of run %s; "+
			"name a second run, or the file of an exported one", run)
		return found, hint.With(err, hint.Hint{Action: hint.ExportRun})
	}
	return found, nil
}

// VerifyRun compares a finished run of the tracker with an exported one. If other is nil, it compares the run with
// second, another run of the tracker.
func VerifyRun(ctx context.Context, t *tracker.Tracker, first, second Run, other *Archive) (Verification, error) {
	if first.Stored.ID == second.Stored.ID {
		return Verification{}, fmt.Errorf("run %s and the second run are the same run", first)
	}
	archive := func(run Run) (*Archive, error) {
		if !run.Finished() {
			return nil, fmt.Errorf("run %s is %s; only finished runs can be verified", run, run.State)
		}
		return ArchiveRun(ctx, t, run.Stored)
	}
	mine, err := archive(first)
	if err != nil {
		return Verification{}, err
	}
	if other == nil {
		if other, err = archive(second); err != nil {
			return Verification{}, err
		}
	}
	v := Verify(mine, other)
	if v.Equal == 0 && len(v.Differences) == 0 && first.Checkpoint == "" {
		return v, fmt.Errorf("run %s and run %s have not logged any number to compare", first, second)
	}
	return v, nil
}
