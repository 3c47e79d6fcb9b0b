package results

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// HeadF1Key is the metric whose cuts decide the cut of a list.
var HeadF1Key = eval.Key{Split: "test", Metric: HeadF1.String()}.String()

// OneCut returns the cut at which a list shows numbers of sets if the runs' own cuts differ, "" if they are the same.
func OneCut(runs []Run) string {
	cut, _ := tracker.OneCut(tracker.CutsOf(stored(runs), HeadF1Key), RankingCuts())
	return cut
}

func stored(runs []Run) []tracker.RunInfo {
	list := make([]tracker.RunInfo, len(runs))
	for i, run := range runs {
		list[i] = run.Stored
	}
	return list
}

// numbersAt returns the numbers of the final evaluation at a cut, "" being the run's own. name is the name of that cut.
func (r Run) numbersAt(cut string) (numbers Numbers, name string) {
	if cut == "" {
		return r.Primary, r.Criterion
	}
	for _, c := range r.Cuts {
		if c.Name() == cut {
			return c.Numbers, cut
		}
	}
	return nil, ""
}

// comparedAtOneCut returns runs for a comparison. If their own cuts differ, their metrics of sets are replaced by those
// at one cut, whose name is in the key. note explains it.
func comparedAtOneCut(runs []Run) (list []Run, note []hint.Note) {
	infos := stored(runs)
	at := map[string]string{} // the keys at one cut by those without
	var named []string
	for _, key := range metricKeys(runs) {
		k, ok := eval.ParseKey(key)
		if !ok || k.Cut != "" || k.Category != "" {
			continue
		}
		value := k
		value.End = eval.Value
		cuts := tracker.CutsOf(infos, value.String())
		if cut, several := tracker.OneCut(cuts, RankingCuts()); several && isOfSets(cuts) {
			at[key], _ = tracker.CutKey(key, cut)
			if k.End == eval.Value {
				named = append(named, at[key])
			}
		}
	}
	if len(at) == 0 {
		return runs, nil
	}
	list = slices.Clone(runs)
	for i, run := range runs {
		list[i].Stored.Metrics = maps.Clone(run.Stored.Metrics)
		for key, to := range at {
			delete(list[i].Stored.Metrics, key)
			metric, cut, _ := tracker.ParseCutKey(to)
			if x, ok := run.Stored.AtCut(metric, cut); ok {
				list[i].Stored.Metrics[to] = x
			}
		}
	}
	return list, []hint.Note{{Text: fmt.Sprintf("The runs have metrics of sets at several cuts of their own; they are "+
		"shown at one, whose name follows @: %s.", strings.Join(named, ", "))}}
}

// isOfSets reports whether a metric is one of sets: it is also logged at cuts other than the run's own.
func isOfSets(cuts []tracker.Cut) bool {
	return slices.ContainsFunc(cuts, func(c tracker.Cut) bool { return c.Runs > c.Own })
}

// withoutCut returns a key without its cut, if it has one.
func withoutCut(key string) string {
	if metric, _, ok := tracker.ParseCutKey(key); ok {
		return metric
	}
	return key
}
