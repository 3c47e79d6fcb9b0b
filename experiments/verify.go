package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// Verification is a comparison of every number that two runs have logged.
type Verification struct {
	Equal       int      // numbers that both have, with the same bits
	Differences []string // the others, and the params, digests and versions that are not the same
	Times       int      // times, speeds and sizes of the first run, which are not compared
}

// numberAt says which number of a run.
type numberAt struct {
	key  string
	step int64
}

// timesPrefix begins the keys of what differs from machine to machine.
const timesPrefix = "system/"

// Verify compares two finished runs bit by bit: every metric at every step but times and sizes, the digests of graph and
// checkpoint, the numerics version, and the params that decide numbers. Of a number that an interrupted run has logged
// twice the last one counts.
func Verify(a, b *Archive) Verification {
	var v Verification
	differ := func(format string, args ...any) { v.Differences = append(v.Differences, fmt.Sprintf(format, args...)) }
	for _, key := range unionKeys([]tracker.RunInfo{a.Info, b.Info}, func(r tracker.RunInfo) []string { return sortedKeys(r.Params) }) {
		if x, y := a.Info.Params[key], b.Info.Params[key]; x != y && key != "data" && key != "config_hash" && !slices.Contains(notIdentity, key) {
			differ("param %s: %q and %q", key, x, y)
		}
	}
	if x, y := a.Info.Tags[tagDigest], b.Info.Tags[tagDigest]; x != y {
		differ("checkpoint digest: %q and %q", x, y)
	}
	mine, theirs := numbers(a), numbers(b)
	v.Times = mine.times
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
	return v
}

// numberList are the comparable numbers of a run in the order in which they were first logged.
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
	return list
}

// EmbeddedTwin is the finished run inside the program with the config, seed, graph and numerics version of a run, another
// one than the run itself. Without one the error names what there is.
func EmbeddedTwin(info tracker.RunInfo) (ArchiveFile, error) {
	files, err := EmbeddedResults()
	if err != nil {
		return ArchiveFile{}, err
	}
	return twin(files, info)
}

func twin(files []ArchiveFile, info tracker.RunInfo) (ArchiveFile, error) {
	for _, f := range files {
		if f.Info.ID == info.ID {
			return ArchiveFile{}, fmt.Errorf("run %s (%s) is the result inside the program itself; `spherelab train` makes another one to compare it with", shortID(info.ID), info.Name)
		}
	}
	for _, f := range files {
		same := func(key string) bool { return f.Info.Params[key] == info.Params[key] }
		if same("config_hash") && same("graph_digest") && same("numerics_version") {
			return f, nil
		}
	}
	return ArchiveFile{}, fmt.Errorf("no result inside the program has the config, seed, graph and numerics version of run %s (%s); name a second RUN, or a FILE that `spherelab runs export` wrote", shortID(info.ID), info.Name)
}

// VerifyRun compares a finished run of the tracker with an exported one or, where other is nil, with the run second of the
// tracker.
func VerifyRun(ctx context.Context, t *tracker.Tracker, first, second tracker.RunInfo, other *Archive) (Verification, error) {
	if first.ID == second.ID {
		return Verification{}, fmt.Errorf("run %s (%s) and what it is compared with are the same run", shortID(first.ID), first.Name)
	}
	archive := func(info tracker.RunInfo) (*Archive, error) {
		if info.Status != string(tracker.Finished) {
			return nil, fmt.Errorf("run %s (%s) is %s; only finished runs can be verified", shortID(info.ID), info.Name, info.Status)
		}
		return ArchiveRun(ctx, t, info)
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
	if v.Equal == 0 && len(v.Differences) == 0 {
		return v, fmt.Errorf("run %s (%s) and run %s (%s) have logged no number to compare", shortID(first.ID), first.Name, shortID(second.ID), second.Name)
	}
	return v, nil
}
