package tracker

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// TagCriterion is the tag with the run's own cut: that of its metrics of sets whose keys do not name a cut, such as
// test/head_f1.
const TagCriterion = "criterion"

// cutMark separates the key of a metric without a cut from the cut at which it is read, in keys of CutKey.
const cutMark = "@"

// CutKey returns the key under which lists show a metric at the same cut for all runs. It stands for the number that a
// run logged at that cut, under a key that names the cut ("test/margin/head_f1") or, if the cut is the run's own, under
// the plain key ("test/head_f1"). A run without that cut has no such number. ok is false for metrics whose key names a
// cut or has no split. MLflow's clients refuse such a key, so no metric has it.
func CutKey(metric, cut string) (key string, ok bool) {
	n, _, ok := ParseResultKey(metric)
	if !ok || n.Cut != "" || cut == "" || cut == CategoryPart || strings.Contains(metric+cut, cutMark) ||
		strings.Contains(cut, "/") || cutMark+cut == BestSuffix {
		return "", false
	}
	return metric + cutMark + cut, true
}

// ParseCutKey parses a key of CutKey, also that of its best value.
func ParseCutKey(key string) (metric, cut string, ok bool) {
	metric, cut, ok = strings.Cut(strings.TrimSuffix(key, BestSuffix), cutMark)
	if ok {
		_, ok = CutKey(metric, cut)
	}
	return metric, cut, ok
}

// ResultAtCut returns the key of the same metric with the name of a cut, as runs with another own cut log it.
func ResultAtCut(metric, cut string) (resultName, string) {
	n, part, _ := ParseResultKey(metric)
	n.Cut = cut
	return n, part
}

// AtCut returns the newest value of a metric of a run at a cut, given by a key of CutKey. The run must have all of its
// metrics and the tag TagCriterion.
func (i RunInfo) AtCut(metric, cut string) (value float64, ok bool) {
	if _, has := CutKey(metric, cut); !has {
		return 0, false
	}
	n, part := ResultAtCut(metric, cut)
	if value, ok = i.Metrics[n.Key()+part]; !ok && i.Tags[TagCriterion] == cut {
		value, ok = i.Metrics[metric]
	}
	return value, ok
}

// Cut is how many runs of a list have a metric at a cut.
type Cut struct {
	Name string
	Own  int // runs whose own cut it is
	Runs int // runs that have the metric at the cut, including those
}

// CutsOf returns the Cuts of the given runs. They must have all of their metrics and the tag TagCriterion.
func CutsOf(runs []RunInfo, metric string) []Cut {
	n, part, ok := ParseResultKey(metric)
	if !ok || n.Cut != "" {
		return nil
	}
	at, own := map[string]Cut{}, map[string]bool{}
	for _, run := range runs {
		names := map[string]bool{}
		for key := range run.Metrics {
			if m, end, ok := ParseResultKey(key); ok && m.Cut != "" && end == part {
				name := m.Cut
				if m.Cut = ""; m == n {
					names[name] = true
				}
			}
		}
		cut := run.Tags[TagCriterion]
		if _, has := run.Metrics[metric]; has && cut != "" {
			c := at[cut]
			c.Own++
			at[cut], names[cut], own[cut] = c, true, true
		}
		for name := range names {
			c := at[name]
			c.Name = name
			c.Runs++
			at[name] = c
		}
	}
	if len(own) < 2 {
		return nil
	}
	return slices.SortedFunc(maps.Values(at), func(a, b Cut) int { return cmp.Compare(a.Name, b.Name) })
}

// OneCut returns the cut at which to compare runs that have a metric at different own cuts. Among the preferred cuts
// that at least half of the runs have, it is the one that most runs have; without such a cut, it is the most
// frequent own cut. ok is false if all runs have the same cut.
func OneCut(cuts []Cut, preferred []string) (cut string, ok bool) {
	var own, good []Cut
	runs := 0
	for _, c := range cuts {
		if c.Own > 0 {
			own = append(own, c)
			runs += c.Own
		}
	}
	if len(own) < 2 {
		return "", false
	}
	for _, name := range preferred {
		if i := slices.IndexFunc(cuts, func(c Cut) bool { return c.Name == name && 2*c.Runs >= runs }); i >= 0 {
			good = append(good, cuts[i])
		}
	}
	if len(good) == 0 {
		good = own
	}
	return slices.MaxFunc(good, func(a, b Cut) int { return cmp.Compare(a.Runs, b.Runs) }).Name, true
}
